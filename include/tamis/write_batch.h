// SPDX-License-Identifier: Apache-2.0
//
// A WriteBatch collects changes that are applied together: all or, after a
// crash, none. Later changes of the same key win.
//
// Its bytes are what a log record holds:
//
//   sequence  fixed64 | count  fixed32 | record*
//   record := tag  u8 | [family  varint32] | key  str | [value  str]
//   str    := length  varint32 | bytes
//
// Of a DeleteRange, key is the begin and value the end.
//
// Threads: const members from any thread; changes from one at a time.
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
  // Limits, each named in the InvalidArgument of a change that would pass it,
  // after which the batch is as it was. Bytes of all changes together:
  static constexpr uint64_t kMaxBytes = (uint64_t{1} << 32) - 1;
  // Bytes of the key and the value (begin and end, operand) of one change: what
  // a block of a table can take.
  static constexpr uint64_t kMaxEntryBytes = (uint64_t{3} << 30) - 8;

  WriteBatch();
  // Adopts the bytes of another batch, as Data() gave them. They are checked
  // when the batch is iterated or written, limits when it is written.
  explicit WriteBatch(std::string contents);

  // The default family where none is named.
  Status Put(ColumnFamilyHandle* family, const Slice& key, const Slice& value);
  Status Put(const Slice& key, const Slice& value);
  Status Delete(ColumnFamilyHandle* family, const Slice& key);
  Status Delete(const Slice& key);
  // As Delete, of a key that was Put once, and neither merged nor deleted by
  // Delete, since it was last SingleDeleted (or ever): put and deletion then
  // vanish when they meet. Of any other key older versions may come back, since
  // the put may by then have taken the place of what had hidden them.
  Status SingleDelete(ColumnFamilyHandle* family, const Slice& key);
  Status SingleDelete(const Slice& key);
  // Deletes [begin, end). Which of the two is first is known, and checked, when
  // the batch is written.
  Status DeleteRange(ColumnFamilyHandle* family, const Slice& begin,
                     const Slice& end);
  Status DeleteRange(const Slice& begin, const Slice& end);
  // See merge_operator.h.
  Status Merge(ColumnFamilyHandle* family, const Slice& key,
               const Slice& operand);
  Status Merge(const Slice& key, const Slice& operand);
  // Bytes that go to the log with the batch and change nothing.
  Status PutLogData(const Slice& blob);

  // Appends the changes of `other`.
  Status Append(const WriteBatch& other);
  void Clear();

  uint32_t Count() const;
  const std::string& Data() const { return contents_; }
  size_t GetDataSize() const { return contents_.size(); }

  // Receives the changes in order. A Status that is not OK ends the walk and
  // becomes its result. NotSupported from what is not overridden.
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
  // Corruption when the bytes are not a batch or the count is wrong;
  // NotSupported, naming it, for a kind of change that this release lacks.
  Status Iterate(Handler* handler) const;

 private:
  friend class WriteBatchInternal;
  std::string contents_;
  // Nothing but puts, deletions and log data, added one by one to the default
  // family: a write has nothing left to check.
  bool plain_ = true;
};

}  // namespace tamis
