// SPDX-License-Identifier: Apache-2.0
//
// A MemTableEntry is one entry of a memtable. It is immutable and lives as long
// as the arena that it was allocated from:
//
//   internal key bytes u32 | value bytes u32 | internal key | value
//
// Any thread may read an entry that the creating thread published with release
// order.
#pragma once

#include <cstdint>

#include "tamis/slice.h"

#include "table/internal_key.h"
#include "util/base/arena.h"

namespace tamis {

class MemTableEntry {
 public:
  MemTableEntry(const MemTableEntry&) = delete;
  MemTableEntry& operator=(const MemTableEntry&) = delete;

  // Returns a new entry, with copies of key and value.
  static const MemTableEntry* New(const Slice& user_key, uint64_t tail,
                                  const Slice& value, Arena* arena);

  Slice key() const { return {bytes(), key_bytes_}; }
  Slice user_key() const {
    return {bytes(), key_bytes_ - kInternalKeyTailBytes};
  }
  uint64_t tail() const {
    return DecodeFixed64(bytes() + key_bytes_ - kInternalKeyTailBytes);
  }
  Slice value() const { return {bytes() + key_bytes_, value_bytes_}; }

 private:
  MemTableEntry(uint32_t key_bytes, uint32_t value_bytes)
      : key_bytes_(key_bytes), value_bytes_(value_bytes) {}
  const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }

  const uint32_t key_bytes_;
  const uint32_t value_bytes_;
};

// A MemTableTarget is the target of a search: a place between two entries.
struct MemTableTarget {
  Slice internal_key;
  // If true, the target is after an entry equal to internal_key; otherwise it
  // is before it.
  bool past = false;

  // Returns whether the target is after the entry.
  bool IsAfter(const MemTableEntry& entry, const KeyOrder& order) const {
    const int user_order =
        order.CompareUserKeys(entry.user_key(), ExtractUserKey(internal_key));
    if (user_order != 0) return user_order < 0;
    const uint64_t tail = ExtractTail(internal_key);
    return entry.tail() > tail || (past && entry.tail() == tail);
  }
};

}  // namespace tamis
