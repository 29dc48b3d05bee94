// SPDX-License-Identifier: Apache-2.0
//
// A SavedValue keeps the value of an entry that an iterator has left. A small
// value is copied; of a large one the block is pinned, if it is resident.
//
// One thread.
#pragma once

#include <cstddef>
#include <string>

#include "tamis/slice.h"

#include "table/internal_iterator.h"
#include "util/cache/block_buffer.h"

namespace tamis {

class SavedValue {
 public:
  // Saves the value of the current entry, which *this may need until Release.
  // REQUIRES: entries->Valid().
  void Save(InternalIterator* entries) {
    const Slice value = entries->value();
    if (value.size() >= kPinnedBytesMin && entries->PinValue(&pinned_)) {
      value_ = value;
      return;
    }
    copy_.assign(value.data(), value.size());
    value_ = copy_;
  }
  // Saves the value, and leaves other bytes in *value.
  void Swap(std::string* value) {
    copy_.swap(*value);
    value_ = copy_;
  }
  // Valid until the next change.
  const Slice& get() const { return value_; }

  // Forgets the value and unpins its block.
  void Release() {
    pinned_.Reset();
    value_ = Slice();
  }
  // Forgets the value without touching its block, which is another process's.
  void Abandon() { pinned_.Release(); }

 private:
  // A smaller value is copied in less time than its block is pinned.
  static constexpr size_t kPinnedBytesMin = 512;

  Slice value_;  // in copy_, in a memtable, or in a block that pinned_ keeps
  std::string copy_;  // keeps its memory
  PinnedBytes pinned_;
};

}  // namespace tamis
