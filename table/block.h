// SPDX-License-Identifier: Apache-2.0
//
// The layout of a block, and an iterator over its entries. The bytes are
// untrusted: malformed ones yield Corruption, which names file and offset.
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

// The location of a block, for messages. `file` must outlive *this.
struct BlockOrigin {
  const std::string* file = nullptr;
  uint64_t offset = 0;

  // Returns Corruption "<file>: block at offset <n>: <what>".
  Status Corruption(const std::string& what) const;
};

// The sections of a block, whose bytes must outlive *this.
struct BlockParts {
  const char* data = "";
  uint32_t entries_end = 0;  // offset
  uint32_t restarts = 0;     // offset of the array
  uint32_t num_restarts = 0;
  uint32_t values_begin = 0;  // offset; 0 if entries contain values
  uint16_t num_buckets = 0;   // 0 if there is no hash index

  // Sets *parts. Returns Corruption if the bytes do not have the layout of a
  // block. Does not check the entries.
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
  const KeyOrder* order = nullptr;  // must outlive *this; nullptr if kBytewise
};

// Iterates over the entries of one block after another. It is not virtual,
// unlike an InternalIterator: other iterators contain it, or it is on the
// stack.
//
// Entries can only be decoded forward. Prev() decodes the entries between a
// restart point and the current one, and caches them for further calls:
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

  // Takes over the block, whose buffer may have tags in its side
  // (block_tags.h). Leaves the iterator without a position. Reports a malformed
  // block in status().
  void Open(PinnedBytes block, const BlockFormat& format,
            const BlockOrigin& origin);
  // Releases the block.
  void Close();

  // Shows an entry of a block before it is opened. Only Open and Close may
  // follow. REQUIRES: closed; key and value are valid until then.
  void ShowBeforeOpen(const Slice& key, const Slice& value) {
    entry_ = {.valid = true, .key = key, .value = value};
  }
  // Moves to an entry that was read while only a part of the block was known:
  // from `offset` to `end`, with this internal key and value. Returns false and
  // does not move if the block's entries have another form or end before `end`.
  // REQUIRES: the block was opened without error
  bool TryMoveTo(uint32_t offset, uint32_t end, const Slice& key,
                 const Slice& value);

  bool Valid() const { return entry_.valid; }
  const Status& status() const { return status_; }

  void SeekToFirst();
  void SeekToLast();
  // Moves to the first entry >= target, a key of the format's type.
  void Seek(const Slice& target);
  // Seeks for a point read, through the hash index if the block has one. Moves
  // to the same entry as Seek or, if no entry >= target has target's user key,
  // possibly to an entry of another user key. Returns false if the hash index
  // determined the position: if the iterator is then not Valid(), the next
  // block may hold the key, whatever the separator between the two.
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

  // Returns Valid(), key() and value() as a struct, which lives as long as
  // *this.
  const IteratorEntry* entry() const { return &entry_; }

  // Returns the reference to the block. The caller may move from it, but must
  // not reposition the iterator afterwards.
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

  // Decodes the entry at `offset`, which takes its shared key bytes from the
  // current entry. Returns false at the end of the block or if it is corrupt.
  bool ReadEntry(uint32_t offset);
  // Decodes an entry of any form.
  bool ReadAnyEntry(uint32_t offset);
  // Decodes an entry of a block with separate values.
  bool ReadKeyEntry(uint32_t offset, bool at_restart);
  // Decodes the entry of restart point i, which shares nothing.
  bool ReadRestart(uint32_t i);
  bool ReadRestartKey(uint32_t i, Slice* key);
  const char* ReadHandle(const char* p, const char* limit, bool whole);
  // Advances until the next entry begins at `stop`.
  void ScanUpTo(uint32_t stop);
  void KeepStepBack();
  void TakeStepBack();
  // Returns the last restart point before offset `stop`. REQUIRES: stop > 0
  uint32_t RestartBefore(uint32_t stop) const;
  bool FindRestartBefore(const Slice& target, uint32_t* found);
  bool SeekByHash(const Slice& target);
  bool SeekByTags(const Slice& target);
  // Set status() and make the iterator invalid. Return false.
  bool Corrupt(const std::string& what);
  bool CorruptEntry(uint32_t offset, const char* what);
  bool CorruptRestart(uint32_t offset);
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
