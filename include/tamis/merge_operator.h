// SPDX-License-Identifier: Apache-2.0
//
// A MergeOperator defines DB::Merge, a write that describes a change to a value
// instead of the new value. Operands are stored until a read or a compaction
// merges them with the base value.
//
//   Put(k, "1")  Merge(k, "2")  Merge(k, "3")
//
//   Get calls         FullMergeV2(k, existing "1", operands {"2", "3"})
//   a compaction that does not see the base
//   calls             PartialMerge(k, "2", "3")
//
// Every table stores the operator's name. FullMergeV2 receives all operands in
// the order they were written.
//
// Threads: any. An operator is immutable. It also runs in background jobs,
// where it must not wait for another database on the same job_runner
// (job_runner.h). Lifetime: must outlive every database that uses it (held by
// shared_ptr).
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "tamis/export.h"
#include "tamis/slice.h"

namespace tamis {

class Logger;

class TAMIS_EXPORT MergeOperator {
 public:
  virtual ~MergeOperator();

  // Returns a name, which must change whenever the meaning of stored operands
  // changes.
  virtual const char* Name() const = 0;

  // What FullMergeV2 gets.
  struct MergeOperationInput {
    // The user key.
    const Slice& key;
    // The base value; nullptr if the key has none.
    const Slice* existing_value;
    // Oldest first; never empty.
    const std::vector<Slice>& operand_list;
    // DBOptions::info_log, or one that writes to LOG. nullptr if there is
    // neither.
    Logger* logger = nullptr;
  };
  // What FullMergeV2 returns.
  struct MergeOperationOutput {
    // The result. Empty on entry.
    std::string& new_value;
    // Set instead of new_value if the result equals one operand or the base.
    // Has nullptr data on entry.
    Slice& existing_operand;
  };
  // Merges all operands with the base. Returns false if the operands are
  // invalid; the read then fails with Corruption, and stored data is unchanged.
  virtual bool FullMergeV2(const MergeOperationInput& in,
                           MergeOperationOutput* out) const = 0;

  // Sets *new_value to one operand equivalent to `left` followed by `right`,
  // for any base. Returns false if there is none; both operands are then kept.
  // `logger` is as in MergeOperationInput, here and below.
  virtual bool PartialMerge(const Slice& /*key*/, const Slice& /*left*/,
                            const Slice& /*right*/, std::string* /*new_value*/,
                            Logger* /*logger*/) const {
    return false;
  }
  // Does the same for two or more operands, oldest first. By default, calls
  // PartialMerge repeatedly.
  virtual bool PartialMergeMulti(const Slice& key,
                                 const std::deque<Slice>& operands,
                                 std::string* new_value, Logger* logger) const;
};

// The base class for associative operations whose operands and values have the
// same type: sums, unions, maxima.
class TAMIS_EXPORT AssociativeMergeOperator : public MergeOperator {
 public:
  // Sets *new_value to the result for `value` and existing_value, which is
  // nullptr if there is none. Returns false if an argument is invalid.
  virtual bool Merge(const Slice& key, const Slice* existing_value,
                     const Slice& value, std::string* new_value,
                     Logger* logger) const = 0;

  bool FullMergeV2(const MergeOperationInput& in,
                   MergeOperationOutput* out) const final;
  bool PartialMerge(const Slice& key, const Slice& left, const Slice& right,
                    std::string* new_value, Logger* logger) const final;
};

}  // namespace tamis
