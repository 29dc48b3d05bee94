// SPDX-License-Identifier: Apache-2.0
//
// The engine's access to a WriteBatch: sequence numbers, the bytes themselves,
// and iteration over both.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "tamis/merge_operator.h"
#include "tamis/slice.h"
#include "tamis/status.h"
#include "tamis/types.h"
#include "tamis/write_batch.h"

#include "db/base/numbers.h"
#include "db/wal/batch_cursor.h"
#include "table/internal_key.h"
#include "util/coding/coding.h"

namespace tamis {

class WriteBatchInternal {
 public:
  static constexpr size_t kHeaderBytes = 8 + 4;

  // REQUIRES: at least a header, for Sequence, SetSequence, Count, SetCount.
  static SequenceNumber Sequence(const WriteBatch& batch) {
    return DecodeFixed64(batch.contents_.data());
  }
  static void SetSequence(WriteBatch* batch, SequenceNumber sequence) {
    EncodeFixed64(batch->contents_.data(), sequence);
  }
  static uint32_t Count(const WriteBatch& batch) {
    return DecodeFixed32(batch.contents_.data() + 8);
  }
  static void SetCount(WriteBatch* batch, uint32_t count) {
    EncodeFixed32(batch->contents_.data() + 8, count);
  }

  static Slice Contents(const WriteBatch& batch) { return batch.contents_; }
  static void SetContents(WriteBatch* batch, const Slice& contents) {
    batch->contents_.assign(contents.data(), contents.size());
    batch->plain_ = false;
  }

  // Whether CheckWritable cannot fail: it returns OK for a plain batch.
  static bool IsPlain(const WriteBatch& batch) {
    return batch.plain_ && batch.contents_.size() >= kHeaderBytes;
  }
  // Contents after the header. REQUIRES: at least a header.
  static Slice Records(const WriteBatch& batch) {
    Slice records = batch.contents_;
    records.remove_prefix(kHeaderBytes);
    return records;
  }

  // Returns Corruption if the batch has no header: it was made from bytes, or
  // moved from.
  static Status CheckHeader(const WriteBatch& batch);
  // Reserves memory, so that appending `bytes` bytes allocates nothing. Returns
  // MemoryLimit if there is none.
  static Status MakeRoom(WriteBatch* batch, uint64_t bytes);
  // Returns InvalidArgument if the batch cannot count n more changes.
  static Status CheckCount(const WriteBatch& batch, uint32_t n);
  static bool HasRoomFor(const WriteBatch& batch, size_t key_bytes,
                         size_t value_bytes);
  // What a batch held before an addition.
  class Undo {
   public:
    explicit Undo(WriteBatch* batch) : batch_(batch), before_(At(*batch)) {}
    // Returns OK if the batch is within the limit of SetMaxBytes. Otherwise
    // removes the addition and returns MemoryLimit.
    Status UnlessWithinMaxBytes() const {
      if (batch_->max_bytes_ == 0 ||
          batch_->contents_.size() <= batch_->max_bytes_) [[likely]] {
        return {};
      }
      return PassesMaxBytes();
    }

   private:
    Status PassesMaxBytes() const;
    WriteBatch* const batch_;
    const WriteBatch::SavePoint before_;
  };
  // REQUIRES: at least a header.
  static WriteBatch::SavePoint At(const WriteBatch& batch) {
    return {batch.contents_.size(), Count(batch), batch.plain_};
  }
  // REQUIRES: `point` is of this batch, to which only additions were made.
  static void ReturnTo(const WriteBatch::SavePoint& point, WriteBatch* batch);
  // Adds one change. Ignores `value` if the type has none. Fails as MakeRoom
  // and CheckCount do, and beyond a limit; then *batch has no new change.
  static Status Add(WriteBatch* batch, const ColumnFamilyHandle* family,
                    ValueType type, const Slice& key, const Slice& value);
  static Status Add(WriteBatch* batch, FamilyId family, ValueType type,
                    const Slice& key, const Slice& value);
  // Appends the records of `source`. Fails as MakeRoom and CheckCount do, and
  // if the batch exceeds its limit; then *batch is unchanged.
  static Status Append(WriteBatch* batch, const WriteBatch& source);

  // These check the limits of WriteBatch, and return InvalidArgument, which
  // names the exceeded limit. CheckMore checks one more change in a batch of
  // `batch_bytes`.
  static Status CheckMore(uint64_t batch_bytes, uint64_t key_bytes,
                          uint64_t value_bytes);
  static Status CheckEntryBytes(uint64_t key_bytes, uint64_t value_bytes);
  static Status CheckBatchBytes(uint64_t bytes);

  // Returns OK if every record can be replayed, and BatchCursor's error if not.
  static Status Validate(const WriteBatch& batch);
  // The family of a change.
  struct Target {
    const KeyOrder* order = nullptr;  // nullptr: there is no such family
    const MergeOperator* merge_operator = nullptr;  // nullptr: no merges
    bool may_be_missing = false;                    // there was such a family
    bool takes_range_deletions = true;              // its tables can hold them
  };
  // Checks a batch before it is logged: all that Validate checks, the limits,
  // whether families exist (unless ignore_missing), ranges are in order and
  // operands have an operator.
  static Status CheckWritable(
      const WriteBatch& batch,
      const std::function<Target(FamilyId family)>& find,
      bool ignore_missing = false);
  static Status NoSuchFamily(FamilyId family);
  // Returns InvalidArgument: a log's family has no operator for its operands.
  static Status NoMergeOperator();

  // Calls visit(sequence, family, type, key, value) for every change. The i-th
  // change has Sequence() + i, counted over all families. Stops at the first
  // error of visit(), which it returns, or of the batch.
  template <typename Visit>
  static Status ForEach(const WriteBatch& batch, Visit&& visit) {
    BatchCursor cursor(batch.contents_);
    BatchRecord record;
    SequenceNumber sequence = cursor.status().ok() ? Sequence(batch) : 0;
    while (cursor.Next(&record)) {
      if (!record.is_change()) continue;
      Status s = visit(sequence++, record.family, record.type, record.key,
                       record.value);
      if (!s.ok()) return s;
    }
    return cursor.status();
  }

 private:
  static Status AddTo(WriteBatch* batch, FamilyId id, ValueType type,
                      const Slice& key, const Slice& value);
};

}  // namespace tamis
