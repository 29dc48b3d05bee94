// SPDX-License-Identifier: Apache-2.0
//
// Tables, complete and in parts.
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "filter/filter_registry.h"
#include "table/block_fetcher.h"
#include "tests/fuzz/corpus.h"
#include "tests/fuzz/fuzz_tables.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;

// A table and its parts.
class Parts {
 public:
  // Not ok() where this build cannot open the table.
  explicit Parts(std::string bytes) : bytes_(std::move(bytes)) {
    file_ = std::make_unique<FuzzRandomFile>(bytes_);
    TableContext context{KeyOrder(BytewiseComparator())};
    const auto table = TableReader::Open(
        std::make_unique<FuzzRandomFile>(bytes_), bytes_.size(), context);
    if (!table.ok()) return;
    auto read = (*table)->ReadLayout();
    if (!read.ok()) return;
    properties_ = (*table)->properties();
    layout_ = std::move(read).value();
    fetcher_ = std::make_unique<BlockFetcher>(file_.get(), &name_,
                                              bytes_.size(), layout_.footer);
  }

  bool ok() const { return fetcher_ != nullptr; }
  const TableLayout& layout() const { return layout_; }
  const std::string& bytes() const { return bytes_; }
  // Uncompressed.
  std::string Block(const BlockHandle& handle) const {
    auto block = fetcher_->Read(handle, BlockKind::kMeta, ReadContext());
    return block.ok() ? block->bytes().ToString() : "";
  }
  // As stored, and the number of its codec.
  std::pair<unsigned, std::string> Stored(const BlockHandle& handle) const {
    const auto end = static_cast<size_t>(handle.offset + handle.size);
    return {static_cast<uint8_t>(bytes_[end]),
            bytes_.substr(static_cast<size_t>(handle.offset),
                          static_cast<size_t>(handle.size))};
  }
  // The flags of index_fuzz.cc.
  unsigned IndexFlags() const {
    return (layout_.index_partitions.empty() ? 0u : 1u) |
           (properties_->index_key_is_user_key ? 2u : 0u) |
           (properties_->index_value_is_delta_encoded ? 4u : 0u) |
           (properties_->index_type == 3 ? 8u : 0u);
  }

 private:
  const std::string name_ = "table";
  const std::string bytes_;
  std::unique_ptr<FuzzRandomFile> file_;
  std::unique_ptr<BlockFetcher> fetcher_;
  std::shared_ptr<const TableProperties> properties_;
  TableLayout layout_;
};

void AddFilter(Corpus* corpus, const std::string& name, const Parts& parts,
               const Slice& key, const std::string& block) {
  const auto where = ParseMetaindexKey(key);
  if (!where) return;
  const std::string asked = Byte(7) + "key1030";
  switch (where->placement) {
    case FilterPlacement::kFull:
      corpus->Add("filter_fuzz", name, Byte(0) + asked + block);
      break;
    case FilterPlacement::kBlockBased:
      corpus->Add("filter_block_fuzz", name,
                  Byte(0) + Byte(0) + Short(64) + asked + block);
      break;
    case FilterPlacement::kPartitioned:
      corpus->Add("filter_block_fuzz", name,
                  Byte(1) + Byte(parts.IndexFlags()) + asked +
                      WithFile(Short(block.size()) + block, parts.bytes()));
      break;
  }
}

void AddTableParts(Corpus* corpus, const std::string& name,
                   const std::string& bytes) {
  const size_t tail = std::min(bytes.size(), kFooterBytes);
  std::string before;
  for (int shift = 56; shift >= 0; shift -= 8) {
    before += static_cast<char>((bytes.size() - tail) >> shift);
  }
  corpus->Add("footer_fuzz", name, before + bytes.substr(bytes.size() - tail));
  const Parts parts(bytes);
  if (!parts.ok()) return;
  const TableLayout& layout = parts.layout();
  const BlockHandle& first = layout.data_blocks.front().second;
  const auto [codec, stored] = parts.Stored(first);
  corpus->Add("compression_fuzz", name, Byte(0) + Byte(codec) + stored);
  const std::string data = parts.Block(first);
  corpus->Add("block_fuzz", name + "_data",
              Byte(0) + Byte(0) + Byte(0) + Byte(3) + "key" + data);
  corpus->Add("block_fuzz", name + "_metaindex",
              Byte(0) + Byte(2) + Byte(0) + Byte(0) +
                  parts.Block(layout.footer.metaindex));
  const std::string index = parts.Block(layout.footer.index);
  const unsigned flags = parts.IndexFlags();
  corpus->Add(
      "index_fuzz", name,
      Byte(0) + Byte(flags) +
          WithFile(Short(index.size()) + index, (flags & 1) != 0 ? bytes : ""));
  for (const auto& [key, handle] : layout.metaindex) {
    const std::string block = parts.Block(handle);
    if (key == kPropertiesBlockName) {
      corpus->Add("properties_fuzz", name, block);
    }
    AddFilter(corpus, name, parts, key, block);
  }
}

