// SPDX-License-Identifier: Apache-2.0
//
// Small tables of every kind that is written, one row per kind, for targets to
// damage; and a reader that makes every call to a table.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tamis/filter_policy.h"

#include "table/table_builder.h"
#include "table/table_reader.h"
#include "tests/fuzz/fuzz_input.h"

namespace tamis {

struct FuzzTableKind {
  ChecksumType checksum;
  enum class Filter : uint8_t { kNone, kBlockBased, kFull, kPartitioned };
  Filter filter;
  bool two_level;
  CompressionType codec;
  bool hash_index = false;
  bool range_deletions = false;
  uint32_t format_version = kFormatVersionWritten;
  bool external = false;  // to be ingested
  size_t block_size = 256;
};

inline constexpr FuzzTableKind kFuzzTableKinds[] = {
    // Without checksums, so that damage reaches the code after their check.
    {kNoChecksum, FuzzTableKind::Filter::kFull, false, kSnappyCompression},
    {kNoChecksum, FuzzTableKind::Filter::kBlockBased, false, kNoCompression},
    {kNoChecksum, FuzzTableKind::Filter::kPartitioned, true, kNoCompression},
    {kNoChecksum, FuzzTableKind::Filter::kNone, true, kSnappyCompression},
    // With checksums: no result may be wrong.
    {kCRC32c, FuzzTableKind::Filter::kFull, false, kNoCompression},
    {kxxHash, FuzzTableKind::Filter::kBlockBased, false, kSnappyCompression},
    {kxxHash64, FuzzTableKind::Filter::kPartitioned, true, kSnappyCompression},
    {kXXH3, FuzzTableKind::Filter::kFull, true, kNoCompression},
    // Hash indexes and range deletions, without and with checksums.
    {kNoChecksum, FuzzTableKind::Filter::kNone, false, kNoCompression, true,
     true},
    {kXXH3, FuzzTableKind::Filter::kNone, false, kNoCompression, true, true},
    // Blocks of several steps of a StepDecoder.
    {.checksum = kNoChecksum,
     .filter = FuzzTableKind::Filter::kNone,
     .two_level = false,
     .codec = kSnappyCompression,
     .block_size = 2048},
};

inline std::vector<RangeTombstone> FuzzRangeDeletions() {
  return {{"key1003", "key1007", 5}, {"key1040", "key2", 6}};
}

// Internal key and value, in order.
using FuzzRows = std::vector<std::pair<std::string, std::string>>;

inline std::string FuzzUserKey(int i) {
  return "key" + std::to_string(1000 + i);
}

inline FuzzRows FuzzTableRows(int count) {
  FuzzRows rows;
  for (int i = 0; i < count; ++i) {
    std::string key;
    AppendInternalKey(&key, FuzzUserKey(i), 7, kTypeValue);
    rows.emplace_back(key, std::to_string(i) + std::string(20, 'v'));
  }
  return rows;
}

inline std::string BuildFuzzTable(const FuzzTableKind& kind,
                                  const FuzzRows& rows) {
  using Filter = FuzzTableKind::Filter;
  TableBuildOptions options{KeyOrder(BytewiseComparator())};
  options.table.checksum = kind.checksum;
  options.table.block_size = kind.block_size;
  options.table.metadata_block_size = 128;
  options.table.filter_policy.reset(
      kind.filter == Filter::kNone
          ? nullptr
          : NewBloomFilterPolicy(10, kind.filter == Filter::kBlockBased));
  options.table.partition_filters = kind.filter == Filter::kPartitioned;
  if (kind.two_level) {
    options.table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  }
  if (kind.hash_index) {
    options.table.data_block_index_type =
        BlockBasedTableOptions::kDataBlockBinaryAndHash;
  }
  options.table.format_version = kind.format_version;
  options.is_external_file = kind.external;
  options.compression = kind.codec;
  std::string bytes;
  FuzzWritableFile file(&bytes);
  TableBuilder builder(options, &file);
  if (kind.range_deletions) {
    for (const RangeTombstone& tombstone : FuzzRangeDeletions()) {
      builder.AddRangeDeletion(tombstone.begin, tombstone.end,
                               tombstone.sequence);
    }
  }
  for (const auto& [key, value] : rows) builder.Add(key, value);
  Claim(builder.Finish().ok());
  return bytes;
}

// Tables in the other formats, all without checksums.
inline constexpr size_t kOtherFuzzTables = 4;
inline std::string BuildOtherFuzzTable(size_t which, const FuzzRows& rows) {
  TableBuildOptions options{KeyOrder(BytewiseComparator())};
  options.prefix_extractor.reset(NewFixedPrefixTransform(5));
  if (which < 2) {
    options.plain.emplace();
    options.plain->encoding_type = which == 0 ? kPlain : kPrefix;
    options.plain->store_index_in_file = which == 1;
  } else {
    options.cuckoo.emplace();
    options.cuckoo->use_module_hash = which == 2;
  }
  std::string bytes;
  FuzzWritableFile file(&bytes);
  TableBuilder builder(options, &file);
  // Cuckoo tables need values of one length.
  for (const auto& [key, value] : rows) builder.Add(key, value.substr(0, 20));
  Claim(builder.Finish().ok());
  return bytes;
}

// cached: index and filter are in the block cache and may be evicted.
inline Result<std::unique_ptr<TableReader>> OpenFuzzTable(std::string bytes,
                                                          bool cached = false) {
  TableContext context{KeyOrder(BytewiseComparator())};
  context.file_name = "table";
  context.block_cache = std::make_shared<BlockCache>(1 << 20);
  if (cached) {
    context.metadata_pins.whole = false;
    context.metadata_pins.top_level = false;
  }
  const size_t size = bytes.size();
  return TableReader::Open(std::make_unique<FuzzRandomFile>(std::move(bytes)),
                           size, context);
}

// Reads the range deletions of a table. right: if there are any, they must be
// the ones that were added.
inline void ReadFuzzRangeDeletions(const TableReader& table, bool right) {
  const auto tombstones = table.ReadRangeTombstones();
  if (!tombstones.ok()) {
    Claim(tombstones.status().message().find("table") != std::string::npos);
  } else if (right) {
    Claim(tombstones->empty() || *tombstones == FuzzRangeDeletions());
  }
}

// Makes every call to a table that may be damaged. `rows`: the entries that it
// must show unless a read fails; nullptr: any.
inline void ReadFuzzTable(const TableReader& table, const FuzzRows* rows) {
  const ReadContext context;
  for (int i = 0; i < 70; i += 7) {
    const std::string key = FuzzUserKey(i);
    PinnableSlice value;
    PointRead read(key, kMaxSequenceNumber, /*merge_operator=*/nullptr, &value);
    table.Get(&read, context);
    const Status result = read.get.Finish();
    if (rows == nullptr || !(result.ok() || result.IsNotFound())) continue;
    const auto row = static_cast<size_t>(i);
    Claim(result.ok() == (row < rows->size()));
    if (result.ok()) Claim(Slice(value) == Slice((*rows)[row].second));
  }
  const auto it = table.NewIterator(context);
  // A scan of more rows than the file has bits does not end.
  constexpr size_t kRowsMax = 1 << 21;
  size_t count = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++count) {
    Claim(count < kRowsMax);
    Claim(it->key().size() >= kInternalKeyTailBytes);
    if (rows == nullptr) continue;
    Claim(count < rows->size() && it->key() == Slice((*rows)[count].first) &&
          it->value() == Slice((*rows)[count].second));
  }
  if (rows != nullptr && it->status().ok()) Claim(count == rows->size());
  size_t back = 0;
  for (it->SeekToLast(); it->Valid(); it->Prev()) {
    Claim(back++ < kRowsMax);
    if (rows == nullptr) continue;
    Claim(back <= rows->size() &&
          it->key() == Slice((*rows)[rows->size() - back].first));
  }
  if (rows != nullptr && it->status().ok()) Claim(back == rows->size());
  const LookupKey middle("key1030", 9);
  it->Seek(middle.internal_key());
  if (it->Valid()) it->Next();
  it->Seek(middle.internal_key());
  if (it->Valid()) it->Prev();
  it->SeekForPrev(middle.internal_key());
  if (it->Valid()) it->Prev();
  (void)table.ApproximateOffsetOf(middle.internal_key());
  (void)table.ReadLayout().ok();
  ReadFuzzRangeDeletions(table, rows != nullptr);
  table.VerifyChecksums().PermitUncheckedError();
}

}  // namespace tamis
