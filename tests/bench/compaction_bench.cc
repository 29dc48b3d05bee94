// SPDX-License-Identifier: Apache-2.0
//
// A compaction without its disk, taken apart: each row does what the one above
// it does and one thing more, so that their difference is what that costs.
//
//   Read        k tables, one behind the other: checksum, codec, entries
//   Merge       the same k tables as one sorted walk
//   Keep        CompactionIterator over the merge
//   Rebuild     TableBuilder behind it; argument: 0 plain, 1 filter, 2 filter
//               and snappy
//   Build       the builder alone, from entries that lie in memory
//   Flush       a memtable through CompactionIterator and TableBuilder
//
// Keys of 16 bytes, values of 100 of which half can be compressed.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "tamis/filter_policy.h"

#include "db/compaction_iterator.h"
#include "db/memtable.h"
#include "table/merging_iterator.h"
#include "table/table_builder.h"
#include "table/table_reader.h"
#include "util/random.h"

namespace tamis {
namespace {

constexpr int kEntries = 400'000;
constexpr size_t kValueBytes = 100;

// Files in memory that cost next to nothing: what is measured is not they.
class BytesSink final : public WritableFile {
 public:
  Status Append(const Slice& data) override {
    bytes.append(data.data(), data.size());
    return Status::OK();
  }
  Status Flush() override { return Status::OK(); }
  Status Sync() override { return Status::OK(); }
  Status Close() override { return Status::OK(); }
  uint64_t GetFileSize() const override { return bytes.size(); }

  std::string bytes;
};

class BytesFile final : public RandomAccessFile {
 public:
  explicit BytesFile(const std::string* bytes) : bytes_(bytes) {}
  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    const size_t at = std::min<size_t>(offset, bytes_->size());
    const size_t got = std::min(n, bytes_->size() - at);
    std::memcpy(scratch, bytes_->data() + at, got);
    *result = Slice(scratch, got);
    return Status::OK();
  }

 private:
  const std::string* const bytes_;
};

const KeyOrder& Order() {
  static const KeyOrder order(BytewiseComparator());
  return order;
}

std::string UserKey(uint64_t i) {
  char key[24];
  std::snprintf(key, sizeof(key), "%016llu",
                static_cast<unsigned long long>(i * 3));
  return key;
}

std::string Value(Random* random) {
  std::string value(kValueBytes, 'v');
  for (size_t j = 0; j < kValueBytes / 2; ++j) {
    value[j] = static_cast<char>(random->Uniform(256));
  }
  return value;
}

TableBuildOptions BuildOptions(int64_t form) {
  TableBuildOptions options(Order());
  options.file_name = "bench";
  options.compression = form == 2 ? kSnappyCompression : kNoCompression;
  options.table.filter_policy.reset(form == 0 ? nullptr
                                              : NewBloomFilterPolicy(10));
  return options;
}

// Entries [0, kEntries) dealt out to k tables at random.
class Inputs {
 public:
  explicit Inputs(size_t k) : bytes_(k) {
    std::vector<std::unique_ptr<BytesSink>> files;
    std::vector<std::unique_ptr<TableBuilder>> builders;
    for (size_t i = 0; i < k; ++i) {
      files.push_back(std::make_unique<BytesSink>());
      builders.push_back(
          std::make_unique<TableBuilder>(BuildOptions(2), files[i].get()));
    }
    Random random(7);
    std::string key;
    for (uint64_t i = 0; i < kEntries; ++i) {
      key.clear();
      AppendInternalKey(&key, UserKey(i), 1 + random.Uniform(1 << 20),
                        kTypeValue);
      builders[random.Uniform(k)]->Add(key, Value(&random));
    }
    for (size_t i = 0; i < k; ++i) {
      TAMIS_CHECK(builders[i]->Finish().ok());
      bytes_[i] = std::move(files[i]->bytes);
      TableContext context(Order());
      context.file_name = "bench";
      auto table = TableReader::Open(std::make_unique<BytesFile>(&bytes_[i]),
                                     bytes_[i].size(), context);
      TAMIS_CHECK(table.ok());
      tables_.push_back(std::move(*table));
    }
  }

  std::vector<std::unique_ptr<InternalIterator>> Iterators() const {
    ReadContext context;
    context.fill_cache = false;
    std::vector<std::unique_ptr<InternalIterator>> iterators;
    for (const auto& table : tables_) {
      iterators.push_back(table->NewIterator(context));
    }
    return iterators;
  }

