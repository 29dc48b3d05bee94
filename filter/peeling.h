// SPDX-License-Identifier: Apache-2.0
//
// Solves a filter in which a key's result is the xor of the values of its
// slots, one slot in each of k places. A slot with only one key can give that
// key any result, whatever the other slots hold. Peeling removes such keys one
// by one, and each removal may leave another key alone in a slot. The values
// are then assigned in the reverse order.
//
//   slot       0    1    2    3    4    5
//   key a      ●         ●         ●           1. slot 0: only a, remove a
//   key b           ●    ●         ●           2. slot 2: now only b, remove b
//   key c           ●         ●         ●      3. slot 1: now only c, remove c
//
// Fails if each slot of the remaining keys has two keys or more; the caller
// then tries another seed. Equal hashes always fail. The order of the hashes
// changes neither the values nor whether peeling succeeds.
//
// Takes 15 bytes of memory per slot and 9 per hash. One thread.
// Calls: Peel [Solve]
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "filter/seeded_hash.h"
#include "util/base/huge_page_allocator.h"

namespace tamis {

// The hashes of one key under a seed. The high bits of each depend on the whole
// of the seeded hash, the low ones only on its lower bits.
struct PeelingHashes {
  uint64_t a;
  uint64_t b;
  uint64_t c;
};

// Turns Hash64 into three hashes, differently for each seed.
class PeelingHasher {
 public:
  explicit PeelingHasher(uint8_t seed = 0) : seed_(seed) {}

  PeelingHashes Of(uint64_t hash) const {
    const uint64_t a = First(hash);
    return {a, a * kForB, a * kForC};
  }
  // Returns hash a alone.
  uint64_t First(uint64_t hash) const { return SeededHash(hash, seed_); }

 private:
  static constexpr uint64_t kForB = 0x9e3779b97f4a7c15;
  static constexpr uint64_t kForC = 0xd6e8feb86659fd93;

  uint8_t seed_;
};

// Returns floor(x * n / 2^32): maps x to 0 ... n - 1.
inline uint64_t Reduce32(uint64_t x, uint64_t n) {
  return (static_cast<uint32_t>(x) * n) >> 32;
}

template <size_t kArity>
class Peeling {
 public:
  using Slots = std::array<uint32_t, kArity>;

  // `ahead` is the distance from the last slot of a key to slots that the next
  // keys use, which are prefetched; 0 if none is known.
  // REQUIRES: num_slots < 2^32.
  explicit Peeling(size_t num_slots, size_t ahead = 0)
      : xors_(num_slots + ahead), counts_(num_slots), ahead_(ahead) {}

  // Finds an order in which to remove the hashes. slots_of(hash) returns the
  // key's Slots, all different. Returns false if there is no such order.
  // REQUIRES: the first call.
  template <typename SlotsOf>
  [[nodiscard]] bool Peel(HugePageVector<uint64_t> hashes, SlotsOf slots_of) {
    if (!AddAll(hashes, slots_of)) return false;
    const size_t num_hashes = hashes.size();
    removed_ = std::move(hashes);  // overwritten: the slots know all hashes
    places_.resize(num_hashes);
    // Slots with one key left. First in, first out, so that the processor works
    // on several keys at a time. No slot is queued twice; the last entry takes
    // what is not kept.
    const auto queue =
        std::make_unique_for_overwrite<uint32_t[]>(counts_.size() + 1);
    for (size_t first = 0; first < counts_.size(); ++first) {
      queue[0] = static_cast<uint32_t>(first);
      size_t begin = 0;
      size_t end = counts_[first] == 1 ? 1 : 0;
      while (begin < end) {
        const uint32_t slot = queue[begin++];
        if (counts_[slot] == 1) end = Remove(slot, slots_of, queue.get(), end);
        if (begin == kQueuePassed) {
          std::copy(&queue[begin], &queue[end], &queue[0]);
          end -= begin;
          begin = 0;
        }
      }
    }
    return num_removed_ == num_hashes;
  }

  // Returns a value for each slot such that the values of a key's slots xor to
  // result_of(hash). A slot that gives no key its result has the value 0.
  // REQUIRES: Peel returned true, with the same slots_of.
  template <typename SlotsOf, typename ResultOf>
  std::vector<uint16_t> Solve(SlotsOf slots_of, ResultOf result_of) const {
    std::vector<uint16_t> values(counts_.size());
    for (size_t i = num_removed_; i-- > 0;) {
      const Slots slots = slots_of(removed_[i]);
      uint32_t value = result_of(removed_[i]);
      for (const uint32_t slot : slots) value ^= values[slot];
      values[slots[places_[i]]] = static_cast<uint16_t>(value);
    }
    return values;
  }

 private:
  // After this many slots the rest of the queue moves to the front of its
  // memory, of which only that part is then used.
  static constexpr size_t kQueuePassed = size_t{1} << 14;

  // Returns false if a slot has too many keys to count.
  template <typename SlotsOf>
  bool AddAll(std::span<const uint64_t> hashes, SlotsOf slots_of) {
    bool overflow = false;
    for (const uint64_t hash : hashes) {
      const Slots slots = slots_of(hash);
      PrefetchAfter(slots);
      for (const uint32_t slot : slots) {
        xors_[slot] ^= hash;
        overflow |= ++counts_[slot] == 0;
      }
    }
    return !overflow;
  }

  // Removes the only key of the slot. Queues slots that have one key left, and
  // returns the new end of the queue.
  template <typename SlotsOf>
  size_t Remove(uint32_t slot, SlotsOf slots_of, uint32_t* queue, size_t end) {
    const uint64_t hash = xors_[slot];
    const Slots slots = slots_of(hash);
    PrefetchAfter(slots);
    uint8_t place = 0;
    for (uint8_t i = 0; i < kArity; ++i) {
      if (slots[i] == slot) place = i;
      xors_[slots[i]] ^= hash;
      const uint8_t left = --counts_[slots[i]];
      // No branch, which would be mispredicted every other time.
      queue[end] = slots[i];
      end += left == 1 ? 1u : 0u;
    }
    removed_[num_removed_] = hash;
    places_[num_removed_++] = place;
    return end;
  }

  void PrefetchAfter(const Slots& slots) const {
    __builtin_prefetch(xors_.data() + slots.back() + ahead_, 1);
  }

  // Of the keys that are not removed, for each slot. Two arrays: fewer bytes
  // are faster here than fewer cache lines.
  HugePageVector<uint64_t> xors_;
  HugePageVector<uint8_t> counts_;
  // By time of removal: the hash, and which of its slots it had to itself.
  HugePageVector<uint64_t> removed_;
  HugePageVector<uint8_t> places_;
  size_t num_removed_ = 0;
  const size_t ahead_;
};

}  // namespace tamis
