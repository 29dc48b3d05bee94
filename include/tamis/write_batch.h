// SPDX-License-Identifier: Apache-2.0
//
// A WriteBatch collects changes that are applied atomically, also across a
// crash. Later changes to a key override earlier ones.
//
// Its representation is the payload of a log record:
//
//   sequence  fixed64 | count  fixed32 | record*
//   record := tag  u8 | [family  varint32] | key  str | [value  str]
//   str    := length  varint32 | bytes
//
// A DeleteRange record stores begin as its key and end as its value.
//
// Threads: const members from any; others from one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

class ColumnFamilyHandle;

class WriteBatch {
 public:
  // Limits. A change beyond one fails with InvalidArgument, which names the
  // limit, and leaves the batch unchanged. Total bytes of a batch:
  static constexpr uint64_t kMaxBytes = (uint64_t{1} << 32) - 1;
  // Bytes of key plus value (begin and end, key and operand) of one change: the
  // most that a table's block can store.
  static constexpr uint64_t kMaxEntryBytes = (uint64_t{3} << 30) - 8;

  WriteBatch();
  // Adopts the bytes that Data() of another batch returned. Iterate and Write
  // validate them; Write also checks the limits.
  explicit WriteBatch(std::string contents);

  // Adds a change to a family; without one, to the default family.
  Status Put(ColumnFamilyHandle* family, const Slice& key, const Slice& value);
  Status Put(const Slice& key, const Slice& value);
  Status Delete(ColumnFamilyHandle* family, const Slice& key);
  Status Delete(const Slice& key);
  // Adds a deletion of a key that was Put once, and neither merged nor deleted
  // by Delete, since its last SingleDelete (or ever). Compaction removes the
  // Put and the SingleDelete together. For any other key, older versions may
  // reappear: compaction may have kept the Put and dropped what it superseded,
  // for example a Delete that hid them.
  Status SingleDelete(ColumnFamilyHandle* family, const Slice& key);
  Status SingleDelete(const Slice& key);
  // Adds a deletion of the keys in [begin, end). DB::Write checks the order of
  // the two with the family's comparator.
  Status DeleteRange(ColumnFamilyHandle* family, const Slice& begin,
                     const Slice& end);
  Status DeleteRange(const Slice& begin, const Slice& end);
  // Adds a merge operand (merge_operator.h).
  Status Merge(ColumnFamilyHandle* family, const Slice& key,
               const Slice& operand);
  Status Merge(const Slice& key, const Slice& operand);
  // Adds bytes to the log record without changing the database.
  Status PutLogData(const Slice& blob);

  // Appends the changes of `other`.
  Status Append(const WriteBatch& other);
  void Clear();

  uint32_t Count() const;
  const std::string& Data() const { return contents_; }
  size_t GetDataSize() const { return contents_.size(); }

  // Receives the changes in order. A Status other than OK stops Iterate, which
  // returns it. Methods not overridden return NotSupported, and LogData does
  // nothing.
  class Handler {
   public:
    virtual ~Handler();
    virtual Status PutCF(uint32_t family, const Slice& key, const Slice& value);
    virtual Status DeleteCF(uint32_t family, const Slice& key);
    virtual Status SingleDeleteCF(uint32_t family, const Slice& key);
    virtual Status DeleteRangeCF(uint32_t family, const Slice& begin,
                                 const Slice& end);
    virtual Status MergeCF(uint32_t family, const Slice& key,
                           const Slice& operand);
    virtual void LogData(const Slice& blob);
  };
  // Calls the handler for each change. Returns Corruption if the bytes are
  // malformed or the count is wrong, NotSupported if this release lacks a kind
  // of change, which the message names.
  Status Iterate(Handler* handler) const;

 private:
  friend class WriteBatchInternal;
  std::string contents_;
  // Whether all changes are puts, deletions and log data, added one at a time
  // to the default family. Such a batch needs no checks when it is written.
  bool plain_ = true;
};

}  // namespace tamis
