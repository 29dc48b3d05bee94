// SPDX-License-Identifier: Apache-2.0
//
// The tag: the first byte of each record of a write batch. FORMAT.md describes
// the records under "Batches".
#pragma once

#include <cstdint>

#include "tamis/write_batch.h"

#include "table/internal_key.h"

namespace tamis {

enum BatchTag : uint8_t {
  kTagDelete = 0x00,
  kTagPut = 0x01,
  kTagMerge = 0x02,
  kTagLogData = 0x03,
  kTagDeleteInFamily = 0x04,
  kTagPutInFamily = 0x05,
  kTagMergeInFamily = 0x06,
  kTagSingleDelete = 0x07,
  kTagSingleDeleteInFamily = 0x08,
  // Marks of two-phase commit: see prepared_sections.h.
  kTagBeginPrepare = 0x09,
  kTagEndPrepare = 0x0a,
  kTagCommit = 0x0b,
  kTagRollback = 0x0c,
  kTagNoop = 0x0d,
  kTagDeleteRangeInFamily = 0x0e,
  kTagDeleteRange = 0x0f,
};

inline bool HasValue(ValueType type) {
  return type != kTypeDeletion && type != kTypeSingleDeletion;
}

inline constexpr uint64_t kStringBytesMax = UINT32_MAX;
inline constexpr uint64_t kKeyBytesMax =
    kStringBytesMax - kInternalKeyTailBytes;
static_assert(WriteBatch::kMaxEntryBytes <= kKeyBytesMax);

}  // namespace tamis
