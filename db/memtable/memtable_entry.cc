// SPDX-License-Identifier: Apache-2.0
#include "db/memtable/memtable_entry.h"

#include <cstring>
#include <new>
#include <type_traits>

#include "util/base/check.h"

namespace tamis {

const MemTableEntry* MemTableEntry::New(const Slice& user_key, uint64_t tail,
                                        const Slice& value, Arena* arena) {
  static_assert(std::is_trivially_destructible_v<MemTableEntry>);
  const size_t key_bytes = user_key.size() + kInternalKeyTailBytes;
  TAMIS_CHECK(key_bytes <= UINT32_MAX);
  TAMIS_CHECK(value.size() <= UINT32_MAX);
  char* const space =
      arena->AllocateAligned(sizeof(MemTableEntry) + key_bytes + value.size());
  const auto* const entry = new (space) MemTableEntry(
      static_cast<uint32_t>(key_bytes), static_cast<uint32_t>(value.size()));
  char* p = space + sizeof(MemTableEntry);
  if (!user_key.empty()) std::memcpy(p, user_key.data(), user_key.size());
  p += user_key.size();
  EncodeFixed64(p, tail);
  if (!value.empty()) {
    std::memcpy(p + kInternalKeyTailBytes, value.data(), value.size());
  }
  return entry;
}

}  // namespace tamis
