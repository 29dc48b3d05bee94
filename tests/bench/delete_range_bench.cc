// SPDX-License-Identifier: Apache-2.0
//
// The cost of range deletions in the memtable, through the whole database. The
// argument is the number of existing range deletions, of ten keys each, at
// random among 100,000 entries of 16 + 100 bytes:
//
//   tamis_micro_bench --benchmark_filter=DeleteRange
//
//   Alone                      one more range deletion
//   ThenNewIterator, ThenGet   the same and one read
//   NewIterator, Get           the read alone
//   Scan                       a forward scan, time per entry
//
// The database has no log and does not flush.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <unistd.h>

#include <benchmark/benchmark.h>

#include "tamis/db.h"

#include "tests/bench/per_entry.h"
#include "util/base/random.h"

namespace tamis {
namespace {

constexpr uint64_t kEntries = 100'000;
constexpr uint64_t kKeySpace = 1'000'000;
constexpr uint64_t kDeletedKeys = 10;
constexpr int kIterations = 500;

void Require(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::abort();
}

std::string KeyOf(uint64_t number) {
  std::string key(16, '0');
  for (size_t at = key.size(); number > 0; number /= 10) {
    key[--at] = static_cast<char>('0' + number % 10);
  }
  return key;
}

class Database {
 public:
  explicit Database(int64_t range_deletions) {
    std::filesystem::remove_all(folder_);
    Options options;
    options.create_if_missing = true;
    options.write_buffer_size = size_t{4} << 30;
    Require(DB::Open(options, folder_, &db_));
    write_.disableWAL = true;
    const std::string value(100, 'v');
    for (uint64_t i = 0; i < kEntries; ++i) {
      Require(db_->Put(write_, RandomKey(), value));
    }
    for (int64_t i = 0; i < range_deletions; ++i) DeleteRange();
  }
  ~Database() {
    db_.reset();
    std::filesystem::remove_all(folder_);
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void DeleteRange() {
    const uint64_t begin = random_.Uniform(kKeySpace);
    Require(
        db_->DeleteRange(write_, KeyOf(begin), KeyOf(begin + kDeletedKeys)));
  }
  void Get() {
    const Status status = db_->Get(ReadOptions(), db_->DefaultColumnFamily(),
                                   RandomKey(), &value_);
    if (!status.IsNotFound()) Require(status);
  }
  std::unique_ptr<Iterator> NewIterator() {
    return std::unique_ptr<Iterator>(db_->NewIterator(ReadOptions()));
  }

 private:
  std::string RandomKey() { return KeyOf(random_.Uniform(kKeySpace)); }

  const std::string folder_ = std::filesystem::temp_directory_path().string() +
                              "/tamis_delete_range_bench." +
                              std::to_string(getpid());
  Random random_{7};
  WriteOptions write_;
  PinnableSlice value_;
  std::unique_ptr<DB> db_;
};

void DeleteRangeAlone(benchmark::State& state) {
  Database db(state.range(0));
  for (auto _ : state) db.DeleteRange();
}

void DeleteRangeThenNewIterator(benchmark::State& state) {
  Database db(state.range(0));
  for (auto _ : state) {
    db.DeleteRange();
    benchmark::DoNotOptimize(db.NewIterator());
  }
}

void DeleteRangeThenGet(benchmark::State& state) {
  Database db(state.range(0));
  for (auto _ : state) {
    db.DeleteRange();
    db.Get();
  }
}

void DeleteRangeNewIterator(benchmark::State& state) {
  Database db(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(db.NewIterator());
}

void DeleteRangeGet(benchmark::State& state) {
  Database db(state.range(0));
  for (auto _ : state) db.Get();
}

void DeleteRangeScan(benchmark::State& state) {
  Database db(state.range(0));
  for (auto _ : state) {
    const auto it = db.NewIterator();
    size_t count = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++count;
    benchmark::DoNotOptimize(count);
  }
  ReportPerEntry(state, kEntries);
}

BENCHMARK(DeleteRangeAlone)->Arg(20'000)->Iterations(kIterations);
BENCHMARK(DeleteRangeThenNewIterator)->Arg(20'000)->Iterations(kIterations);
BENCHMARK(DeleteRangeThenGet)->Arg(20'000)->Iterations(kIterations);
BENCHMARK(DeleteRangeNewIterator)->Arg(0)->Arg(20'000);
BENCHMARK(DeleteRangeGet)->Arg(0)->Arg(20)->Arg(20'000);
BENCHMARK(DeleteRangeScan)->Arg(0)->Arg(20)->Arg(20'000);

}  // namespace
}  // namespace tamis
