// SPDX-License-Identifier: Apache-2.0
//
// Builds one block: sorted entries, whose keys omit the prefix shared with the
// previous key, and an array of restart points, where keys are complete.
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
    // Entries per bucket of the hash index, for internal keys. 0: none. The
    // index is also omitted if the block cannot have one.
    double hash_util_ratio = 0;
  };

  explicit BlockBuilder(const Options& options);
  explicit BlockBuilder(int restart_interval,
                        ValueForm form = ValueForm::kLengthPrefixed)
      : BlockBuilder(
            Options{.restart_interval = restart_interval, .form = form}) {}

  // REQUIRES: key is greater than all before it, in the block's order; the form
  // is kLengthPrefixed.
  void Add(const Slice& key, const Slice& value);
  // As Add; the caller knows the length of key's common prefix with last_key().
  void AddSharing(size_t in_common, const Slice& key, const Slice& value);
  // As Add, for kHandle. Appends `more` to the handle unchanged.
  void AddHandle(const Slice& key, const BlockHandle& handle,
                 const Slice& more = Slice());
  // The last key added, even after Reset; empty: none. Valid until the next
  // Add.
  Slice last_key() const { return last_key_.bytes(); }
  // Returns the block; valid until Reset.
  Slice Finish();
  // As Finish, into *block, then Reset. Replaces the contents of *block and
  // reuses its memory for the next block.
  void FinishInto(ByteBuffer* block);
  void Reset();

  bool empty() const { return num_entries_ == 0; }
  size_t num_entries() const { return num_entries_; }
  ValueForm form() const { return options_.form; }
  // The size that Finish would return now. Above kHashIndexBlockBytesMax, it
  // still includes a hash index that Finish would omit.
  size_t CurrentSize() const {
    return PlainSize() + (hash_index_ && hash_index_->fits()
                              ? hash_index_->CurrentSize()
                              : 0);
  }
  // True if the next key will be stored completely.
  bool AtRestart() const { return since_restart_ >= options_.restart_interval; }

 private:
  size_t PlainSize() const {
    return buffer_.size() + sizeof(uint32_t) * (restarts_.size() + 1);
  }
  // Bytes that the next key omits. Starts a restart interval when due.
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

// RocksDB's rule for ending blocks: decides whether to close a block before the
// next entry rather than overfill it.
struct BlockCutRule {
  uint64_t target = 4096;      // bytes
  int deviation_percent = 10;  // this close to target, close, do not overfill
  // Blocks with trailers are stored in pages of `target` bytes: a block that
  // would exceed its page is closed, however small it is.
  bool align = false;

  // REQUIRES: !block.empty()
  bool ShouldCut(const BlockBuilder& block, size_t key_bytes,
                 size_t value_bytes) const;
  // Blocks smaller than this are never closed.
  uint64_t NeverCutBelow() const {
    return align ? 0 : std::min(BytesToKeep(), target);
  }

 private:
  // Minimum size within the deviation; 0: any.
  uint64_t BytesToKeep() const;
};

}  // namespace tamis
