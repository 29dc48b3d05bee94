// SPDX-License-Identifier: Apache-2.0
//
// The state of a point read. It passes through memtables, level 0, level 1,
// ..., newest source first. Each source passes it the versions of the key that
// it holds, newest first, until the value is known.
//
// One thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tamis/merge_operator.h"
#include "tamis/slice.h"
#include "tamis/status.h"

#include "table/internal_key.h"
#include "util/cache/block_buffer.h"

namespace tamis {

class GetContext {
 public:
  enum class State : uint8_t {
    kAbsent,      // nothing seen yet
    kFound,       // value() is the answer
    kDeleted,     // a tombstone decides
    kMerging,     // operands() wait for a base or the last source
    kMergeReady,  // their base is known, or that they have none; Finish merges
    kCorrupt,     // status() is the error
  };

  // All outlive *this. merge_operator: nullptr when there is none, and then
  // user_key is not used.
  explicit GetContext(PinnableSlice* value,
                      const MergeOperator* merge_operator = nullptr,
                      const Slice& user_key = Slice())
      : value_(value), merge_operator_(merge_operator), user_key_(user_key) {}
  GetContext(const GetContext&) = delete;
  GetContext& operator=(const GetContext&) = delete;

  // The newest range tombstone over the key, looked up BEFORE any filter may
  // skip a file: versions older than it are deleted.
  void CoverBy(SequenceNumber tombstone) {
    if (tombstone > covered_by_) covered_by_ = tombstone;
  }

  // Takes the next older visible version. False: no older one is needed. `pin`
  // holds the bytes of `value`, and is taken if the value is pinned rather than
  // copied. nullptr: the bytes do not outlive the call.
  bool Consume(const ParsedInternalKey& key, const Slice& value,
               PinnedBytes* pin);

  // A source cannot be read: it may hold a newer version than any that follows.
  void Fail(Status status);

  State state() const { return state_; }
  bool done() const {
    return state_ != State::kAbsent && state_ != State::kMerging;
  }
  // After a source: whether older sources can be skipped. A range tombstone in
  // this source hides all that they hold of the key.
  bool needs_no_older() const { return covered_by_ != 0 || done(); }
  const Status& status() const { return status_; }
  // Merge operands met so far, newest first.
  const std::vector<std::string>& operands() const { return operands_; }

  // After the last source: merges the operands, if there are any. The Status of
  // the read: OK, NotFound or an error. A merge operator may be slow: it runs
  // outside of the Guard that protected the sources.
  Status Finish();

  // Values above this are pinned rather than copied.
  static constexpr size_t kCopyBytesMax = 256;

 private:
  void EndAtTombstone();
  void Merge();

  PinnableSlice* const value_;
  const MergeOperator* const merge_operator_;
  const Slice user_key_;  // the caller's
  State state_ = State::kAbsent;
  SequenceNumber covered_by_ = 0;
  std::vector<std::string> operands_;
  std::optional<std::string> base_;
  Status status_;
};

}  // namespace tamis
