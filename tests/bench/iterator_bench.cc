// SPDX-License-Identifier: Apache-2.0
//
// Walks over k tables whose blocks are all resident. An argument is k; keys of
// 16 bytes that share their first half, values of 100.
//
//   MergeForward, -Backward   the merge alone: internal keys
//   WalkForward, -Backward    what the user's iterator makes of it
//   WalkSeek, -SeekForPrev    one positioning at a random key
//   Runs                      forward, entries dealt out in runs of 64
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "db/db_iterator.h"
#include "table/merging_iterator.h"
#include "table/table_builder.h"
#include "table/table_reader.h"
#include "util/block_cache.h"
#include "util/random.h"

namespace tamis {
namespace {

constexpr uint64_t kEntries = 200'000;

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

// Entries dealt out at random, so many in a row to the same table.
class Inputs {
 public:
  Inputs(size_t k, uint64_t run) : bytes_(k) {
    std::vector<std::unique_ptr<BytesSink>> files;
    std::vector<std::unique_ptr<TableBuilder>> builders;
    TableBuildOptions options(Order());
    options.file_name = "bench";
    for (size_t i = 0; i < k; ++i) {
      files.push_back(std::make_unique<BytesSink>());
      builders.push_back(
          std::make_unique<TableBuilder>(options, files[i].get()));
    }
    Random random(7);
    size_t table = 0;
    for (uint64_t i = 0; i < kEntries; ++i) {
      if (i % run == 0) table = random.Uniform(k);
      std::string key;
      AppendInternalKey(&key, UserKey(i), i + 1, kTypeValue);
      builders[table]->Add(key, std::string(100, 'v'));
    }
    for (size_t i = 0; i < k; ++i) {
      TAMIS_CHECK(builders[i]->Finish().ok());
      bytes_[i] = std::move(files[i]->bytes);
      TableContext context(Order());
      context.file_name = "bench";
      context.block_cache = cache_;
      auto opened = TableReader::Open(std::make_unique<BytesFile>(&bytes_[i]),
                                      bytes_[i].size(), context);
      TAMIS_CHECK(opened.ok());
      tables_.push_back(std::move(*opened));
    }
  }

  std::unique_ptr<InternalIterator> Merge() const {
    std::vector<std::unique_ptr<InternalIterator>> children;
    for (const auto& table : tables_) {
      children.push_back(table->NewIterator(ReadContext()));
    }
    // As with a memtable in which nothing is.
    children.push_back(NewEmptyIterator());
    return NewMergingIterator(Order(), std::move(children));
  }
  std::unique_ptr<Iterator> Walk() const {
    DBIteratorInputs in;
    in.entries = Merge();
    in.sequence = kMaxSequenceNumber;
    return NewDBIterator(Order(), std::move(in));
  }

 private:
  const std::shared_ptr<BlockCache> cache_ =
      std::make_shared<BlockCache>(size_t{1} << 30);
  std::vector<std::string> bytes_;
  std::vector<std::unique_ptr<TableReader>> tables_;
};

const Inputs& InputsOf(int64_t k) {
  static const Inputs one(1, 1);
  static const Inputs two(2, 1);
  static const Inputs four(4, 1);
  static const Inputs ten(10, 1);
  return k == 1 ? one : k == 2 ? two : k == 4 ? four : ten;
}

// Seconds an entry, shown as nanoseconds.
void ReportPerEntry(benchmark::State& state) {
  state.counters["per_entry"] = benchmark::Counter(
      kEntries, benchmark::Counter::kIsIterationInvariantRate |
                    benchmark::Counter::kInvert);
}

template <typename It>
void Forward(benchmark::State& state, It* it) {
  for (auto _ : state) {
    size_t bytes = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      bytes += it->key().size() + it->value().size();
    }
    TAMIS_CHECK(bytes >= kEntries * 116);
  }
  ReportPerEntry(state);
}

template <typename It>
void Backward(benchmark::State& state, It* it) {
  for (auto _ : state) {
    size_t bytes = 0;
    for (it->SeekToLast(); it->Valid(); it->Prev()) {
      bytes += it->key().size() + it->value().size();
    }
    TAMIS_CHECK(bytes >= kEntries * 116);
  }
  ReportPerEntry(state);
}

void MergeForward(benchmark::State& state) {
  Forward(state, InputsOf(state.range(0)).Merge().get());
}
void MergeBackward(benchmark::State& state) {
  Backward(state, InputsOf(state.range(0)).Merge().get());
}
void WalkForward(benchmark::State& state) {
  Forward(state, InputsOf(state.range(0)).Walk().get());
}
void WalkBackward(benchmark::State& state) {
  Backward(state, InputsOf(state.range(0)).Walk().get());
}
void Runs(benchmark::State& state) {
  static const Inputs inputs(10, 64);
  Forward(state, inputs.Walk().get());
}

void Seeks(benchmark::State& state, void (Iterator::*seek)(const Slice&)) {
  const auto it = InputsOf(state.range(0)).Walk();
  Random random(1);
  std::string key;
  for (auto _ : state) {
    key = UserKey(random.Uniform(kEntries));
    (*it.*seek)(key);
    TAMIS_CHECK(it->Valid());
  }
}
void WalkSeek(benchmark::State& state) { Seeks(state, &Iterator::Seek); }
void WalkSeekForPrev(benchmark::State& state) {
  Seeks(state, &Iterator::SeekForPrev);
}

#define TAMIS_WALK(name) \
  BENCHMARK(name)->ArgName("k")->Arg(1)->Arg(2)->Arg(4)->Arg(10)

TAMIS_WALK(MergeForward)->Unit(benchmark::kMillisecond);
TAMIS_WALK(MergeBackward)->Unit(benchmark::kMillisecond);
TAMIS_WALK(WalkForward)->Unit(benchmark::kMillisecond);
TAMIS_WALK(WalkBackward)->Unit(benchmark::kMillisecond);
TAMIS_WALK(WalkSeek);
TAMIS_WALK(WalkSeekForPrev);
BENCHMARK(Runs)->Unit(benchmark::kMillisecond);

#undef TAMIS_WALK

}  // namespace
}  // namespace tamis
