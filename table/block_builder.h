// SPDX-License-Identifier: Apache-2.0
//
// Builds blocks of sorted entries. A key omits the prefix that it shares with
// the previous key, except at restart points, whose offsets follow the entries.
//
//   entry := shared varint32 | non_shared varint32 | value_len varint32
//            | key[shared..] | value
//   block := entry* | restart u32 * n | [hash index] | packed u32
//
// A block of handles (index, filter partition index) omits value_len. There, an
// entry that shares nothing stores a full handle. Any other stores the
// difference to the previous handle's size, and its block starts where the
// previous one ends.
//
// One thread. Calls: (Add* Finish Reset)*
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tamis/slice.h"

#include "table/data_block_hash_index.h"
#include "table/format.h"
#include "util/base/byte_buffer.h"

namespace tamis {

class BlockBuilder {
 public:
  enum class ValueForm : uint8_t {
    kLengthPrefixed,
    kHandle,  // omits value_len
  };

  struct Options {
    int restart_interval = 1;
    ValueForm form = ValueForm::kLengthPrefixed;
    // Whether keys omit the shared prefix.
    bool share_prefixes = true;
    // Entries per bucket of the hash index, for internal keys; 0 for no index.
    // Blocks that cannot have an index (data_block_hash_index.h) get none.
    double hash_util_ratio = 0;
  };

  explicit BlockBuilder(const Options& options);
  explicit BlockBuilder(int restart_interval,
                        ValueForm form = ValueForm::kLengthPrefixed)
      : BlockBuilder(
            Options{.restart_interval = restart_interval, .form = form}) {}

  // Appends an entry. REQUIRES: key is greater than all before it, in the
  // block's order; the form is kLengthPrefixed.
  void Add(const Slice& key, const Slice& value);
  // Appends an entry as Add does. in_common is the length of the common prefix
  // of last_key() and key, which the caller knows already.
  void AddSharing(size_t in_common, const Slice& key, const Slice& value);
  // Appends an entry of the form kHandle: the handle, then `more`, unchanged.
  // REQUIRES: key is greater than all before it.
  void AddHandle(const Slice& key, const BlockHandle& handle,
                 const Slice& more = Slice());
  // Returns the last key added, even after Reset; an empty Slice if there is
  // none. Valid until the next Add.
  Slice last_key() const { return last_key_.bytes(); }
  // Returns the block, which is valid until Reset.
  Slice Finish();
  // Moves the finished block into *block, then resets. Reuses the previous
  // memory of *block for the next block.
  void FinishInto(ByteBuffer* block);
  void Reset();

  bool empty() const { return num_entries_ == 0; }
  size_t num_entries() const { return num_entries_; }
  ValueForm form() const { return options_.form; }
  // Returns the size of the block that Finish would return now. If it is above
  // kHashIndexBlockBytesMax, it includes a hash index that Finish omits.
  size_t CurrentSize() const {
    return PlainSize() + (hash_index_ && hash_index_->fits()
                              ? hash_index_->CurrentSize()
                              : 0);
  }
  // Returns whether the next key starts a restart interval.
  bool AtRestart() const { return since_restart_ >= options_.restart_interval; }

 private:
  size_t PlainSize() const {
    return buffer_.size() + sizeof(uint32_t) * (restarts_.size() + 1);
  }
  // Returns the bytes that the next key omits. Starts a restart interval when
  // due.
  size_t NextShared(size_t in_common);
  // Makes `key` the previous key.
  void Remember(const Slice& key);

  const Options options_;
  ByteBuffer buffer_;
  std::vector<uint32_t> restarts_;
  int since_restart_ = 0;
  size_t num_entries_ = 0;
  ByteBuffer last_key_;
  BlockHandle last_handle_;
  std::optional<DataBlockHashIndexBuilder> hash_index_;
};

// RocksDB's rule for ending blocks. It decides whether to end a block before
// the next entry rather than overfill it.
struct BlockCutRule {
  uint64_t target = 4096;      // bytes
  int deviation_percent = 10;  // a block this close to target is not overfilled
  // Blocks with trailers are stored in pages of `target` bytes. A block that
  // would exceed its page is ended, however small it is.
  bool align = false;

  // Returns whether the block must end before an entry of these sizes.
  // REQUIRES: !block.empty()
  bool ShouldCut(const BlockBuilder& block, size_t key_bytes,
                 size_t value_bytes) const;
  // Returns a size below which ShouldCut always returns false.
  uint64_t NeverCutBelow() const {
    return align ? 0 : std::min(BytesToKeep(), target);
  }

 private:
  // Returns the minimum size within the deviation; 0 if only full blocks end.
  uint64_t BytesToKeep() const;
};

}  // namespace tamis
