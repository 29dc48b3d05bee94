// SPDX-License-Identifier: Apache-2.0
//
// What each byte of a table file belongs to: its blocks and footer in the order
// of their offsets, with what lies between them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/raw_table.h"
#include "util/base/result.h"

namespace tamis {

struct MappedBlock {
  uint64_t offset = 0;
  uint64_t bytes = 0;  // with the trailer
  std::string kind;    // "data", "index", "footer", ..., or kGap, kPadding
  std::string codec;   // empty: it has none

  uint64_t end() const { return offset + bytes; }
};
// Bytes of no block, and those of them that are all zero.
inline constexpr char kGap[] = "gap";
inline constexpr char kPadding[] = "padding";

// Corruption: blocks overlap, or one lies beyond the file.
Result<std::vector<MappedBlock>> MapBlocks(const RawTable& table);

// A line for each, and a sum.
std::string BlockMapText(const std::vector<MappedBlock>& blocks);
std::string BlockMapJson(const std::vector<MappedBlock>& blocks);
// "  NAME: offset 12, size 34" for each block that the metaindex names.
std::string MetaBlocksText(const RawTable& table);

}  // namespace tamis
