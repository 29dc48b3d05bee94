// SPDX-License-Identifier: Apache-2.0
//
// Finds the values of the slots of a filter in which a key's result is the xor
// of the values of its k slots. A slot with only one key can give that key any
// result, whatever the other slots hold. Peeling removes keys that are alone in
// a slot, one by one, and each removal may leave another key alone in a slot.
// The values are then assigned in the reverse order.
//
//   slot     0    1    2    3    4    5
//   key a    ●         ●         ●         1. slot 0: only a, remove a
//   key b         ●    ●         ●         2. slot 2: now only b, remove b
//   key c         ●         ●         ●    3. slot 1: now only c, remove c
//
// Peeling stalls when every slot of the remaining keys has two of them or more.
// One key is then deferred: it is taken out without a slot of its own, and
// peeling continues. A slot that gives no key its result is free. The values of
// a deferred key's slots follow from the results of other keys and the values
// of free slots. This makes a linear equation in the values of free slots, and
// the equations of all deferred keys are solved at the end (deferred_keys.h).
//
//   slot     0    1    2    3    4
//   key d    ●    ●    ●              1. no slot has one key: defer d
//   key e    ●              ●    ●    2. slot 0: now only e, remove e
//   key f         ●         ●    ●    3. slot 1: now only f, remove f
//   key g              ●    ●    ●    4. slot 2: now only g, remove g
//
// Below, a letter is the key's result; s3 and s4 are values of slots. d has to
// be (e ^ s3 ^ s4) ^ (f ^ s3 ^ s4) ^ (g ^ s3 ^ s4), so s3 ^ s4 has to be
// d ^ e ^ f ^ g.
//
// Fails if too many keys would be deferred, if the equations are not linearly
// independent, or if a slot has more than 255 keys; the caller then tries
// another seed. Always fails if two hashes are equal. The order of the hashes
// within a part changes neither the values nor whether it fails.
//
// Takes 13 bytes of memory per slot, and 17 per hash, or 9 if no key may be
// deferred.
// Threads: one at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "filter/deferred_keys.h"
#include "filter/hash_parts.h"
#include "filter/seeded_hash.h"
#include "util/base/huge_page_allocator.h"

namespace tamis {

// The hashes of one key under a seed: a is the seeded hash. The high bits of b
// and c depend on all of it, their low bits only on its low bits.
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

// Maps the lower 32 bits of x to 0 ... n - 1: floor(bits * n / 2^32).
inline uint64_t Reduce32(uint64_t x, uint64_t n) {
  return (static_cast<uint32_t>(x) * n) >> 32;
}

template <size_t kArity>
class Peeling {
 public:
  using Slots = std::array<uint32_t, kArity>;

  // `ahead` is how far behind slots.back() of a key the slots of the next keys
  // lie, which are prefetched; 0 if that is not known. At most `deferred_max`
  // keys are deferred.
  // REQUIRES: num_slots < 2^32, deferred_max <= DeferredKeys::kMax.
  explicit Peeling(size_t num_slots, size_t ahead = 0, size_t deferred_max = 0)
      : xors_(num_slots + ahead),
        counts_(num_slots),
        ahead_(ahead),
        deferred_max_(deferred_max) {}

  // Returns a value for each slot such that the values of a key's slots xor to
  // result_of(hash), or nullopt if that fails. A free slot has the value 0,
  // unless it was chosen to solve a deferred key's equation. slots_of(hash)
  // returns the key's Slots, all different.
  // REQUIRES: not called before.
  template <typename SlotsOf, typename ResultOf>
  std::optional<std::vector<uint16_t>> Solve(HashParts hashes, SlotsOf slots_of,
                                             ResultOf result_of) {
    if (!Peel(std::move(hashes), slots_of)) return std::nullopt;
    std::vector<uint16_t> values(counts_.size());
    if (!SolveDeferred(slots_of, result_of, &values)) return std::nullopt;
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

  // Removes or defers all keys. Returns false if that fails.
  template <typename SlotsOf>
  bool Peel(HashParts hashes, SlotsOf slots_of) {
    if (!AddAll(hashes.ordered, slots_of)) return false;
    const size_t num_hashes = hashes.ordered.size();
    if (deferred_max_ == 0) {
      removed_ = std::move(hashes.ordered);  // overwritten: the slots know all
    } else {
      removed_.resize(num_hashes);
    }
    places_.resize(num_hashes);
    // Slots with one key left. First in, first out, so that the processor works
    // on several keys at a time. No slot is queued twice; the last entry takes
    // what is not kept.
    queue_ = std::make_unique_for_overwrite<uint32_t[]>(counts_.size() + 1);
    for (size_t first = 0; first < counts_.size(); ++first) {
      queue_[0] = static_cast<uint32_t>(first);
      RemoveQueued(counts_[first] == 1 ? 1 : 0, slots_of);
    }
    size_t part = 0;
    while (num_removed_ + deferred_.size() < num_hashes) {
      if (!Defer(hashes, &part, slots_of)) return false;
    }
    queue_.reset();
    return true;
  }

  // Adds all keys to their slots. Returns false if a slot has more than 255.
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

  // Removes the keys that are alone in one of the first `end` slots of the
  // queue, and those that are then left alone in a slot.
  template <typename SlotsOf>
  void RemoveQueued(size_t end, SlotsOf slots_of) {
    uint32_t* const queue = queue_.get();
    size_t begin = 0;
    while (begin < end) {
      const uint32_t slot = queue[begin++];
      if (counts_[slot] == 1) end = Remove(slot, slots_of, queue, end);
      if (begin == kQueuePassed) {
        std::copy(&queue[begin], &queue[end], &queue[0]);
        end -= begin;
        begin = 0;
      }
    }
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
      end = TakeOut(hash, slots[i], queue, end);
    }
    removed_[num_removed_] = hash;
    places_[num_removed_++] = place;
    return end;
  }

