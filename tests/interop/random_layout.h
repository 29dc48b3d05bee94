// SPDX-License-Identifier: Apache-2.0
//
// A random layout of tables that both engines can write, with the options of
// each engine, and keys for such a table.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <rocksdb/options.h>

#include "table/table_builder.h"
#include "util/base/random.h"

namespace tamis {

struct RandomLayout {
  enum class Filter : uint8_t { kNone, kBloom, kRibbon };
  enum class Prefix : uint8_t { kNone, kFixed, kCapped };

  uint32_t version = 5;
  ChecksumType checksum = kXXH3;
  CompressionType codec = kNoCompression;
  BlockBasedTableOptions::IndexType index =
      BlockBasedTableOptions::kBinarySearch;
  bool their_index_is_hashed = false;  // which they write and we read
  Filter filter = Filter::kBloom;
  double bits_per_key = 10;
  int bloom_before_level = 0;
  bool partitioned = false;
  Prefix prefix = Prefix::kNone;
  size_t prefix_bytes = 0;
  bool whole_keys = true;
  bool hashed_data = false;
  double hash_ratio = 0.75;
  int data_interval = 16;
  int index_interval = 1;
  uint64_t block_size = 1024;
  int deviation = 10;
  uint64_t metadata_block_size = 512;
  bool delta = true;
  bool align = false;
  int shortening = 1;

  static RandomLayout Draw(Random* random);

  std::string Name() const;
  // As SstFileWriter has them.
  TableBuildOptions Ours() const;
  rocksdb::Options Theirs() const;
};

// User key to value; nullopt: deleted.
using RandomRows = std::map<std::string, std::optional<std::string>>;
RandomRows DrawRows(Random* random);
// Keys that are not in `rows` and lie between its first and its last.
std::vector<std::string> DrawAbsentKeys(Random* random, const RandomRows& rows,
                                        size_t count);

}  // namespace tamis
