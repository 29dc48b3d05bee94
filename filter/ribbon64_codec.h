// SPDX-License-Identifier: Apache-2.0
//
// The part of a codec that BumpedRibbon and HomogeneousRibbon have in common:
// the bits of result, and sizes and views by the codec's layout.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "filter/retrieval_codec.h"
#include "filter/ribbon64.h"
#include "filter/ribbon_probe.h"

namespace tamis {

// A Layout is made from a RetrievalShape, and has bytes() and Rate().
// kStateOf(layout, seed) returns the state of a view, for the codec's probes
// and for kPrefetch.
template <typename Layout, auto kStateOf, FilterView::Prefetch kPrefetch>
class Ribbon64Codec : public RetrievalCodec {
 protected:
  Ribbon64Codec(std::string_view name, std::string_view family, int8_t marker,
                const RibbonProbes& probes)
      : RetrievalCodec(name, family, marker), probe_(probes.fastest()) {}

 private:
  uint16_t ResultBits(double one_in) const final {
    return Ribbon64ResultBits(one_in);
  }

  std::optional<uint64_t> BodyBytes(const RetrievalShape& shape) const final {
    if (!IsRibbon64ResultBits(shape.result_bits)) return std::nullopt;
    return Layout(shape).bytes();
  }

  FilterView OpenBody(const RetrievalShape& shape,
                      const Slice& body) const final {
    if (!IsRibbon64ResultBits(shape.result_bits)) {
      return FilterView::AlwaysMatch();
    }
    const Layout layout(shape);
    if (layout.bytes() != body.size()) return FilterView::AlwaysMatch();
    return FilterView(probe_, body, kStateOf(layout, shape.seed), kPrefetch);
  }

  double Rate(const RetrievalShape& shape) const final {
    return Layout(shape).Rate();
  }

  const FilterView::Probe probe_;
};

}  // namespace tamis
