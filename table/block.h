// SPDX-License-Identifier: Apache-2.0
//
// A block in memory: its layout, and an iterator over its entries. The bytes
// are untrusted: malformed ones yield Corruption, naming file and offset.
//
//   block  := entry* | [values] | restart u32 * n | [bucket u8 * m | m u16]
//             | [values begin u32] | packed u32
//   packed := n in bits 0-27, flags above:
//             28 values separate from keys (RocksDB 11 and later)
//             29 restarts are uniform    a hint: ignored
//             30 reserved                Corruption
//             31 hash index (data_block_hash_index.h)
//
// In an index block with delta-encoded handles, an entry has no value_len. Its
// value is a full handle if the entry shares no key bytes. Otherwise it is the
// difference to the previous entry's size, and the block starts where the
// previous one ends.
//
// With bit 28 set, an entry ends with its key. An entry at a restart point
// stores where its value begins in the values section; the values of the
// entries after it follow contiguously:
//
//   entry := shared | non_shared | value_len | [value_offset] | key[shared..]
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tamis/slice.h"
#include "tamis/status.h"

#include "table/format.h"
#include "table/internal_iterator.h"
#include "table/internal_key.h"
#include "table/key_buffer.h"
#include "util/base/result.h"
#include "util/cache/block_buffer.h"

namespace tamis {

// Location of a block, for messages. `file` must outlive it.
struct BlockOrigin {
  const std::string* file = nullptr;
  uint64_t offset = 0;

  // Corruption "<file>: block at offset <n>: <what>".
  Status Corruption(const std::string& what) const;
};

// The sections of a block. Borrows the bytes.
struct BlockParts {
  const char* data = "";
  uint32_t entries_end = 0;  // offset
  uint32_t restarts = 0;     // offset of the array
  uint32_t num_restarts = 0;
  uint32_t values_begin = 0;  // offset; 0: values are within the entries
  uint16_t num_buckets = 0;   // after the restarts; 0: no hash index

  // OK if the bytes have the layout of a block; does not check the entries.
  static Status Parse(const Slice& block, const BlockOrigin& origin,
                      BlockParts* parts);

  uint32_t RestartOffset(uint32_t i) const {
    return DecodeFixed32(data + restarts + i * sizeof(uint32_t));
  }
  const char* buckets() const {
    return data + restarts + num_restarts * sizeof(uint32_t);
  }
};

// The types of a block's keys and values.
struct BlockFormat {
  enum class Keys : uint8_t { kInternal, kUser, kBytewise };
  enum class Values : uint8_t {
    kLengthPrefixed,
    kHandle,              // delta-encoded, without value_len
    kHandleWithFirstKey,  // the same, followed by varint32 | key
  };

  Keys keys = Keys::kBytewise;
  Values values = Values::kLengthPrefixed;
  const KeyOrder* order = nullptr;  // outlives users; nullptr: kBytewise only
};

// Iterates over one block; reusable for one block after another. It is a member
// of other iterators or on the stack, and not virtual, unlike an
// InternalIterator.
//
// Entries can only be decoded forward. Prev() decodes those between a restart
// point and the current entry, and caches them for further calls:
//
//   restart ──▶ e ──▶ e ──▶ e ──▶ (previous position)
//              [   cached   ]└ current
//
// One thread. Not Valid() before Open and after an error.
class BlockIterator {
 public:
  BlockIterator() = default;
  BlockIterator(const BlockIterator&) = delete;
  BlockIterator& operator=(const BlockIterator&) = delete;

  // Takes over the block; a side of its buffer holds its tags (block_tags.h).
  // Leaves the iterator unpositioned. Reports a malformed block in status().
  void Open(PinnedBytes block, const BlockFormat& format,
            const BlockOrigin& origin);
  // Releases the block.
  void Close();

  bool Valid() const { return entry_.valid; }
  const Status& status() const { return status_; }

