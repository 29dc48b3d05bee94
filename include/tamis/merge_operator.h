// SPDX-License-Identifier: Apache-2.0
//
// A MergeOperator gives DB::Merge its meaning: a write that says how a value
// changes, not what it becomes. Operands wait beside their base until a read,
// or a compaction, puts them together.
//
//   Put(k, "1")  Merge(k, "2")  Merge(k, "3")
//     FullMergeV2(k, existing "1", operands {"2", "3"})   what a Get shows
//     PartialMerge(k, "2", "3")                           what a compaction may
//                                                         write without a base
//
// Its name is stored in every table. Operators that need more than the last
// value read it from the operands, in the order they were written.
//
// Threads: immutable, any thread at once.
// Lifetime: outlives every database that uses it (held by shared_ptr).
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "tamis/slice.h"

namespace tamis {

class MergeOperator {
 public:
  virtual ~MergeOperator();

  // Changes whenever the meaning of stored operands does.
  virtual const char* Name() const = 0;

  struct MergeOperationInput {
    const Slice& key;
    // The base; nullptr: the key had no value.
    const Slice* existing_value;
    // Oldest first, at least one.
    const std::vector<Slice>& operand_list;
  };
  struct MergeOperationOutput {
    // The result. Empty when the call begins.
    std::string& new_value;
    // Instead of new_value: the one of the operands, or the base, that is the
    // result as it stands. Empty (nullptr data) when the call begins.
    Slice& existing_operand;
  };
  // False: the operands make no sense. The read fails with Corruption; what is
  // stored stays as it is.
  virtual bool FullMergeV2(const MergeOperationInput& in,
                           MergeOperationOutput* out) const = 0;

  // One operand that does what `left` and then `right` would, whatever the
  // base. False: there is none, both are kept.
  virtual bool PartialMerge(const Slice& /*key*/, const Slice& /*left*/,
                            const Slice& /*right*/,
                            std::string* /*new_value*/) const {
    return false;
  }
  // The same for two operands or more, oldest first. Default: PartialMerge on
  // one after the other.
  virtual bool PartialMergeMulti(const Slice& key,
                                 const std::deque<Slice>& operands,
                                 std::string* new_value) const;
};

// For operations in which operands and values are the same kind of thing and
// may be grouped at will: sums, unions, maxima.
class AssociativeMergeOperator : public MergeOperator {
 public:
  // existing_value: nullptr when there is none. False as in FullMergeV2.
  virtual bool Merge(const Slice& key, const Slice* existing_value,
                     const Slice& value, std::string* new_value) const = 0;

  bool FullMergeV2(const MergeOperationInput& in,
                   MergeOperationOutput* out) const final;
  bool PartialMerge(const Slice& key, const Slice& left, const Slice& right,
                    std::string* new_value) const final;
};

}  // namespace tamis
