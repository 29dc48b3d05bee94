// SPDX-License-Identifier: Apache-2.0
//
// make_corpus <recorded data> <out>: writes out/<target>/<name>, the inputs
// that fuzz targets start from. They are parts of real files: of the recorded
// tables and directories of other engines, and of tables and a database made
// here. Each is led by the bytes that its target takes from the front, and is
// below 4 KiB.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/base/file_names.h"
#include "db/manifest/version_edit.h"
#include "db/wal/log_reader.h"
#include "filter/filter_registry.h"
#include "table/block_fetcher.h"
#include "tests/fuzz/fuzz_directories.h"
#include "tests/fuzz/fuzz_directory.h"
#include "tests/fuzz/fuzz_tables.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;

constexpr size_t kSeedBytesMax = 4095;

std::string Contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string Byte(unsigned v) { return std::string(1, static_cast<char>(v)); }
std::string Short(size_t v) {
  std::string out;
  PutFixed16(&out, static_cast<uint16_t>(v));
  return out;
}

// The file behind the part of it that matters, when both are small enough.
std::string WithFile(const std::string& part, const std::string& file) {
  return part.size() + file.size() < kSeedBytesMax ? part + file : part;
}

class Corpus {
 public:
  explicit Corpus(fs::path out) : out_(std::move(out)) {}

  // Left out when it is too large, or there under another name.
  void Add(const std::string& target, const std::string& name,
           const std::string& bytes) {
    if (bytes.size() > kSeedBytesMax) return;
    if (!seen_.insert({target, bytes}).second) return;
    fs::create_directories(out_ / target);
    std::ofstream(out_ / target / name, std::ios::binary) << bytes;
    bytes_ += bytes.size();
  }
  void Report() const {
    std::printf("%zu inputs, %zu bytes\n", seen_.size(), bytes_);
  }

 private:
  const fs::path out_;
  std::set<std::pair<std::string, std::string>> seen_;
  size_t bytes_ = 0;
};

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

void EachRecord(const std::string& bytes, uint64_t number, LogKind kind,
                const std::function<void(const std::string&)>& visit) {
  LogReader reader(std::make_unique<FuzzSequentialFile>(bytes), "log", number,
                   kind);
  std::string record;
  while (reader.ReadRecord(&record) == LogReader::Outcome::kRecord) {
    visit(record);
  }
}

void AddLog(Corpus* corpus, const std::string& name, const std::string& bytes,
            uint64_t number, LogKind kind) {
  const bool manifest = kind == LogKind::kManifest;
  corpus->Add("log_fuzz", name, Byte(manifest ? 1 : 0) + bytes.substr(0, 2000));
  size_t count = 0;
  EachRecord(bytes, number, kind, [&](const std::string& record) {
    // The records of a log are like its first.
    if (++count > (manifest ? 5 : 1) || record.size() > 1000) return;
    corpus->Add(manifest ? "version_edit_fuzz" : "batch_fuzz",
                name + "-" + std::to_string(count), record);
  });
}

void AddRecordedDirectories(Corpus* corpus, const fs::path& golden) {
  for (const char* writer :
       {"rocksdb-6.29.5", "rocksdb-7.8.3", "rocksdb-11.9", "leveldb-1.23"}) {
    const fs::path dirs = golden / writer / "dirs";
    if (!fs::exists(dirs)) continue;
    for (const auto& file : fs::recursive_directory_iterator(dirs)) {
      const auto parsed = ParseFileName(file.path().filename().string());
      if (!parsed || !file.is_regular_file()) continue;
      if (parsed->type != FileType::kLog &&
          parsed->type != FileType::kDescriptor) {
        continue;
      }
      const std::string name = file.path().parent_path().filename().string() +
                               "-" + file.path().filename().string() + "-" +
                               writer;
      AddLog(
          corpus, name, Contents(file.path()), parsed->number,
          parsed->type == FileType::kLog ? LogKind::kWal : LogKind::kManifest);
    }
  }
}

