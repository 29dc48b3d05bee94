// SPDX-License-Identifier: Apache-2.0
//
// Builds one block: sorted entries whose keys leave out what they share with
// the key before, and the array of restarts, where a whole key stands.
//
//   entry := shared varint32 | non_shared varint32 | value_len varint32
//            | key[shared..] | value
//   block := entry* | restart u32 * n | [hash index] | packed u32
//
// A block of handles (index, filter partition index) leaves value_len out. An
// entry there that shares nothing has its handle whole, any other the change
// in size to the handle before, whose end it begins at.
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
    kHandle,  // value_len left out
  };

  struct Options {
    int restart_interval = 1;
    ValueForm form = ValueForm::kLengthPrefixed;
    // Whether keys leave out what they share.
    bool share_prefixes = true;
    // Entries per bucket of a hash index, for internal keys; 0: none is
    // written, as where the block cannot have one.
    double hash_util_ratio = 0;
  };

  explicit BlockBuilder(const Options& options);
  explicit BlockBuilder(int restart_interval,
                        ValueForm form = ValueForm::kLengthPrefixed)
      : BlockBuilder(
            Options{.restart_interval = restart_interval, .form = form}) {}

  // REQUIRES: behind every key before it in the block's order. The form is
  // kLengthPrefixed.
  void Add(const Slice& key, const Slice& value);
  // The same, by one who knows how much the key has in common with last_key().
  void AddSharing(size_t in_common, const Slice& key, const Slice& value);
  // The same for kHandle. `more` is put behind the handle as it is.
  void AddHandle(const Slice& key, const BlockHandle& handle,
                 const Slice& more = Slice());
  // The key added last, Reset or not; empty: none was. Lives until the next.
  Slice last_key() const { return last_key_.bytes(); }
  // The whole block; lives until Reset.
  Slice Finish();
  // The same, into *block, and Reset. What *block held is gone; its memory is
  // used for the next.
  void FinishInto(ByteBuffer* block);
  void Reset();

  bool empty() const { return num_entries_ == 0; }
  size_t num_entries() const { return num_entries_; }
  ValueForm form() const { return options_.form; }
  // Bytes that Finish would give now. Over kHashIndexBlockBytesMax the hash
  // index in it is only planned.
  size_t CurrentSize() const {
    return PlainSize() + (hash_index_ && hash_index_->fits()
                              ? hash_index_->CurrentSize()
                              : 0);
  }
  // Whether the next key is stored whole.
  bool AtRestart() const { return since_restart_ >= options_.restart_interval; }

 private:
  size_t PlainSize() const {
    return buffer_.size() + sizeof(uint32_t) * (restarts_.size() + 1);
  }
  // How much of its key the next entry leaves out. Begins a restart if it is
  // time.
  size_t NextShared(size_t in_common);
  // Remembers the key as the one before.
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

// RocksDB's rule for where blocks end: whether a block is closed before an
// entry of so many bytes, rather than overfilled.
struct BlockCutRule {
  uint64_t target = 4096;      // bytes
  int deviation_percent = 10;  // within it, closing beats overfilling
  // Blocks and their trailers stand in pages of `target`: one that would run
  // over is closed, however little it holds.
  bool align = false;

  // REQUIRES: !block.empty()
  bool ShouldCut(const BlockBuilder& block, size_t key_bytes,
                 size_t value_bytes) const;
  // A block smaller than this is not cut, whatever comes.
  uint64_t NeverCutBelow() const {
    return align ? 0 : std::min(BytesToKeep(), target);
  }

 private:
  // Within the deviation; 0: all.
  uint64_t BytesToKeep() const;
};

}  // namespace tamis
