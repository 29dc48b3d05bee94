// SPDX-License-Identifier: Apache-2.0
//
// The cost of a Put of 16 + 100 bytes: through the whole database, with and
// without a log, alone, in batches of 32 and from four threads; and of the log
// alone, with stores in place and with one system call per record.
//
//   tamis_micro_bench --benchmark_filter='Write|AddRecord'
//
// Memtables are larger than the data, so that no flush runs. Random: keys in
// random order.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <unistd.h>

#include <benchmark/benchmark.h>

#include "tamis/db.h"

#include "db/wal/log_writer.h"

namespace tamis {
namespace {

constexpr int kIterations = 500'000;
constexpr uint64_t kKeys = 1 << 22;
constexpr size_t kValueBytes = 100;

void Require(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::abort();
}

std::string Folder() {
  return std::filesystem::temp_directory_path().string() +
         "/tamis_write_bench." + std::to_string(getpid());
}

// The i-th key; `random`: of a permutation.
class Keys {
 public:
  explicit Keys(bool random) : random_(random) {}
  Slice operator()(uint64_t i) {
    uint64_t number = random_ ? i * 0x9e3779b1 % kKeys : i;
    for (size_t at = sizeof(key_); at-- > 0; number /= 10) {
      key_[at] = static_cast<char>('0' + number % 10);
    }
    return {key_, sizeof(key_)};
  }

 private:
  const bool random_;
  char key_[16];
};

std::unique_ptr<DB> OpenNew() {
  std::filesystem::remove_all(Folder());
  Options options;
  options.create_if_missing = true;
  options.write_buffer_size = size_t{4} << 30;
  std::unique_ptr<DB> db;
  Require(DB::Open(options, Folder(), &db));
  return db;
}

// Arguments: keys in no order, logged, changes of a batch.
void BM_Write(benchmark::State& state) {
  static std::unique_ptr<DB> db;
  static std::atomic<uint64_t> next;
  if (state.thread_index() == 0) {
    db = OpenNew();
    next = 0;
  }
  const auto batch_size = static_cast<uint64_t>(state.range(2));
  WriteOptions options;
  options.disableWAL = state.range(1) == 0;
  Keys keys(state.range(0) != 0);
  const std::string value(kValueBytes, 'v');
  WriteBatch batch;
  for (auto _ : state) {
    const uint64_t first =
        next.fetch_add(batch_size, std::memory_order_relaxed);
    if (batch_size == 1) {
      Require(db->Put(options, keys(first), value));
      continue;
    }
    batch.Clear();
    for (uint64_t i = first; i < first + batch_size; ++i) {
      Require(batch.Put(keys(i), value));
    }
    Require(db->Write(options, &batch));
  }
  state.SetItemsProcessed(state.iterations() * state.range(2));
  if (state.thread_index() == 0) {
    db.reset();
    std::filesystem::remove_all(Folder());
  }
}
BENCHMARK(BM_Write)
    ->ArgNames({"random", "logged", "batch"})
    ->Args({0, 1, 1})
    ->Args({1, 1, 1})
    ->Args({0, 0, 1})
    ->Args({1, 0, 1})
    ->Iterations(kIterations)
    ->UseRealTime();
BENCHMARK(BM_Write)
    ->ArgNames({"random", "logged", "batch"})
    ->Args({1, 1, 32})
    ->Iterations(kIterations / 32)
    ->UseRealTime();
BENCHMARK(BM_Write)
    ->ArgNames({"random", "logged", "batch"})
    ->Args({1, 1, 1})
    ->Iterations(kIterations / 4)
    ->Threads(4)
    ->UseRealTime();

// Arguments: in place, bytes of the payload.
void BM_AddRecord(benchmark::State& state) {
  const auto fs = NewPosixFileSystem();
  Require(fs->CreateDirIfMissing(Folder()));
  std::unique_ptr<WritableFile> file;
  Require(fs->NewWritableFile(Folder() + "/log", &file));
  LogWriter log(std::move(file), FileNumber(1),
                state.range(0) != 0 ? LogWriter::Style::kInPlace
                                    : LogWriter::Style::kAppended);
  const std::string record(static_cast<size_t>(state.range(1)), 'r');
  for (auto _ : state) {
    Require(log.AddRecord(record));
    Require(log.Flush());
  }
  Require(log.Close());
  std::filesystem::remove_all(Folder());
}
BENCHMARK(BM_AddRecord)
    ->ArgNames({"in_place", "bytes"})
    ->Args({1, 131})
    ->Args({0, 131})
    ->Iterations(kIterations);
BENCHMARK(BM_AddRecord)
    ->ArgNames({"in_place", "bytes"})
    ->Args({1, 4000})
    ->Args({0, 4000})
    ->Iterations(kIterations / 30);
BENCHMARK(BM_AddRecord)
    ->ArgNames({"in_place", "bytes"})
    ->Args({1, 200'000})
    ->Args({0, 200'000})
    ->Iterations(kIterations / 1000);

}  // namespace
}  // namespace tamis
