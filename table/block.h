// SPDX-License-Identifier: Apache-2.0
//
// A block in memory: its parts, and a walk over its entries. Nothing in it is
// trusted: what does not fit is Corruption that names file and offset.
//
//   block  := entry* | [values] | restart u32 * n | [bucket u8 * m | m u16]
//             | [values begin u32] | packed u32
//   packed := n in bits 0-27, flags above:
//             28 values stand apart from the keys (RocksDB 11 and later)
//             29 restarts are uniform    a hint: ignored
//             30 reserved                Corruption
//             31 hash index (data_block_hash_index.h)
//
// An entry of an index block whose handles are delta-encoded has no value_len;
// its value is a whole handle when it shares no key bytes, else the size as a
// difference to the entry before, whose end it begins at.
//
// With bit 28 an entry ends with its key. At a restart it says where among the
// values its own begins, the others have theirs one behind the other:
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

// Where a block came from, for messages. `file` outlives it.
struct BlockOrigin {
  const std::string* file = nullptr;
  uint64_t offset = 0;

  // Corruption "<file>: block at offset <n>: <what>".
  Status Corruption(const std::string& what) const;
};

// The parts of a block. Borrows the bytes.
struct BlockParts {
  const char* data = "";
  uint32_t entries_end = 0;  // offset
  uint32_t restarts = 0;     // offset of the array
  uint32_t num_restarts = 0;
  uint32_t values_begin = 0;  // offset; 0: each value stands in its entry
  uint16_t num_buckets = 0;   // 0: no hash index; else behind the restarts

  // OK for any bytes that are laid out like a block; entries are not looked
  // at.
  static Status Parse(const Slice& block, const BlockOrigin& origin,
                      BlockParts* parts);

  uint32_t RestartOffset(uint32_t i) const {
    return DecodeFixed32(data + restarts + i * sizeof(uint32_t));
  }
  const char* buckets() const {
    return data + restarts + num_restarts * sizeof(uint32_t);
  }
};

// What the entries of a block are.
struct BlockFormat {
  enum class Keys : uint8_t { kInternal, kUser, kBytewise };
  enum class Values : uint8_t {
    kLengthPrefixed,
    kHandle,              // delta-encoded, without value_len
    kHandleWithFirstKey,  // the same, and varint32 | key behind it
  };

  Keys keys = Keys::kBytewise;
  Values values = Values::kLengthPrefixed;
  const KeyOrder* order = nullptr;  // outlives; nullptr only for kBytewise
};

// A walk over one block, to live on the stack or inside an iterator, used for
// one block after another. Not an InternalIterator: nothing here is virtual.
//
// Entries can be read forward only. A step back reads those between a restart
// and the entry it comes from, and keeps them for the steps that follow:
//
//   restart ──▶ e ──▶ e ──▶ e ──▶ (came from here)
//              [ steps back  ]└ shown
//
// One thread. Before Open, and after an error, it is not Valid.
class BlockIterator {
 public:
  BlockIterator() = default;
  BlockIterator(const BlockIterator&) = delete;
  BlockIterator& operator=(const BlockIterator&) = delete;

  // Takes the block over. Where its node has a side, these are its tags
  // (block_tags.h). Not positioned yet; a malformed block shows in
  // status().
  void Open(PinnedBytes block, const BlockFormat& format,
            const BlockOrigin& origin);
  // Lets go of the block.
  void Close();

  bool Valid() const { return entry_.valid; }
  const Status& status() const { return status_; }

  void SeekToFirst();
  void SeekToLast();
  // The first entry at or behind target, which is a key of the format's kind.
  void Seek(const Slice& target);
  // What a point read needs of Seek, through the hash index where there is one:
  // the same entry, or one of another user key when no entry of the target's is
  // at or behind it. False: when it is not Valid then, the next block may have
  // one, whatever the separator between says.
  // REQUIRES: internal keys
  bool SeekForGet(const Slice& target) {
    if (parts_.num_buckets != 0) [[unlikely]]
      return SeekByHash(target);
    Seek(target);
    return true;
  }
  // The last entry at or before target.
  void SeekForPrev(const Slice& target);

  // REQUIRES: Valid(), for all below. Slices live until the next move.
  void Next();
  void Prev();
  Slice key() const { return entry_.key; }
  Slice value() const { return entry_.value; }
  // REQUIRES: values == kHandle or kHandleWithFirstKey
  const BlockHandle& handle() const { return handle_; }

  // Of all three, at any time; as long as *this lives.
  const WalkEntry* entry() const { return &entry_; }

  // The reference to the block; it may be taken, and the iterator is then not
  // to be moved any more.
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
  // An entry that was read on the way to where the walk stands.
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

  // Reads the entry at `offset`, key bytes shared with the one it stands at.
  // False: at the end, or corrupt.
  bool ReadEntry(uint32_t offset);
  // The same, of any kind.
  bool ReadAnyEntry(uint32_t offset);
  // The same, in a block whose values stand apart.
  bool ReadKeyEntry(uint32_t offset, bool at_restart);
  // The same for the entry of restart i, which shares nothing.
  bool ReadRestart(uint32_t i);
  bool ReadRestartKey(uint32_t i, Slice* key);
  const char* ReadHandle(const char* p, const char* limit, bool whole);
  // Passes over entries until `stop` is where the next one begins.
  void ScanUpTo(uint32_t stop);
  void KeepStepBack();
  void TakeStepBack();
  // The last restart before `stop`, an offset above 0.
  uint32_t RestartBefore(uint32_t stop) const;
  bool FindRestartBefore(const Slice& target, uint32_t* found);
  bool SeekByHash(const Slice& target);
  bool SeekByTags(const Slice& target);
  bool Corrupt(uint32_t offset, const char* what);
  // Stands nowhere from here on.
  void Leave() { entry_.valid = false; }

  BlockParts parts_;
  uint32_t current_ = 0;  // offset of the entry
  uint32_t next_ = 0;     // offset of the one behind it
  uint32_t restart_ = 0;  // the last one passed; only where values stand apart
  // Entries begin with their three lengths, values stand in them.
  bool plain_ = false;
  size_t key_bytes_min_ = 0;
  uint32_t restart_back_ = 0;  // where the last step back began to read
  uint32_t num_steps_back_ = 0;
  WalkEntry entry_;
  BlockHandle handle_;
  BlockFormat format_;
  BlockOrigin origin_;
  Status status_;
  PinnedBytes pin_;
  KeyBuffer key_buffer_;
  // Made for the first step back, and kept from block to block.
  std::unique_ptr<StepsBack> steps_back_;
};

}  // namespace tamis