void AddDatabase(Corpus* corpus) {
  std::string edits;
  std::string batches;
  for (const auto& [name, bytes] : MakeFuzzDatabase()) {
    const auto parsed = ParseFileName(name);
    if (!parsed) continue;
    const bool log = parsed->type == FileType::kLog;
    if (!log && parsed->type != FileType::kDescriptor) continue;
    const LogKind kind = log ? LogKind::kWal : LogKind::kManifest;
    AddLog(corpus, "own-" + name, bytes, parsed->number, kind);
    EachRecord(bytes, parsed->number, kind, [&](const std::string& record) {
      (log ? batches : edits) +=
          Byte(log ? 1 : 0) + Short(record.size()) + record;
    });
  }
  corpus->Add("recovery_fuzz", "whole", edits + batches);
  corpus->Add("recovery_fuzz", "edits", edits);
  // An edit that says nothing, and something to write in between.
  corpus->Add("recovery_fuzz", "written", edits + batches + Byte(4) + Short(0));
  corpus->Add("recovery_fuzz", "short_batch",
              edits + Byte(1) + Short(3) + "abc" + batches);
  corpus->Add("recovery_fuzz", "batches", batches);
}

// nullopt: a file that directory_fuzz.cc does not know.
std::optional<FuzzFile> FileOf(const std::string& name,
                               const std::string& bytes) {
  const auto parsed = ParseFileName(name);
  if (!parsed) return std::nullopt;
  FuzzFile file;
  file.number = static_cast<uint8_t>(parsed->number);
  file.bytes = bytes;
  switch (parsed->type) {
    case FileType::kCurrent:
      file.kind = FuzzFileKind::kCurrent;
      break;
    case FileType::kDescriptor:
      file.kind = FuzzFileKind::kManifest;
      break;
    case FileType::kLog:
      file.kind = FuzzFileKind::kLog;
      break;
    case FileType::kTable:
      file.kind = name.ends_with(".ldb") ? FuzzFileKind::kLevelDBTable
                                         : FuzzFileKind::kTable;
      break;
    default:
      return std::nullopt;
  }
  return file;
}

void AddDirectories(Corpus* corpus) {
  const std::pair<const char*, FuzzBase> bases[] = {
      {"small", MakeFuzzBase()},
      {"families", MakeFuzzFamiliesBase()},
      {"leveldb", MakeFuzzLevelDBBase()}};
  unsigned number = 0;
  for (const auto& [name, base] : bases) {
    FuzzDirectoryInput directory;
    for (const auto& [file_name, bytes] : base.files) {
      const auto file = FileOf(file_name, bytes);
      if (!file) continue;
      directory.files.push_back(*file);
      if (file->kind == FuzzFileKind::kLevelDBTable) {
        corpus->Add("leveldb_fuzz", file_name, Byte(0) + bytes);
      }
    }
    for (const unsigned way : {0u, 4u, 6u}) {
      directory.mode = static_cast<uint8_t>(way);
      directory.flags = way == 0 ? 3 : 1;
      corpus->Add("directory_fuzz", name + std::to_string(way),
                  directory.Encode());
    }
    for (unsigned way = 0; way < 8; ++way) {
      // Whole, and with a byte changed in the middle of a file.
      const std::string input = Byte(number) + Byte(way) + Byte(way);
      corpus->Add("damage_fuzz", name + std::to_string(way), input);
      corpus->Add("damage_fuzz", name + std::to_string(way) + "_damaged",
                  input + Byte(way) + Byte(7) + Short(300) + Byte(1));
    }
    ++number;
  }
}

// Without the last record of the MANIFEST.
std::string CutLastRecord(const std::string& manifest, uint64_t number) {
  std::vector<std::string> records;
  EachRecord(manifest, number, LogKind::kManifest,
             [&](const std::string& record) { records.push_back(record); });
  records.pop_back();
  std::string bytes;
  LogWriter writer(std::make_unique<FuzzWritableFile>(&bytes), number);
  for (const std::string& record : records) {
    Claim(writer.AddRecord(record).ok());
  }
  Claim(writer.Flush().ok());
  return bytes;
}

// The tables of a database whose second family has one.
FuzzFiles MakeFuzzOrphan() {
  FuzzFamilies database;
  Claim(database.db()
            ->Put(WriteOptions(), database.family(1), "key", "value")
            .ok());
  Claim(database.db()->Flush(FlushOptions(), database.family(1)).ok());
  FuzzFiles tables = database.TakeFiles();
  std::erase_if(tables,
                [](const auto& file) { return !file.first.ends_with(".sst"); });
  return tables;
}

