// SPDX-License-Identifier: Apache-2.0
//
// What a codec derives from a filter's bytes once, for every probe: a struct of
// the codec's own, stored in a view by value.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>

#include "tamis/slice.h"

namespace tamis {

// A value type without allocations.
class ViewState {
 public:
  static constexpr size_t kBytesMax = 48;

  ViewState() = default;
  template <typename State>
  explicit ViewState(const State& state) {
    static_assert(std::is_trivially_copyable_v<State>);
    static_assert(std::is_standard_layout_v<State>);
    static_assert(sizeof(State) <= kBytesMax);
    static_assert(alignof(State) <= 8);
    std::memcpy(bytes_.data(), &state, sizeof(state));
  }

  // REQUIRES: made from a State, or from a struct that begins with one. Returns
  // a reference: compilers take a copy of small fields through memory.
  template <typename State>
  const State& As() const {
    return *std::launder(reinterpret_cast<const State*>(bytes_.data()));
  }

 private:
  alignas(8) std::array<unsigned char, kBytesMax> bytes_{};
};

// The bytes of a filter, what their codec has derived from them, and the
// codec's function that probes them. The base of views. A value type without
// allocations.
template <typename Probe>
class ProbedBytes {
 public:
  template <typename State>
  ProbedBytes(Probe probe, const Slice& bytes, const State& state)
      : probe_(probe), bytes_(bytes), state_(state) {}

  Slice bytes() const { return bytes_; }
  template <typename State>
  const State& state() const {
    return state_.As<State>();
  }

 protected:
  Probe probe_function() const { return probe_; }

 private:
  Probe probe_;
  Slice bytes_;
  ViewState state_;
};

}  // namespace tamis
