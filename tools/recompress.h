// SPDX-License-Identifier: Apache-2.0
//
// What a table would take with other codecs and block sizes: its entries are
// written again, to nowhere, once for each codec and level.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/table.h"

#include "tools/raw_table.h"
#include "util/base/result.h"

namespace tamis {

// "kZSTD" and its like; kSupported lists those that Tamis writes.
// InvalidArgument: RocksDB has none of this name.
Result<CompressionType> ParseCompressionType(const std::string& name);
std::string CompressionEnumName(CompressionType type);
// RocksDB's order.
std::vector<CompressionType> AllCompressionTypes();

struct RecompressPlan {
  uint64_t block_size = 16384;
  std::vector<CompressionType> types = AllCompressionTypes();
  int level_from = CompressionOptions().level;
  int level_to = CompressionOptions().level;
  CompressionOptions compression;  // its level is not used
};

struct Recompressed {
  CompressionType type = kNoCompression;
  int level = 0;
  uint64_t file_size = 0;
  uint64_t data_blocks = 0;
  uint64_t micros = 0;
  uint64_t compressed = 0;      // blocks
  uint64_t not_compressed = 0;  // since it would not have made them smaller
};

// Calls `done` after each. A codec that Tamis does not write is reported to
// `unsupported`.
Status Recompress(const RawTable& table, const RecompressPlan& plan,
                  const std::function<void(CompressionType)>& begin,
                  const std::function<void(CompressionType)>& unsupported,
                  const std::function<void(const Recompressed&)>& done);

// A line in RocksDB's words.
std::string RecompressedLine(const Recompressed& result);
std::string RecompressedJson(const Recompressed& result);

}  // namespace tamis
