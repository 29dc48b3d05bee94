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
#include <vector>

#include "tamis/export.h"
#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

class ColumnFamilyHandle;

class TAMIS_EXPORT WriteBatch {
 public:
  // Limits. A change beyond one fails with InvalidArgument, which names the
  // limit, and leaves the batch unchanged. Total bytes of a batch:
  static constexpr uint64_t kMaxBytes = (uint64_t{1} << 32) - 1;
  // Bytes of key plus value (begin and end, key and operand) of one change: the
  // most that a table's block can store.
  static constexpr uint64_t kMaxEntryBytes = (uint64_t{3} << 30) - 8;

  WriteBatch();
  // Reserves memory for `reserved_bytes` bytes; max_bytes: see SetMaxBytes.
  explicit WriteBatch(size_t reserved_bytes, size_t max_bytes = 0);
  // Adopts the bytes that Data() of another batch returned. Iterate and Write
  // validate them; Write also checks the limits.
  explicit WriteBatch(std::string contents);

  // Adds a change to a family; without one, to the default family.
  Status Put(ColumnFamilyHandle* family, const Slice& key, const Slice& value);
  Status Put(const Slice& key, const Slice& value);
  // Adds a deletion of the key.
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

  // These do the same with keys and values that are concatenations of parts.
  Status Put(ColumnFamilyHandle* family, const SliceParts& key,
             const SliceParts& value);
  Status Put(const SliceParts& key, const SliceParts& value);
  Status Delete(ColumnFamilyHandle* family, const SliceParts& key);
  Status Delete(const SliceParts& key);
  Status SingleDelete(ColumnFamilyHandle* family, const SliceParts& key);
  Status SingleDelete(const SliceParts& key);
  Status DeleteRange(ColumnFamilyHandle* family, const SliceParts& begin,
                     const SliceParts& end);
  Status DeleteRange(const SliceParts& begin, const SliceParts& end);
  Status Merge(ColumnFamilyHandle* family, const SliceParts& key,
               const SliceParts& operand);
  Status Merge(const SliceParts& key, const SliceParts& operand);

  // Adds bytes to the log record without changing the database.
  Status PutLogData(const Slice& blob);

  // Appends the changes of `other`.
  Status Append(const WriteBatch& other);
  // Removes changes, log data and save points.
  void Clear();

  // Adds a save point to those of the batch. May throw std::bad_alloc.
  void SetSavePoint();
  // Removes the newest save point, and what was added since it was set. Returns
  // NotFound if there is none.
  Status RollbackToSavePoint();
  // Removes the newest save point alone. Returns NotFound if there is none.
  Status PopSavePoint();

  // Limits GetDataSize(), by default not (0). An addition beyond the limit
  // fails with MemoryLimit and leaves the batch unchanged.
  void SetMaxBytes(size_t max_bytes) { max_bytes_ = max_bytes; }

  // The number of changes.
  uint32_t Count() const;

  // The bytes of the batch, as a log has them, and their number.
  const std::string& Data() const { return contents_; }
  size_t GetDataSize() const { return contents_.size(); }

  // Return whether the batch has such a change, in time proportional to its
  // size. Changes behind a malformed one do not count.
  bool HasPut() const;
  bool HasDelete() const;
  bool HasSingleDelete() const;
  bool HasDeleteRange() const;
  bool HasMerge() const;

  // Receives the changes in order. A Status other than OK stops Iterate, which
  // returns it. By default, the functions with a family call those without one
  // for the default family, and return InvalidArgument for others.
  // DeleteRangeCF returns it for all. The functions without a family do nothing
  // by default.
  class Handler {
   public:
    virtual ~Handler();

    // Each is called for the change of its name; LogData for what PutLogData
    // added.
    virtual Status PutCF(uint32_t family, const Slice& key, const Slice& value);
    virtual void Put(const Slice& key, const Slice& value);
    virtual Status DeleteCF(uint32_t family, const Slice& key);
    virtual void Delete(const Slice& key);
    virtual Status SingleDeleteCF(uint32_t family, const Slice& key);
    virtual void SingleDelete(const Slice& key);
    virtual Status DeleteRangeCF(uint32_t family, const Slice& begin,
                                 const Slice& end);
    virtual Status MergeCF(uint32_t family, const Slice& key,
                           const Slice& operand);
    virtual void Merge(const Slice& key, const Slice& operand);
    virtual void LogData(const Slice& blob);

    // Called before each change and each log data. If it returns false, Iterate
    // ends and returns OK. Returns true by default.
    virtual bool Continue();
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
  size_t max_bytes_ = 0;  // 0: no limit
  // What to return to.
  struct SavePoint {
    size_t bytes;
    uint32_t count;
    bool plain;
  };
  std::vector<SavePoint> save_points_;  // newest last
};

}  // namespace tamis
