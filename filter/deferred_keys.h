// SPDX-License-Identifier: Apache-2.0
//
// Peeling (peeling.h) defers some keys: it gives them no slot of their own.
// This class finds values of free slots such that those keys get their results,
// too. Each deferred key has one linear equation over GF(2): the xor of the
// values of some free slots is equal to its right side. Bit i of a slot's mask
// tells whether the slot is in equation i.
//
//   slots          mask of the equations       right sides
//   free slot 7    01                          equation 0: 1101
//   free slot 9    11                          equation 1: 0110
//   →  value of slot 9: 0110, so value of slot 7: 1101 ^ 0110 = 1011
//
// A slot becomes a variable if its mask is linearly independent of the masks of
// the earlier variables. The values of all other slots are 0.
//
// Threads: one at a time. Calls: {AddResult | OfferSlot}... [Solve, slot_of...]
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tamis {

class DeferredKeys {
 public:
  // The most equations: a bit of a mask for each.
  static constexpr size_t kMax = 64;
  using Mask = uint64_t;

  // Xors `result`, 16 bits, into the right sides of the mask's equations.
  void AddResult(Mask mask, uint32_t result) {
    for (size_t bit = 0; bit < kResultBits; ++bit) {
      right_sides_[bit] ^= mask & (Mask{0} - (result >> bit & 1));
    }
  }

  // Makes the slot the next variable if its mask is linearly independent of the
  // other variables' masks.
  void OfferSlot(uint32_t slot, Mask mask) {
    Mask variables = Reduce(&mask);
    if (mask == 0) return;
    variables |= Mask{1} << num_variables_;
    rows_[static_cast<size_t>(std::countr_zero(mask))] = {mask, variables};
    slots_[num_variables_++] = slot;
  }

  size_t num_variables() const { return num_variables_; }
  uint32_t slot_of(size_t variable) const { return slots_[variable]; }
  // Returns the values of the variables, in their order.
  // REQUIRES: num_variables() is the number of equations.
  std::array<uint16_t, kMax> Solve() const {
    std::array<uint16_t, kMax> values = {};
    for (size_t bit = 0; bit < kResultBits; ++bit) {
      Mask right_side = right_sides_[bit];
      for (Mask variables = Reduce(&right_side); variables != 0;
           variables &= variables - 1) {
        values[static_cast<size_t>(std::countr_zero(variables))] |=
            static_cast<uint16_t>(1u << bit);
      }
    }
    return values;
  }

 private:
  static constexpr size_t kResultBits = 16;
  // `mask` is the xor of the masks of `variables`, which has a bit for each.
  struct Row {
    Mask mask = 0;
    Mask variables = 0;
  };

  // Xors rows into *mask until it is zero, or no row has the same lowest bit.
  // Returns the xor of the variables of these rows.
  Mask Reduce(Mask* mask) const {
    Mask variables = 0;
    while (*mask != 0) {
      const Row& row = rows_[static_cast<size_t>(std::countr_zero(*mask))];
      if (row.mask == 0) break;
      *mask ^= row.mask;
      variables ^= row.variables;
    }
    return variables;
  }

  std::array<Mask, kResultBits> right_sides_ = {};  // a mask for each bit
  std::array<Row, kMax> rows_;             // by the lowest bit of `mask`
  std::array<uint32_t, kMax> slots_ = {};  // of the variables
  size_t num_variables_ = 0;
};

}  // namespace tamis
