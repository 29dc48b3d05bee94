// SPDX-License-Identifier: Apache-2.0
//
// A GetContext is the state of a point read. The read visits memtables, level
// 0, level 1, ..., newest source first. Each source passes the versions of the
// key that it holds to Consume, newest first, until no older one is needed.
//
// One thread.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tamis/slice.h"
#include "tamis/status.h"

#include "table/internal_key.h"
#include "table/merge_operands.h"
#include "util/cache/block_buffer.h"

namespace tamis {

class GetContext {
 public:
  enum class State : uint8_t {
    kAbsent,      // nothing seen yet
    kFound,       // the value is known
    kDeleted,     // a tombstone deletes the key
    kMerging,     // has operands(); needs older versions
    kMergeReady,  // has operands(), and their base if any; Finish merges them
    kCorrupt,     // status() is the error
  };

  // All must outlive *this, also the bytes of user_key and the objects of
  // merge_with. Without a merge operator, Finish fails if the key has operands.
  explicit GetContext(PinnableSlice* value,
                      const MergeWith& merge_with = MergeWith(),
                      const Slice& user_key = Slice())
      : value_(value), merge_with_(merge_with), user_key_(user_key) {}
  GetContext(const GetContext&) = delete;
  GetContext& operator=(const GetContext&) = delete;

  // Deletes the versions older than this range tombstone. Call it BEFORE a
  // filter may skip the file that holds the tombstone.
  void CoverBy(SequenceNumber tombstone) {
    if (tombstone > covered_by_ && !ignores_tombstones_) {
      covered_by_ = tombstone;
    }
  }

  // Sets whether CoverBy does nothing (ReadOptions::ignore_range_deletions).
  void set_ignores_tombstones(bool ignores) { ignores_tombstones_ = ignores; }

  // Processes the next older visible version. Returns whether an older one is
  // needed. `pin` keeps the bytes of `value` valid; the call moves from it if
  // it pins the value. If `pin` is nullptr or has no buffer, the value is
  // copied.
  bool Consume(const ParsedInternalKey& key, const Slice& value,
               PinnedBytes* pin);

  // Fails the read. Call it if a source is unreadable, since the source may
  // hold the newest version.
  void Fail(Status status);

  State state() const { return state_; }
  bool done() const {
    return state_ != State::kAbsent && state_ != State::kMerging;
  }
  // Returns, after a source, whether older sources can be skipped: the result
  // is known, or a range tombstone over the key hides all their versions of it.
  bool needs_no_older() const { return covered_by_ != 0 || done(); }
  const Status& status() const { return status_; }
  // Returns the sequence number of the newest change seen so far: of a version
  // or of a range tombstone; 0 if there is none.
  SequenceNumber newest() const { return std::max(newest_, covered_by_); }
  // Returns the merge operands seen so far, newest first.
  const std::vector<std::string>& operands() const { return operands_; }

  // Merges the operands, if any, and returns the Status of the read: OK,
  // NotFound or an error. Call it after the last source, and outside the Guard
  // that protected the sources, because a merge operator may be slow.
  Status Finish();

  // Returns the same Status, but sets *oldest_first to the operands, with their
  // base before them, or to the value alone. Needs no merge operator. Call it
  // instead of Finish.
  Status FinishOperands(std::vector<std::string>* oldest_first);

  // Values above this size are pinned instead of copied, if the source can pin
  // them.
  static constexpr size_t kCopyBytesMax = 256;

 private:
  void EndAtTombstone();
  void Merge();

  PinnableSlice* const value_;
  const MergeWith merge_with_;
  const Slice user_key_;  // the caller's
  State state_ = State::kAbsent;
  bool ignores_tombstones_ = false;
  SequenceNumber covered_by_ = 0;
  SequenceNumber newest_ = 0;  // of the versions
  std::vector<std::string> operands_;
  std::optional<std::string> base_;
  Status status_;
};

}  // namespace tamis
