// SPDX-License-Identifier: Apache-2.0
//
// Builds one block: sorted entries whose keys leave out what they share with
// the key before, and the array of restarts, where a whole key stands.
//
//   entry := shared varint32 | non_shared varint32 | value_len varint32
//            | key[shared..] | value
//   block := entry* | restart u32 * n | n u32
//
// A block of handles (index, filter partition index) leaves value_len out.
//
// One thread. Calls: (Add* Finish Reset)*
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tamis/slice.h"

namespace tamis {

class BlockBuilder {
 public:
  enum class ValueForm : uint8_t {
    kLengthPrefixed,
    kHandle,  // value_len left out; REQUIRES: restart_interval == 1, so that
              // every entry shares nothing and carries its handle in full
  };

  explicit BlockBuilder(int restart_interval,
                        ValueForm form = ValueForm::kLengthPrefixed);

  // REQUIRES: behind every key before it in the block's order.
  void Add(const Slice& key, const Slice& value);
  // The whole block; lives until Reset.
  Slice Finish();
  void Reset();

  bool empty() const { return num_entries_ == 0; }
  size_t num_entries() const { return num_entries_; }
  // Bytes that Finish would give now.
  size_t CurrentSize() const {
    return buffer_.size() + sizeof(uint32_t) * (restarts_.size() + 1);
  }
  // Whether the next key is stored whole.
  bool AtRestart() const { return since_restart_ >= restart_interval_; }

 private:
  const int restart_interval_;
  const ValueForm form_;
  std::string buffer_;
  std::vector<uint32_t> restarts_;
  int since_restart_ = 0;
  size_t num_entries_ = 0;
  std::string last_key_;
};

// RocksDB's rule for where blocks end: whether a block that holds `current`
// bytes is closed before an entry of so many bytes, rather than overfilled.
struct BlockCutRule {
  uint64_t target = 4096;      // bytes
  int deviation_percent = 10;  // within it, closing beats overfilling

  bool ShouldCut(uint64_t current, size_t key_bytes, size_t value_bytes,
                 bool at_restart) const;
};

}  // namespace tamis