  // Takes the key out of the slot. Queues the slot if one key is left in it,
  // and returns the new end of the queue.
  size_t TakeOut(uint64_t hash, uint32_t slot, uint32_t* queue, size_t end) {
    xors_[slot] ^= hash;
    const uint8_t left = --counts_[slot];
    // No branch, which would be mispredicted half of the time.
    queue[end] = slot;
    return end + (left == 1 ? 1u : 0u);
  }

  // Defers the least remaining hash of the first part that has any, then
  // removes what can be removed. Returns false if too many would be deferred,
  // or if only copies of deferred hashes remain. The parts before *part have
  // none left. REQUIRES: no slot has one key.
  template <typename SlotsOf>
  bool Defer(const HashParts& hashes, size_t* part, SlotsOf slots_of) {
    if (deferred_.size() == deferred_max_) return false;
    const uint64_t* least = nullptr;
    for (; *part < hashes.ends.size(); ++*part) {
      for (const uint64_t& hash : hashes.part(*part)) {
        if ((least == nullptr || hash < *least) && IsLeft(hash, slots_of)) {
          least = &hash;
        }
      }
      if (least != nullptr) break;
    }
    if (least == nullptr) return false;
    if (deferred_.empty()) first_after_deferred_ = num_removed_;
    deferred_.push_back(*least);
    size_t end = 0;
    for (const uint32_t slot : slots_of(*least)) {
      end = TakeOut(*least, slot, queue_.get(), end);
    }
    RemoveQueued(end, slots_of);
    return true;
  }

  // Returns whether the key is neither removed nor deferred. A removed key had
  // a slot to itself, which is empty now.
  template <typename SlotsOf>
  bool IsLeft(uint64_t hash, SlotsOf slots_of) const {
    return std::ranges::all_of(
               slots_of(hash),
               [this](uint32_t slot) { return counts_[slot] > 0; }) &&
           std::ranges::find(deferred_, hash) == deferred_.end();
  }

  // Sets values of free slots such that the deferred keys get their results.
  // Returns false if their equations are not linearly independent.
  template <typename SlotsOf, typename ResultOf>
  bool SolveDeferred(SlotsOf slots_of, ResultOf result_of,
                     std::vector<uint16_t>* values) {
    if (deferred_.empty()) return true;
    DeferredKeys equations;
    // All keys are out of all slots, so xors_ is zero. From here on,
    // xors_[slot] is the mask of the equations that the slot is in.
    for (size_t i = 0; i < deferred_.size(); ++i) {
      const DeferredKeys::Mask mask = DeferredKeys::Mask{1} << i;
      equations.AddResult(mask, result_of(deferred_[i]));
      for (const uint32_t slot : slots_of(deferred_[i])) xors_[slot] ^= mask;
    }
    // In each equation, replaces the slot that gives a key its result by the
    // result and the key's other slots. Those are free, or give keys that were
    // removed later their results. The slots of keys that were removed before
    // any was deferred are in no equation.
    for (size_t i = first_after_deferred_; i < num_removed_; ++i) {
      const Slots slots = slots_of(removed_[i]);
      PrefetchAfter(slots);
      const DeferredKeys::Mask mask = xors_[slots[places_[i]]];
      equations.AddResult(mask, result_of(removed_[i]));
      for (const uint32_t slot : slots) xors_[slot] ^= mask;
    }
    for (size_t slot = 0; slot < counts_.size(); ++slot) {
      if (xors_[slot] == 0) continue;
      equations.OfferSlot(static_cast<uint32_t>(slot), xors_[slot]);
      if (equations.num_variables() == deferred_.size()) {
        const auto solution = equations.Solve();
        for (size_t i = 0; i < deferred_.size(); ++i) {
          (*values)[equations.slot_of(i)] = solution[i];
        }
        return true;
      }
    }
    return false;
  }

  void PrefetchAfter(const Slots& slots) const {
    __builtin_prefetch(xors_.data() + slots.back() + ahead_, 1);
  }

  // For each slot, the xor and the number of the keys that are in it. Two
  // arrays: fewer bytes are faster here than fewer cache lines. SolveDeferred
  // uses xors_ for masks.
  HugePageVector<uint64_t> xors_;
  HugePageVector<uint8_t> counts_;
  // By time of removal: the hash, and which of its slots it had to itself.
  HugePageVector<uint64_t> removed_;
  HugePageVector<uint8_t> places_;
  size_t num_removed_ = 0;
  std::vector<uint64_t> deferred_;
  size_t first_after_deferred_ = 0;  // in removed_
  std::unique_ptr<uint32_t[]> queue_;
  const size_t ahead_;
  const size_t deferred_max_;
};

}  // namespace tamis
