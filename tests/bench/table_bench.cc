// SPDX-License-Identifier: Apache-2.0
//
// Whole tables, written by an SstFileWriter and scanned by an SstFileReader, of
// Tamis and, if available, of RocksDB, with the same entries and options: 4 KiB
// blocks, Bloom filters with 10 bits, XXH3, and snappy or no compression. Also
// a seek in one block.
#include <cstdio>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "tamis/options.h"
#include "tamis/sst_file_reader.h"
#include "tamis/sst_file_writer.h"

#include "table/block.h"
#include "table/block_builder.h"
#include "util/base/random.h"

#ifdef TAMIS_PEER_LDB
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>
#endif

namespace tamis {
namespace {

constexpr int kEntries = 200'000;
constexpr size_t kValueBytes = 100;

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Keys of 16 bytes, values of which half can be compressed.
const Pairs& Entries() {
  static const Pairs entries = [] {
    Pairs out;
    Random random(7);
    for (int i = 0; i < kEntries; ++i) {
      char key[24];
      std::snprintf(key, sizeof(key), "%016d", i * 3);
      std::string value(kValueBytes, 'v');
      for (size_t j = 0; j < kValueBytes / 2; ++j) {
        value[j] = static_cast<char>(random.Uniform(256));
      }
      out.emplace_back(key, std::move(value));
    }
    return out;
  }();
  return entries;
}

std::string TemporaryFile(const char* engine) {
  const char* directory = std::getenv("TMPDIR");
  return std::string(directory != nullptr ? directory : "/tmp") +
         "/tamis_micro_bench_" + std::to_string(getpid()) + engine + ".sst";
}

struct Ours {
  static constexpr const char* kName = "tamis";

  static Options MakeOptions(bool compressed) {
    Options options;
    options.compression = compressed ? kSnappyCompression : kNoCompression;
    return options;
  }
  static bool Write(bool compressed, const std::string& path) {
    SstFileWriter writer(MakeOptions(compressed));
    if (!writer.Open(path).ok()) return false;
    for (const auto& [key, value] : Entries()) {
      if (!writer.Put(key, value).ok()) return false;
    }
    return writer.Finish().ok();
  }
  static int64_t Scan(bool compressed, const std::string& path) {
    SstFileReader reader(MakeOptions(compressed));
    if (!reader.Open(path).ok()) return 0;
    const std::unique_ptr<Iterator> it(reader.NewIterator(ReadOptions()));
    int64_t bytes = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      bytes += static_cast<int64_t>(it->key().size() + it->value().size());
    }
    return bytes;
  }
};

#ifdef TAMIS_PEER_LDB
struct RocksDB {
  static constexpr const char* kName = "rocksdb";

  static rocksdb::Options MakeOptions(bool compressed) {
    rocksdb::Options options;
    options.compression =
        compressed ? rocksdb::kSnappyCompression : rocksdb::kNoCompression;
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    return options;
  }
  static bool Write(bool compressed, const std::string& path) {
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(),
                                  MakeOptions(compressed));
    if (!writer.Open(path).ok()) return false;
    for (const auto& [key, value] : Entries()) {
      if (!writer.Put(key, value).ok()) return false;
    }
    return writer.Finish().ok();
  }
  static int64_t Scan(bool compressed, const std::string& path) {
    rocksdb::SstFileReader reader(MakeOptions(compressed));
    if (!reader.Open(path).ok()) return 0;
    const std::unique_ptr<rocksdb::Iterator> it(
        reader.NewIterator(rocksdb::ReadOptions()));
    int64_t bytes = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      bytes += static_cast<int64_t>(it->key().size() + it->value().size());
    }
    return bytes;
  }
};
#endif

// Argument: whether snappy is on.
template <typename Engine>
void TableBuild(benchmark::State& state) {
  const std::string path = TemporaryFile(Engine::kName);
  Entries();
  for (auto _ : state) {
    if (!Engine::Write(state.range(0) != 0, path)) {
      state.SkipWithError("the table could not be written");
      break;
    }
  }
  state.SetItemsProcessed(state.iterations() * kEntries);
  std::remove(path.c_str());
}

template <typename Engine>
void TableScan(benchmark::State& state) {
  const std::string path = TemporaryFile(Engine::kName);
  const bool written = Engine::Write(state.range(0) != 0, path);
  for (auto _ : state) {
    const int64_t bytes = written ? Engine::Scan(state.range(0) != 0, path) : 0;
    if (bytes != int64_t{kEntries} * (16 + kValueBytes)) {
      state.SkipWithError("the scan did not show every entry");
      break;
    }
  }
  state.SetItemsProcessed(state.iterations() * kEntries);
  std::remove(path.c_str());
}

BENCHMARK(TableBuild<Ours>)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
#ifdef TAMIS_PEER_LDB
BENCHMARK(TableBuild<RocksDB>)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
#endif
BENCHMARK(TableScan<Ours>)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
#ifdef TAMIS_PEER_LDB
BENCHMARK(TableScan<RocksDB>)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
#endif

// Seeks in a block of 4 KiB in memory.
void BlockSeek(benchmark::State& state) {
  const KeyOrder order(BytewiseComparator());
  BlockBuilder builder(16);
  std::vector<std::string> keys;
  for (const auto& [key, value] : Entries()) {
    if (builder.CurrentSize() > 4096) break;
    std::string internal;
    AppendInternalKey(&internal, key, 1, kTypeValue);
    builder.Add(internal, value);
    keys.push_back(std::move(internal));
  }
  const std::string block = builder.Finish().ToString();
  const std::string file = "bench";
  BlockIterator it;
  it.Open(PinnedBytes::Borrow(block),
          {BlockFormat::Keys::kInternal, BlockFormat::Values::kLengthPrefixed,
           &order},
          {&file, 0});
  size_t i = 0;
  for (auto _ : state) {
    it.Seek(keys[i]);
    benchmark::DoNotOptimize(it.Valid());
    i = (i + 7) % keys.size();
  }
}
BENCHMARK(BlockSeek);

}  // namespace
}  // namespace tamis