// What an open or a repair finds where a MANIFEST is short or gone.
void AddLostManifests(Corpus* corpus) {
  const FuzzBase base = MakeFuzzFamiliesBase();
  for (const bool gone : {false, true}) {
    FuzzDirectoryInput directory;
    directory.flags = 2;
    for (const auto& [name, bytes] : base.files) {
      auto file = FileOf(name, bytes);
      if (!file) continue;
      if (file->kind == FuzzFileKind::kManifest) {
        file->bytes = CutLastRecord(bytes, file->number);
      }
      const bool is_manifest = file->kind == FuzzFileKind::kManifest ||
                               file->kind == FuzzFileKind::kCurrent;
      if (!gone || !is_manifest) directory.files.push_back(*std::move(file));
    }
    for (const unsigned way : {0u, 6u}) {
      directory.mode = static_cast<uint8_t>(way);
      corpus->Add(
          "directory_fuzz",
          (gone ? "no_manifest" : "short_manifest") + std::to_string(way),
          directory.Encode());
    }
  }
  // A flush whose record and whose log are gone, and a family that a table
  // alone names.
  FuzzDirectoryInput flush;
  for (const auto& [name, bytes] : base.files) {
    auto file = FileOf(name, bytes);
    if (!file || name == "000008.log") continue;
    if (file->kind == FuzzFileKind::kManifest) {
      file->bytes = CutLastRecord(bytes, file->number);
    }
    flush.files.push_back(*std::move(file));
  }
  FuzzDirectoryInput orphan;
  orphan.mode = 6;
  for (const auto& [name, bytes] : MakeFuzzOrphan()) {
    orphan.files.push_back(FileOf(name, bytes).value());
  }
  corpus->Add("directory_fuzz", "lost_flush0", flush.Encode());
  flush.mode = 6;
  corpus->Add("directory_fuzz", "lost_flush6", flush.Encode());
  corpus->Add("directory_fuzz", "orphan6", orphan.Encode());
  // A creation that was cut short.
  FuzzDirectoryInput begun;
  begun.flags = 4;
  begun.files.push_back({FuzzFileKind::kManifest, 1, ""});
  corpus->Add("directory_fuzz", "begun", begun.Encode());
  corpus->Add("directory_fuzz", "empty", Byte(0) + Byte(4));
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

void AddCleanlyClosed(Corpus* corpus) {
  std::string bytes;
  LogWriter writer(std::make_unique<FuzzWritableFile>(&bytes), 7);
  Claim(writer.AddRecord("a record").ok());
  Claim(writer.AddCleanCloseMarker(5).ok());
  Claim(writer.Flush().ok());
  corpus->Add("clean_close_fuzz", "marked", Byte(0) + bytes);
  for (const unsigned fill : {9u, 32700u, 32748u, 32761u}) {
    corpus->Add("clean_close_fuzz", "written" + std::to_string(fill),
                Byte(1) + Byte(3) + Short(fill) + Byte(2) + "ab");
  }
}

void AddUserFilters(Corpus* corpus) {
  for (unsigned placement = 0; placement < 3; ++placement) {
    const std::string name = std::to_string(placement);
    corpus->Add("user_filter_fuzz", "asked" + name,
                Byte(0) + Byte(placement) + Byte(0) + Byte(1) + "k" + Byte(0) +
                    "filter" + std::string(8, '\0') + Byte(0x0b));
    for (const unsigned bytes : {0u, 5u, 9u}) {
      corpus->Add("user_filter_fuzz",
                  "built" + name + "_" + std::to_string(bytes),
                  Byte(1) + Byte(placement) + Byte(bytes) + Byte(1) + "a" +
                      Byte(255) + Byte(2) + "bc");
    }
  }
  corpus->Add("user_filter_fuzz", "chunk",
              Byte(2) + Byte(0) + Byte(4) + Byte(1) + "a" + Byte(2) + "bc");
}

void AddWords(Corpus* corpus) {
  int i = 0;
  for (const char* text : {"0x6b31", "0X6B3", "6b", "0x6g", "", "key"}) {
    corpus->Add("tools_fuzz", "text" + std::to_string(i), Byte(0) + text);
    corpus->Add("tools_fuzz", "hex" + std::to_string(i++), Byte(1) + text);
  }
  for (const char* line :
       {"scan\n--from=a\n--to\nb\n--nohex", "get\nk\n--hex\n--\n--hex",
        "--max_keys=x", "--max_keys", "--none", "--help", "-"}) {
    corpus->Add("tools_fuzz", "line" + std::to_string(i++), Byte(8) + line);
  }
}

// Inputs that are instructions to build something from.
void AddBuilt(Corpus* corpus) {
  const std::string text =
      "\x05"
      "alpha"
      "\x03"
      "one"
      "\x10\x20"
      "\x06"
      "alphas"
      "\x03"
      "two"
      "\x08\x02"
      "\x04"
      "beta"
      "\x05"
      "three"
      "\x01\x03"
      "\x05"
      "betas"
      "\x04"
      "four"
      "\x20\x01"
      "\x05"
      "gamma"
      "\x00"
      "\x30\x01";
  for (unsigned i = 0; i < 9; ++i) {
    corpus->Add("block_fuzz", "built" + std::to_string(i),
                Byte(1) + Byte(i / 3) + Byte(i % 3) + Byte(4) + "beta" +
                    Byte(1 + i) + text);
  }
  for (unsigned flags = 0; flags < 16; ++flags) {
    corpus->Add(
        "index_fuzz", "built" + std::to_string(flags),
        Byte(1) + Byte(flags) + Byte(4) + "beta" + Byte(2) + Byte(2) + text);
  }
  const auto codecs = static_cast<unsigned>(BuiltinCodecs().size());
  for (unsigned codec = 0; codec < codecs; ++codec) {
    const std::string rest = Byte(codec) + Byte(40) + text;
    corpus->Add("filter_fuzz", "built" + std::to_string(codec), Byte(1) + rest);
    corpus->Add("filter_fuzz", "damaged" + std::to_string(codec),
                Byte(2) + Byte(0x7f) + std::string(4, '\1') + rest);
  }
  corpus->Add("filter_block_fuzz", "built", Byte(2) + text);
  for (const CompressionType codec : SupportedCompressions()) {
    corpus->Add("compression_fuzz", "round" + std::to_string(codec),
                Byte(1) + Byte(codec) + text + text + text);
  }
  for (unsigned mode : {2u, 3u, 6u, 7u}) {
    const std::string records = Short(9) + Short(5) + "alpha" + Short(40000) +
                                std::string(31, 'b') + Short(0) + Short(2) +
                                "cc";
    // The lost piece: within the first block.
    const std::string lost = (mode & 4) != 0 ? Short(100) + Byte(40) : "";
    corpus->Add("log_fuzz", "written" + std::to_string(mode),
                Byte(mode) + lost + records + records);
  }
}

void AddNames(Corpus* corpus) {
  int i = 0;
  for (const char* name : {"CURRENT",
                           "LOCK",
                           "LOG",
                           "LOG.old.1700000000000000",
                           "IDENTITY",
                           "MANIFEST-000005",
                           "MANIFEST-000005\n",
                           "MANIFEST-4611686018427387903",
                           "OPTIONS-000007",
                           "OPTIONS-000007.dbtmp",
                           "000009.sst",
                           "9.ldb",
                           "000012.log",
                           "000013.dbtmp",
                           "000014.blob",
                           "METADB-1",
                           "1.sst.trash",
                           "18446744073709551616.sst",
                           "-1.log",
                           "00.",
                           "MANIFEST-",
                           ".sst",
                           "5f1b3c0e-7a4d-4e0f-9c35-0a1b2c3d4e5f\n"}) {
    corpus->Add("file_names_fuzz", "name" + std::to_string(i++), name);
  }
}

}  // namespace
}  // namespace tamis

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: make_corpus <recorded data> <out>\n");
    return 2;
  }
  const std::filesystem::path golden =
      std::filesystem::path(argv[1]) / "golden";
  tamis::Corpus corpus(argv[2]);
  tamis::AddOwnTables(&corpus);
  tamis::AddDatabase(&corpus);
  tamis::AddDirectories(&corpus);
  tamis::AddLostManifests(&corpus);
  tamis::AddFormats(&corpus);
  tamis::AddSalvage(&corpus);
  tamis::AddIngested(&corpus);
  tamis::AddCleanlyClosed(&corpus);
  tamis::AddUserFilters(&corpus);
  tamis::AddWords(&corpus);
  tamis::AddBuilt(&corpus);
  tamis::AddNames(&corpus);
  tamis::AddRecordedTables(&corpus, golden);
  tamis::AddRecordedDirectories(&corpus, golden);
  corpus.Report();
  return 0;
}