  void SeekToFirst();
  void SeekToLast();
  // Moves to the first entry >= target, a key of the format's type.
  void Seek(const Slice& target);
  // Seek for a point read, through the hash index if the block has one. Finds
  // the same entry as Seek or, if no entry >= target has target's user key,
  // possibly an entry of another user key. False: if not Valid() now, the next
  // block may hold the key, regardless of the separator.
  // REQUIRES: internal keys
  bool SeekForGet(const Slice& target) {
    if (parts_.num_buckets != 0) [[unlikely]]
      return SeekByHash(target);
    Seek(target);
    return true;
  }
  // Moves to the last entry <= target.
  void SeekForPrev(const Slice& target);

  // REQUIRES: Valid(), for all below. Slices are valid until the next move.
  void Next();
  void Prev();
  Slice key() const { return entry_.key; }
  Slice value() const { return entry_.value; }
  // REQUIRES: values == kHandle or kHandleWithFirstKey
  const BlockHandle& handle() const { return handle_; }

  // Valid(), key() and value() as a struct; valid as long as *this.
  const IteratorEntry* entry() const { return &entry_; }

  // The reference to the block. It may be moved from; the iterator must not be
  // moved to another position afterwards.
  PinnedBytes* pin() { return &pin_; }
  const BlockOrigin& origin() const { return origin_; }

 private:
  int Compare(const Slice& a, const Slice& b) const {
    switch (format_.keys) {
      case BlockFormat::Keys::kInternal:
        return format_.order->Compare(a, b);
      case BlockFormat::Keys::kUser:
        return format_.order->CompareUserKeys(a, b);
      case BlockFormat::Keys::kBytewise:
        break;
    }
    return a.compare(b);
  }
  // An entry decoded before the current one.
  struct StepBack {
    uint32_t offset;
    uint32_t next;
    size_t key_begin;  // in StepsBack::keys
    size_t key_size;
    Slice value;
    BlockHandle handle;
  };
  struct StepsBack {
    std::vector<StepBack> steps;  // the first num_steps_back_ of them
    std::vector<char> keys;
  };

  // Decodes the entry at `offset`; shared key bytes come from the current
  // entry. False: end of block, or corrupt.
  bool ReadEntry(uint32_t offset);
  // The general case of ReadEntry.
  bool ReadAnyEntry(uint32_t offset);
  // As above, in a block with separate values.
  bool ReadKeyEntry(uint32_t offset, bool at_restart);
  // Decodes the entry of restart point i, which shares nothing.
  bool ReadRestart(uint32_t i);
  bool ReadRestartKey(uint32_t i, Slice* key);
  const char* ReadHandle(const char* p, const char* limit, bool whole);
  // Advances until the next entry begins at `stop`.
  void ScanUpTo(uint32_t stop);
  void KeepStepBack();
  void TakeStepBack();
  // The last restart point before offset `stop`. REQUIRES: stop > 0
  uint32_t RestartBefore(uint32_t stop) const;
  bool FindRestartBefore(const Slice& target, uint32_t* found);
  bool SeekByHash(const Slice& target);
  bool SeekByTags(const Slice& target);
  bool Corrupt(uint32_t offset, const char* what);
  // Makes the iterator invalid.
  void Leave() { entry_.valid = false; }

  BlockParts parts_;
  uint32_t current_ = 0;  // offset of the current entry
  uint32_t next_ = 0;     // offset of the next entry
  uint32_t restart_ = 0;  // last one passed; only with separate values
  // Entries begin with their three lengths and contain their values.
  bool plain_ = false;
  size_t key_bytes_min_ = 0;
  uint32_t restart_back_ = 0;  // where the last Prev() started decoding
  uint32_t num_steps_back_ = 0;
  IteratorEntry entry_;
  BlockHandle handle_;
  BlockFormat format_;
  BlockOrigin origin_;
  Status status_;
  PinnedBytes pin_;
  KeyBuffer key_buffer_;
  // Allocated by the first Prev(), and kept for later blocks.
  std::unique_ptr<StepsBack> steps_back_;
};

}  // namespace tamis
