// SPDX-License-Identifier: Apache-2.0
#include "tests/interop/random_layout.h"

#include <cstdio>
#include <iterator>

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include "util/coding/checksum.h"
#include "util/compression/compression.h"

namespace tamis {

namespace {

using Ours = BlockBasedTableOptions;
using Peer = rocksdb::BlockBasedTableOptions;

template <typename T, size_t n>
T OneOf(Random* random, const T (&values)[n]) {
  return values[random->Uniform(n)];
}

void DrawFilter(Random* random, RandomLayout* layout) {
  constexpr RandomLayout::Filter kFilters[] = {
      RandomLayout::Filter::kBloom, RandomLayout::Filter::kBloom,
      RandomLayout::Filter::kRibbon, RandomLayout::Filter::kRibbon};
  // INT_MAX, which requests Bloom filters on every level, is not used: RocksDB
  // 7.8.3 still writes Ribbon filters in files without a level.
  constexpr int kBefore[] = {-1, -1, 0, 3};
  layout->filter =
      random->OneIn(10) ? RandomLayout::Filter::kNone : OneOf(random, kFilters);
  layout->bits_per_key =
      random->OneIn(3) ? 10 : static_cast<double>(random->Uniform(30000)) / 1e3;
  layout->bloom_before_level = OneOf(random, kBefore);
  constexpr RandomLayout::Prefix kPrefixes[] = {RandomLayout::Prefix::kNone,
                                                RandomLayout::Prefix::kFixed,
                                                RandomLayout::Prefix::kCapped};
  layout->prefix = OneOf(random, kPrefixes);
  layout->prefix_bytes = 1 + random->Uniform(12);
  layout->whole_keys = !random->OneIn(3);
  layout->partitioned =
      layout->index == Ours::kTwoLevelIndexSearch && !random->OneIn(4);
}

// Of four shapes: counted, binary, with much in common, short.
std::string DrawKey(Random* random, uint64_t shape) {
  char text[64];
  switch (shape) {
    case 0:
      std::snprintf(text, sizeof(text), "key%08u",
                    static_cast<unsigned>(random->Uniform(20000)));
      return text;
    case 1: {
      std::string key(1 + random->Uniform(20), '\0');
      for (char& c : key) c = static_cast<char>(random->Next());
      return key;
    }
    case 2:
      std::snprintf(text, sizeof(text), "/a/long/path/%03u/to/the/file/%06u",
                    static_cast<unsigned>(random->Uniform(20)),
                    static_cast<unsigned>(random->Uniform(100000)));
      return text;
    default: {
      std::string key(1 + random->Uniform(3), '\0');
      for (char& c : key) c = static_cast<char>('a' + random->Uniform(20));
      return key;
    }
  }
}

}  // namespace

RandomLayout RandomLayout::Draw(Random* random) {
  constexpr Ours::IndexType kIndexes[] = {
      Ours::kBinarySearch, Ours::kTwoLevelIndexSearch,
      Ours::kTwoLevelIndexSearch, Ours::kBinarySearchWithFirstKey};
  constexpr int kIntervals[] = {1, 2, 4, 16, 16, 100};
  constexpr uint64_t kBlockSizes[] = {64, 200, 512, 1000, 1024, 4096, 16384};
  constexpr uint64_t kMetadataSizes[] = {64, 128, 300, 512, 1024, 4096};
  constexpr int kDeviations[] = {-1, 0, 5, 10, 10, 50, 99, 100, 101};
  constexpr double kRatios[] = {0.1, 0.5, 0.75, 1, 3};
  const auto codecs = SupportedCompressions();

  RandomLayout layout;
  layout.version = static_cast<uint32_t>(random->Uniform(6));
  layout.checksum = layout.version == 0
                        ? kCRC32c
                        : static_cast<ChecksumType>(random->Uniform(5));
  layout.codec = codecs[random->Uniform(codecs.size())];
  layout.index = OneOf(random, kIndexes);
  DrawFilter(random, &layout);
  // RocksDB 7.8.3 takes a fixed prefix even of keys that are too short for it.
  layout.their_index_is_hashed = layout.index == Ours::kBinarySearch &&
                                 layout.prefix == Prefix::kCapped &&
                                 random->OneIn(2);
  layout.hashed_data = random->OneIn(3);
  layout.hash_ratio = OneOf(random, kRatios);
  layout.data_interval = OneOf(random, kIntervals);
  layout.index_interval = OneOf(random, kIntervals);
  layout.block_size = OneOf(random, kBlockSizes);
  layout.metadata_block_size = OneOf(random, kMetadataSizes);
  layout.deviation = OneOf(random, kDeviations);
  layout.delta = !random->OneIn(4);
  layout.shortening = static_cast<int>(random->Uniform(3));
  if (random->OneIn(6)) {
    layout.align = true;
    layout.codec = kNoCompression;
    if ((layout.block_size & (layout.block_size - 1)) != 0) {
      layout.block_size = 512;
    }
  }
  return layout;
}

std::string RandomLayout::Name() const {
  char bits[32];
  std::snprintf(bits, sizeof(bits), "%.3f", bits_per_key);
  const char* const filters[] = {"no filter", "Bloom ", "Ribbon "};
  std::string name = "fv" + std::to_string(version) + " " +
                     ChecksumTypeName(checksum) + " " +
                     CompressionTypeName(codec) + ", index " +
                     std::to_string(static_cast<uint32_t>(index)) +
                     (their_index_is_hashed ? " (theirs hashed)" : "") + ", " +
                     filters[static_cast<size_t>(filter)];
  if (filter != Filter::kNone) {
    name += std::string(bits) + (partitioned ? " partitioned" : "");
  }
  if (filter == Filter::kRibbon) {
    name += ", Bloom before level " + std::to_string(bloom_before_level);
  }
  name += whole_keys ? ", whole keys" : ", no whole keys";
  if (prefix != Prefix::kNone) {
    name +=
        (prefix == Prefix::kFixed ? ", fixed prefix " : ", capped prefix ") +
        std::to_string(prefix_bytes);
  }
  return name + ", intervals " + std::to_string(data_interval) + " and " +
         std::to_string(index_interval) + ", blocks " +
         std::to_string(block_size) + " and " +
         std::to_string(metadata_block_size) + " -" +
         std::to_string(deviation) + "%" + (hashed_data ? ", hash index" : "") +
         (delta ? "" : ", whole keys stored") + (align ? ", aligned" : "") +
         ", shortening " + std::to_string(shortening);
}

TableBuildOptions RandomLayout::Ours() const {
  TableBuildOptions options{KeyOrder(BytewiseComparator())};
  options.compression = codec;
  options.is_external_file = true;
  BlockBasedTableOptions& table = options.table;
  table.format_version = version;
  table.checksum = checksum;
  table.index_type = index;
  table.partition_filters = partitioned;
  table.whole_key_filtering = whole_keys;
  table.filter_policy.reset(
      filter == Filter::kNone ? nullptr
      : filter == Filter::kBloom
          ? NewBloomFilterPolicy(bits_per_key)
          : NewRibbonFilterPolicy(bits_per_key, bloom_before_level));
  if (prefix == Prefix::kFixed) {
    options.prefix_extractor.reset(NewFixedPrefixTransform(prefix_bytes));
  } else if (prefix == Prefix::kCapped) {
    options.prefix_extractor.reset(NewCappedPrefixTransform(prefix_bytes));
  }
  if (hashed_data) {
    table.data_block_index_type =
        BlockBasedTableOptions::kDataBlockBinaryAndHash;
  }
  table.data_block_hash_table_util_ratio = hash_ratio;
  table.block_restart_interval = data_interval;
  table.index_block_restart_interval = index_interval;
  table.block_size = block_size;
  table.block_size_deviation = deviation;
  table.metadata_block_size = metadata_block_size;
  table.use_delta_encoding = delta;
  table.block_align = align;
  table.index_shortening =
      static_cast<BlockBasedTableOptions::IndexShorteningMode>(shortening);
  return options;
}

rocksdb::Options RandomLayout::Theirs() const {
  Peer table;
  table.format_version = version;
  table.checksum = static_cast<rocksdb::ChecksumType>(checksum);
  table.index_type = their_index_is_hashed
                         ? Peer::kHashSearch
                         : static_cast<Peer::IndexType>(index);
  table.partition_filters = partitioned;
  table.whole_key_filtering = whole_keys;
  table.filter_policy.reset(
      filter == Filter::kNone ? nullptr
      : filter == Filter::kBloom
          ? rocksdb::NewBloomFilterPolicy(bits_per_key)
          : rocksdb::NewRibbonFilterPolicy(bits_per_key, bloom_before_level));
  if (hashed_data) table.data_block_index_type = Peer::kDataBlockBinaryAndHash;
  table.data_block_hash_table_util_ratio = hash_ratio;
  table.block_restart_interval = data_interval;
  table.index_block_restart_interval = index_interval;
  table.block_size = block_size;
  table.block_size_deviation = deviation;
  table.metadata_block_size = metadata_block_size;
  table.use_delta_encoding = delta;
  table.block_align = align;
  table.index_shortening = static_cast<Peer::IndexShorteningMode>(shortening);
  rocksdb::Options options;
  options.create_if_missing = true;
  options.compression = static_cast<rocksdb::CompressionType>(codec);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  if (prefix == Prefix::kFixed) {
    options.prefix_extractor.reset(
        rocksdb::NewFixedPrefixTransform(prefix_bytes));
  } else if (prefix == Prefix::kCapped) {
    options.prefix_extractor.reset(
        rocksdb::NewCappedPrefixTransform(prefix_bytes));
  }
  return options;
}

RandomRows DrawRows(Random* random) {
  constexpr uint64_t kCounts[] = {1, 2, 30, 64, 500, 500, 2000};
  const uint64_t count = 1 + random->Uniform(OneOf(random, kCounts));
  const uint64_t shape = random->Uniform(4);
  RandomRows rows;
  for (uint64_t i = 0; i < count; ++i) {
    std::optional<std::string>& value = rows[DrawKey(random, shape)];
    value.reset();
    if (random->OneIn(6)) continue;
    value.emplace(random->Uniform(100), '\0');
    // Half of it compresses.
    for (char& c : *value) {
      c = random->OneIn(2) ? 'v' : static_cast<char>(random->Next());
    }
  }
  return rows;
}

std::vector<std::string> DrawAbsentKeys(Random* random, const RandomRows& rows,
                                        size_t count) {
  const std::vector<RandomRows::value_type> all(rows.begin(), rows.end());
  std::vector<std::string> absent;
  for (size_t i = 0; i < count; ++i) {
    std::string key = all[random->Uniform(all.size())].first;
    switch (random->Uniform(4)) {
      case 0:
        key.push_back(static_cast<char>(random->Uniform(3)));
        break;
      case 1:
        key += "x";
        break;
      case 2:
        key[random->Uniform(key.size())] = static_cast<char>(random->Next());
        break;
      default:
        key.resize(1 + random->Uniform(key.size()));
        key.back() = static_cast<char>(key.back() + 1);
        break;
    }
    if (rows.count(key) != 0 || key < all.front().first ||
        key > all.back().first) {
      continue;
    }
    absent.push_back(std::move(key));
  }
  return absent;
}

}  // namespace tamis
