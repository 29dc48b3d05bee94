// SPDX-License-Identifier: Apache-2.0
//
// What a point read has learned so far. It goes down the walk (memtables,
// level 0, level 1, ...), newest source first, and each source shows it the
// versions of the key that it holds, newest first, until it has enough.
//
// One thread.
#pragma once

#include <string>
#include <vector>

#include "tamis/slice.h"
#include "tamis/status.h"

#include "table/internal_key.h"
#include "util/block_buffer.h"

namespace tamis {

class GetContext {
 public:
  enum class State : uint8_t {
    kAbsent,   // nothing seen yet
    kFound,    // value() is the answer
    kDeleted,  // a tombstone decides
    kMerging,  // operands() wait for a base or the end of the walk
    kCorrupt,  // status() says what was met
  };

  // `value` outlives *this.
  explicit GetContext(PinnableSlice* value) : value_(value) {}
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
  const Status& status() const { return status_; }
  // Merge operands met so far, newest first.
  const std::vector<std::string>& operands() const { return operands_; }

  // The Status of the read: OK, NotFound, or why not.
  Status Result() const;

  // Values above this are pinned rather than copied.
  static constexpr size_t kCopyBytesMax = 256;

 private:
  PinnableSlice* const value_;
  State state_ = State::kAbsent;
  SequenceNumber covered_by_ = 0;
  std::vector<std::string> operands_;
  Status status_;
};

}  // namespace tamis
