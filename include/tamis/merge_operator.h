// SPDX-License-Identifier: Apache-2.0
//
// A MergeOperator defines DB::Merge: a write that describes a change to a value
// instead of the new value. Operands are stored until a read or a compaction
// combines them with the base value.
//
//   Put(k, "1")  Merge(k, "2")  Merge(k, "3")
//     FullMergeV2(k, existing "1", operands {"2", "3"})   computes a Get's
//     value
//     PartialMerge(k, "2", "3")                           combines operands
//     when
//                                                         a compaction does not
//                                                         see the base
//
// Its name is stored in every table. FullMergeV2 receives all operands in the
// order they were written.
//
// Threads: immutable, any thread.
// Lifetime: must outlive every database that uses it (held by shared_ptr).
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "tamis/slice.h"

namespace tamis {

class MergeOperator {
 public:
  virtual ~MergeOperator();

  // Must change whenever the meaning of stored operands changes.
  virtual const char* Name() const = 0;

  struct MergeOperationInput {
    const Slice& key;
    // The base value; nullptr: the key had none.
    const Slice* existing_value;
    // Oldest first; never empty.
    const std::vector<Slice>& operand_list;
  };
  struct MergeOperationOutput {
    // The result. Empty on entry.
    std::string& new_value;
    // Set instead of new_value if the result equals one operand or the base.
    // Has nullptr data on entry.
    Slice& existing_operand;
  };
  // False: the operands are invalid. The read fails with Corruption; stored
  // data is unchanged.
  virtual bool FullMergeV2(const MergeOperationInput& in,
                           MergeOperationOutput* out) const = 0;

  // Sets *new_value to one operand equivalent to `left` followed by `right`,
  // for any base. False: impossible; both are kept.
  virtual bool PartialMerge(const Slice& /*key*/, const Slice& /*left*/,
                            const Slice& /*right*/,
                            std::string* /*new_value*/) const {
    return false;
  }
  // As above for two or more operands, oldest first. Default: repeated
  // PartialMerge.
  virtual bool PartialMergeMulti(const Slice& key,
                                 const std::deque<Slice>& operands,
                                 std::string* new_value) const;
};

// For associative operations where operands and values have the same type:
// sums, unions, maxima.
class AssociativeMergeOperator : public MergeOperator {
 public:
  // existing_value is nullptr if there is none. False: as FullMergeV2.
  virtual bool Merge(const Slice& key, const Slice* existing_value,
                     const Slice& value, std::string* new_value) const = 0;

  bool FullMergeV2(const MergeOperationInput& in,
                   MergeOperationOutput* out) const final;
  bool PartialMerge(const Slice& key, const Slice& left, const Slice& right,
                    std::string* new_value) const final;
};

}  // namespace tamis
