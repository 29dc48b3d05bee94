// SPDX-License-Identifier: Apache-2.0
//
// A WriteBatchWithIndex is a WriteBatch that can be read: it answers a Get from
// its changes and, under them, from a database, and iterates over both.
//
//   GetFromBatchAndDB(key):    batch ──▶ the newest change of the key
//                                │ none, or merge operands alone
//                                ▼
//                              database
//
// Each change costs an index entry of about 80 bytes beside its bytes in the
// batch. It takes no deletions of ranges: DeleteRange returns NotSupported.
//
// Threads: const members from any; others from one at a time.
// Lifetime: iterators must be deleted before the batch. The iterator of
// NewIteratorWithBase shows changes that are made while it exists, from its
// next move on; the bytes of its key() and value() stay valid until then. An
// iterator of NewIterator must not be used after RollbackToSavePoint or Clear.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tamis/comparator.h"
#include "tamis/export.h"
#include "tamis/options.h"
#include "tamis/slice.h"
#include "tamis/status.h"
#include "tamis/write_batch.h"

namespace tamis {

class ColumnFamilyHandle;
class DB;
class Iterator;

// What a change is.
enum WriteType {
  kPutRecord,
  kMergeRecord,
  kDeleteRecord,
  kSingleDeleteRecord,
  kDeleteRangeRecord,  // never in a batch with an index
  kLogDataRecord,      // never in the index
};

// A change. Borrows the batch's bytes, which a later addition may move.
struct WriteEntry {
  // The change: its kind, the key, and the value or operand.
  WriteType type = kPutRecord;
  Slice key;
  Slice value;  // of a put; the operand of a merge
};

// Iterates over the changes of one column family: ascending by key, the changes
// of a key in the order of their addition.
class TAMIS_EXPORT WBWIIterator {
 public:
  virtual ~WBWIIterator();
  // Whether there is a change here.
  virtual bool Valid() const = 0;
  // Move to the first or the last change.
  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;

  virtual void Seek(const Slice& key) = 0;         // the first change >= key
  virtual void SeekForPrev(const Slice& key) = 0;  // the last change <= key
  // REQUIRES: Valid(), for all below.
  virtual void Next() = 0;
  virtual void Prev() = 0;
  virtual WriteEntry Entry() const = 0;
  // Always returns OK.
  virtual Status status() const = 0;
};

class TAMIS_EXPORT WriteBatchWithIndex {
 public:
  // `backup_index_comparator` orders the keys of changes that name no family,
  // which go to the default one: it must be that family's. Those that name one
  // use its comparator. With `overwrite_key`, an iterator of NewIterator shows
  // of each key only the newest change, and merges with what they are upon; all
  // other calls, and the written batch, are the same. max_bytes: see
  // WriteBatch::SetMaxBytes.
  explicit WriteBatchWithIndex(
      const Comparator* backup_index_comparator = BytewiseComparator(),
      size_t reserved_bytes = 0, bool overwrite_key = false,
      size_t max_bytes = 0);
  ~WriteBatchWithIndex();
  // The source may then only be destroyed.
  WriteBatchWithIndex(WriteBatchWithIndex&& other) noexcept;
  // The same.
  WriteBatchWithIndex& operator=(WriteBatchWithIndex&& other) noexcept;

  // Add a change, as those of WriteBatch do, and fail like them, or with
  // MemoryLimit if there is no memory for the index.
  Status Put(ColumnFamilyHandle* family, const Slice& key, const Slice& value);
  Status Put(const Slice& key, const Slice& value);
  Status Merge(ColumnFamilyHandle* family, const Slice& key,
               const Slice& operand);
  Status Merge(const Slice& key, const Slice& operand);
  Status Delete(ColumnFamilyHandle* family, const Slice& key);
  Status Delete(const Slice& key);
  Status SingleDelete(ColumnFamilyHandle* family, const Slice& key);
  Status SingleDelete(const Slice& key);
  // Return NotSupported.
  Status DeleteRange(ColumnFamilyHandle* family, const Slice& begin,
                     const Slice& end);
  Status DeleteRange(const Slice& begin, const Slice& end);
  // As that of WriteBatch.
  Status PutLogData(const Slice& blob);

  // Removes changes, log data and save points.
  void Clear();
  // As those of WriteBatch.
  void SetSavePoint();
  Status RollbackToSavePoint();
  Status PopSavePoint();
  void SetMaxBytes(size_t max_bytes);
  size_t GetDataSize() const;

  // Returns the batch to pass to DB::Write. It must not be changed but through
  // *this, and only by what DB::Write does.
  WriteBatch* GetWriteBatch();
  const WriteBatch* GetWriteBatch() const;

  // Return an iterator over the changes, which the caller deletes.
  WBWIIterator* NewIterator(ColumnFamilyHandle* family) const;
  WBWIIterator* NewIterator() const;  // of the default family

  // Returns an iterator over the keys of `base_iterator` as they were if the
  // batch was written. Takes over `base_iterator`, which must be of a DB's
  // family, this one. Of the options, the two bounds apply to the changes; they
  // should be those of the base iterator.
  Iterator* NewIteratorWithBase(ColumnFamilyHandle* family,
                                Iterator* base_iterator,
                                const ReadOptions* options = nullptr) const;
  // Does the same for the default family of a database. Without a merge
  // operator: a key with operands ends the iteration with NotSupported.
  Iterator* NewIteratorWithBase(Iterator* base_iterator) const;

  // Read the key from the changes alone. Return NotFound if the newest change
  // deletes the key, or there is none; MergeInProgress if its value depends on
  // the database, or if there are operands and no merge operator: the operator
  // is that of the family. The options are not used.
  Status GetFromBatch(ColumnFamilyHandle* family, const DBOptions& options,
                      const Slice& key, std::string* value) const;
  Status GetFromBatch(const DBOptions& options, const Slice& key,
                      std::string* value) const;

  // Return what DB::Get would if the batch was written. The options apply to
  // the read of the database, also a snapshot: it does not hide changes.
  Status GetFromBatchAndDB(DB* db, const ReadOptions& options,
                           ColumnFamilyHandle* family, const Slice& key,
                           PinnableSlice* value) const;
  Status GetFromBatchAndDB(DB* db, const ReadOptions& options, const Slice& key,
                           PinnableSlice* value) const;
  Status GetFromBatchAndDB(DB* db, const ReadOptions& options,
                           ColumnFamilyHandle* family, const Slice& key,
                           std::string* value) const;
  Status GetFromBatchAndDB(DB* db, const ReadOptions& options, const Slice& key,
                           std::string* value) const;
  // Does the same for several keys; those that the batch does not answer are
  // read by one DB::MultiGet. `sorted_input` is not used.
  void MultiGetFromBatchAndDB(DB* db, const ReadOptions& options,
                              ColumnFamilyHandle* family, size_t num_keys,
                              const Slice* keys, PinnableSlice* values,
                              Status* statuses, bool sorted_input) const;

 private:
  friend class IndexedBatch;
  std::unique_ptr<class IndexedBatch> rep_;
};

}  // namespace tamis
