// SPDX-License-Identifier: Apache-2.0
//
// What a point read has learned so far. It goes down the walk (memtables,
// level 0, level 1, ...), newest source first, and each source shows it the
// versions of the key that it holds, newest first, until it has enough.
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
    kMerging,     // operands() wait for a base or the end of the walk
    kMergeReady,  // what they were written over is known; Finish puts them
                  // together
    kCorrupt,     // status() says what was met
  };

  // All outlive *this. merge_operator: nullptr when there is none, and then
  // the key is of no interest.
  explicit GetContext(PinnableSlice* value,
                      const MergeOperator* merge_operator = nullptr,
                      const Slice& user_key = Slice())
      : value_(value), merge_operator_(merge_operator), user_key_(user_key) {}
  GetContext(const GetContext&) = delete;
  GetContext& operator=(const GetContext&) = delete;

  // The newest range tombstone over the key, asked BEFORE any filter may skip
  // a file: versions older than it are deleted.
  void CoverBy(SequenceNumber tombstone) {
    if (tombstone > covered_by_) covered_by_ = tombstone;
  }

  // Shows the next older visible version. False: the answer is known, stop.
  // `pin` holds the bytes of `value`; it is taken when the value is to stay
  // where it is. nullptr: the bytes do not outlive the call.
  bool Consume(const ParsedInternalKey& key, const Slice& value,
               PinnedBytes* pin);

  // An unreadable source decides: a possibly newer version may be lost in it.
  void Fail(Status status);

  State state() const { return state_; }
  bool done() const {
    return state_ != State::kAbsent && state_ != State::kMerging;
  }
  // Asked when a source has shown all it has: whether older sources have
  // nothing to add. What they hold of a key is older than any range tombstone
  // over it that stands above them.
  bool needs_no_older() const { return covered_by_ != 0 || done(); }
  const Status& status() const { return status_; }
  // Merge operands met so far, newest first.
  const std::vector<std::string>& operands() const { return operands_; }

  // The walk is over, and whatever guarded it is left: operands are put
  // together, those without a base over nothing. The Status of the read: OK,
  // NotFound, or why not.
  Status Finish();

  // Values above this are pinned rather than copied.
  static constexpr size_t kCopyBytesMax = 256;

 private:
  void EndAtTombstone();
  // Operands over the base, if there is one, are the answer.
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
