// SPDX-License-Identifier: Apache-2.0
//
// DBImpl::WriteIfUnchanged writes a batch only if keys have not changed since
// given sequence numbers. It looks for changes twice:
//
//   Check all keys up to the last sequence number ─▶ lead the write queue
//        other threads write meanwhile              │
//                                                   ▼
//              write the batch  ◀── check what those writes changed
//
// The second check finds all changes, as no other thread writes, and holds up
// other writers only for a search in the memtable, or not at all if nobody has
// written.
//
// A change is found in memtables and in tables that were written since. RocksDB
// searches memtables alone, and fails with TryAgain when they are too young.
#include <algorithm>
#include <span>

#include "db/db_impl.h"
#include "db/tracked_key.h"
#include "table/point_read.h"

namespace tamis {

class DBImpl::UnchangedCondition final : public WriteCondition {
 public:
  // Both must outlive *this, also the bytes of the keys.
  UnchangedCondition(const DBImpl& db, std::span<const TrackedKey> keys)
      : db_(db), keys_(keys) {}

  // Returns Busy if a key has changed. Looks only for changes after those that
  // the call before could find.
  Status Check() override {
    SequenceNumber checked = db_.versions_.last_sequence();
    if (checked == checked_) return Status::OK();
    for (const TrackedKey& key : keys_) {
      SequenceNumber until = 0;
      TAMIS_RETURN_IF_ERROR(
          CheckKey(key, std::max(key.since, checked_), &until));
      checked = std::min(checked, until);
    }
    checked_ = checked;
    return Status::OK();
  }

 private:
  // Sets *until to the sequence number up to which it has searched.
  //
  // A compaction sets sequence numbers to 0, and drops deletions, only where no
  // snapshot needs them: the caller has one that is not newer than `since`.
  Status CheckKey(const TrackedKey& key, SequenceNumber since,
                  SequenceNumber* until) const {
    const ReadOptions options;
    const ColumnFamily& family = *key.family;
    const EpochDomain::Guard guard(family.epochs());
    const ReadState& state = db_.CurrentStateAt(options, family, until);
    if (*until <= since) return Status::OK();
    PinnableSlice value;
    PointRead read(key.key, *until, family.merge_with(), &value);
    const auto search = [&](const MemTable& memtable) {
      if (read.get.newest() > since || read.get.done()) return;
      memtable.Get(read.key, read.filter_key, &read.get);
    };
    search(*state.memtable);
    for (const auto& memtable : state.immutables) search(*memtable);
    if (read.get.newest() <= since && !read.get.done()) {
      state.version->GetChange(&read, since,
                               ReadContext(options, db_.context_.statistics()));
    }
    TAMIS_RETURN_IF_ERROR(read.get.status());
    return read.get.newest() > since ? Status::Busy() : Status::OK();
  }

  const DBImpl& db_;
  const std::span<const TrackedKey> keys_;
  SequenceNumber checked_ = 0;  // no key has changed up to this one
};

Status DBImpl::CheckUnchanged(std::span<const TrackedKey> keys) const {
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  return UnchangedCondition(*this, keys).Check();
}

Status DBImpl::WriteIfUnchanged(const WriteOptions& options, WriteBatch* batch,
                                std::span<const TrackedKey> keys) {
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  UnchangedCondition condition(*this, keys);
  TAMIS_RETURN_IF_ERROR(condition.Check());
  return Write(options, batch, &condition);
}

}  // namespace tamis
