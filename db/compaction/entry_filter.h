// SPDX-License-Identifier: Apache-2.0
//
// The user's CompactionFilter in one flush or (sub)compaction: which entries it
// may be asked about, and what it answers. Exceptions and wrong answers become
// a Status that names the filter.
//
// One thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tamis/column_family_options.h"
#include "tamis/compaction_filter.h"

#include "table/internal_key.h"
#include "util/base/result.h"

namespace tamis {

class EntryFilter {
 public:
  using Decision = CompactionFilter::Decision;

  struct Inputs {
    CompactionFilter::Context context;
    int level = 0;  // that FilterV2 gets
    // Ascending. They include all snapshots that may read the job's output and
    // do not keep an older state (SnapshotImpl::StateOf).
    std::vector<SequenceNumber> snapshots;
  };

  // Returns the filter that the options have for the job, or nullptr.
  static Result<std::unique_ptr<EntryFilter>> Make(
      const ColumnFamilyOptions& options, const Inputs& in);

  // Return whether the filter may see a put or an operand of that sequence
  // number.
  bool MayAskAboutPut(SequenceNumber sequence) const {
    return ignores_snapshots_ || IsUnseen(sequence);
  }
  bool MayAskAboutOperand(SequenceNumber sequence) const {
    return IsUnseen(sequence);
  }

  // Asks the filter. `type` is kTypeValue or kTypeMerge.
  Result<Decision> Ask(const Slice& user_key, ValueType type,
                       const Slice& value);
  // Of the last answer. The caller may move from them.
  std::string& new_value() { return new_value_; }
  std::string& skip_until() { return skip_until_; }

 private:
  EntryFilter(const CompactionFilter* filter,
              std::unique_ptr<CompactionFilter> owned, const Inputs& in);

  bool IsUnseen(SequenceNumber sequence) const {
    return !newest_snapshot_ || sequence > *newest_snapshot_;
  }
  Status CheckAnswer(Decision decision) const;

  const std::unique_ptr<CompactionFilter> owned_;  // nullptr: the user's
  const CompactionFilter& filter_;
  const int level_;
  std::optional<SequenceNumber> newest_snapshot_;
  bool ignores_snapshots_ = false;
  std::string new_value_;
  std::string skip_until_;
};

// Returns whether the options have a compaction filter or a factory of them.
inline bool HasCompactionFilter(const ColumnFamilyOptions& options) {
  return options.compaction_filter != nullptr ||
         options.compaction_filter_factory != nullptr;
}

}  // namespace tamis