 private:
  std::vector<std::string> bytes_;
  std::vector<std::unique_ptr<TableReader>> tables_;
};

const Inputs& InputsOf(int64_t k) {
  static const Inputs one(1);
  static const Inputs four(4);
  static const Inputs ten(10);
  return k == 1 ? one : k == 4 ? four : ten;
}

// Seconds an entry, shown as nanoseconds.
void ReportPerEntry(benchmark::State& state) {
  state.counters["per_entry"] = benchmark::Counter(
      kEntries, benchmark::Counter::kIsIterationInvariantRate |
                    benchmark::Counter::kInvert);
}

template <typename Iterator>
size_t Walk(Iterator* it) {
  size_t bytes = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    bytes += it->key().size() + it->value().size();
  }
  TAMIS_CHECK(it->status().ok());
  return bytes;
}

void CompactionRead(benchmark::State& state) {
  const Inputs& inputs = InputsOf(state.range(0));
  for (auto _ : state) {
    for (const auto& it : inputs.Iterators()) {
      benchmark::DoNotOptimize(Walk(it.get()));
    }
  }
  ReportPerEntry(state);
}

void CompactionMerge(benchmark::State& state) {
  const Inputs& inputs = InputsOf(state.range(0));
  for (auto _ : state) {
    const auto merged = NewMergingIterator(Order(), inputs.Iterators());
    benchmark::DoNotOptimize(Walk(merged.get()));
  }
  ReportPerEntry(state);
}

CompactionIterator::Options KeepOptions() {
  CompactionIterator::Options options(Order());
  options.bottommost = true;
  return options;
}

void CompactionKeep(benchmark::State& state) {
  const Inputs& inputs = InputsOf(state.range(0));
  for (auto _ : state) {
    const auto merged = NewMergingIterator(Order(), inputs.Iterators());
    CompactionIterator entries(merged.get(), KeepOptions(), nullptr);
    benchmark::DoNotOptimize(Walk(&entries));
  }
  ReportPerEntry(state);
}

template <typename Iterator>
void Rebuild(Iterator* entries, int64_t form, std::string* bytes) {
  BytesSink file;
  file.bytes.swap(*bytes);
  file.bytes.clear();
  TableBuilder builder(BuildOptions(form), &file);
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    builder.Add(entries->key(), entries->value());
  }
  TAMIS_CHECK(builder.Finish().ok());
  file.bytes.swap(*bytes);
}

void CompactionRebuild(benchmark::State& state) {
  const Inputs& inputs = InputsOf(state.range(0));
  std::string bytes;
  for (auto _ : state) {
    const auto merged = NewMergingIterator(Order(), inputs.Iterators());
    CompactionIterator entries(merged.get(), KeepOptions(), nullptr);
    Rebuild(&entries, state.range(1), &bytes);
  }
  ReportPerEntry(state);
}

void CompactionBuild(benchmark::State& state) {
  Random random(7);
  std::vector<std::pair<std::string, std::string>> entries;
  for (uint64_t i = 0; i < kEntries; ++i) {
    std::string key;
    AppendInternalKey(&key, UserKey(i), 0, kTypeValue);
    entries.emplace_back(std::move(key), Value(&random));
  }
  std::string bytes;
  for (auto _ : state) {
    BytesSink file;
    file.bytes.swap(bytes);
    file.bytes.clear();
    TableBuilder builder(BuildOptions(state.range(0)), &file);
    for (const auto& [key, value] : entries) builder.Add(key, value);
    TAMIS_CHECK(builder.Finish().ok());
    file.bytes.swap(bytes);
  }
  ReportPerEntry(state);
}

void FlushRebuild(benchmark::State& state) {
  Random random(7);
  MemTable memtable(Order(), 0, 1);
  std::vector<uint64_t> numbers(kEntries);
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = i;
    std::swap(numbers[i], numbers[random.Uniform(i + 1)]);
  }
  SequenceNumber sequence = 0;
  for (const uint64_t number : numbers) {
    memtable.Add(++sequence, kTypeValue, UserKey(number), Value(&random));
  }
  std::string bytes;
  for (auto _ : state) {
    const auto walk = memtable.NewIterator();
    CompactionIterator entries(walk.get(), CompactionIterator::Options(Order()),
                               nullptr);
    if (state.range(0) < 0) {
      benchmark::DoNotOptimize(Walk(&entries));
    } else {
      Rebuild(&entries, state.range(0), &bytes);
    }
  }
  ReportPerEntry(state);
}

BENCHMARK(CompactionRead)->Arg(1)->Arg(4)->Unit(benchmark::kMillisecond);
BENCHMARK(CompactionMerge)
    ->Arg(1)
    ->Arg(4)
    ->Arg(10)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(CompactionKeep)->Arg(4)->Unit(benchmark::kMillisecond);
BENCHMARK(CompactionRebuild)
    ->ArgsProduct({{4}, {0, 1, 2}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(CompactionBuild)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
// -1: nothing is built.
BENCHMARK(FlushRebuild)->DenseRange(-1, 2)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tamis