// Some of the recorded tables: they differ in one option each, and for most
// targets that is not theirs.
void AddRecordedTables(Corpus* corpus, const fs::path& golden) {
  for (const char* writer :
       {"rocksdb-6.29.5", "rocksdb-7.8.3", "rocksdb-11.9"}) {
    for (const char* table : {"one_key",
                              "fv0_full_bloom",
                              "fv2_full_bloom",
                              "fv5_full_bloom",
                              "fv6_full_bloom",
                              "fv7_full_bloom",
                              "fv5_ribbon_bits1",
                              "fv5_ribbon_bits10",
                              "fv2_blockbased_bloom",
                              "fv5_blockbased_bloom",
                              "blockbased_prefix_only",
                              "fv5_partitioned_bloom",
                              "partitioned_index_full_filter",
                              "fv4_bloom_bits1",
                              "fv4_bloom_bits40",
                              "index_first_key",
                              "index_restart4",
                              "restart1",
                              "data_hash_index",
                              "no_delta",
                              "compress_lz4",
                              "compress_lz4hc",
                              "compress_zstd",
                              "compress_zlib",
                              "compress_bzip2",
                              "zstd_dict"}) {
      const fs::path path = golden / writer / (std::string(table) + ".sst");
      if (!fs::exists(path)) continue;
      // The oldest of them is there for what only it writes.
      const bool block_based =
          std::string_view(table).find("blockbased") != std::string_view::npos;
      if (writer == std::string_view("rocksdb-6.29.5") && !block_based) {
        continue;
      }
      const std::string name = std::string(table) + "-" + (writer + 8);
      AddTableParts(corpus, name, Contents(path));
      corpus->Add("table_file_fuzz", name, Contents(path));
    }
  }
}

void AddOwnTables(Corpus* corpus) {
  for (size_t i = 0; i < std::size(kFuzzTableKinds); ++i) {
    const std::string name = "own" + std::to_string(i);
    const std::string bytes =
        BuildFuzzTable(kFuzzTableKinds[i], FuzzTableRows(24));
    AddTableParts(corpus, name, bytes);
    corpus->Add("table_file_fuzz", name, bytes);
    corpus->Add("table_fuzz", name + "_footer",
                Byte(static_cast<unsigned>(i)) + Short(20) + Byte(1));
    corpus->Add("table_fuzz", name + "_data",
                Byte(static_cast<unsigned>(i)) + Short(3000) + Byte(0x80));
  }
}

void AddOtherTables(Corpus* corpus) {
  for (size_t i = 0; i < kOtherFuzzTables; ++i) {
    const std::string name = "other" + std::to_string(i);
    const std::string bytes = BuildOtherFuzzTable(i, FuzzTableRows(24));
    corpus->Add("table_file_fuzz", name, bytes);
    corpus->Add("salvage_fuzz", name, bytes);
    corpus->Add("table_fuzz", name + "_data",
                Byte(static_cast<unsigned>(std::size(kFuzzTableKinds) + i)) +
                    Short(bytes.size() / 2) + Byte(0x80));
  }
}

// One small table of each format, and one that was ingested.
void AddFormats(Corpus* corpus) {
  using Filter = FuzzTableKind::Filter;
  for (uint32_t version = 2; version <= kFormatVersionMax; ++version) {
    FuzzTableKind kind{kXXH3, Filter::kPartitioned, true, kZSTD};
    kind.range_deletions = true;
    kind.format_version = version;
    kind.external = version % 2 == 1;
    const std::string bytes = BuildFuzzTable(kind, FuzzTableRows(12));
    corpus->Add("table_file_fuzz", "version" + std::to_string(version), bytes);
  }
}

void AddSalvage(Corpus* corpus) {
  for (size_t i = 0; i < std::size(kFuzzTableKinds); ++i) {
    const std::string bytes =
        BuildFuzzTable(kFuzzTableKinds[i], FuzzTableRows(9));
    corpus->Add("salvage_fuzz", "own" + std::to_string(i), bytes);
    // Without what says where the blocks are.
    corpus->Add("salvage_fuzz", "own" + std::to_string(i) + "_cut",
                bytes.substr(0, bytes.size() - kFooterBytes));
  }
}

// Ingested, which is written into a file in place.
void AddIngested(Corpus* corpus) {
  FuzzTableKind kind{kXXH3, FuzzTableKind::Filter::kNone, false,
                     kNoCompression};
  kind.external = true;
  std::string bytes = BuildFuzzTable(kind, FuzzTableRows(9));
  const std::string name = "global_seqno";
  EncodeFixed64(bytes.data() + bytes.find(name) + name.size(), 77);
  corpus->Add("salvage_fuzz", "ingested", bytes);
  corpus->Add("table_file_fuzz", "ingested", bytes);
}

}  // namespace

void AddTables(Corpus* corpus, const fs::path& golden) {
  AddOtherTables(corpus);
  AddOwnTables(corpus);
  AddFormats(corpus);
  AddSalvage(corpus);
  AddIngested(corpus);
  AddRecordedTables(corpus, golden);
}

}  // namespace tamis
