// SPDX-License-Identifier: Apache-2.0
//
// Opens a database whose log has a given number of MiB, in three families, with
// a write_buffer_size of 64 MiB. Measures seconds and the peak memory of the
// process. Writing the log and opening it are separate processes, so that
// neither includes the other's memory.
//
//   tamis_micro_bench --benchmark_filter=ReplayLog
//
// peak_MiB is the ru_maxrss of the opening process, and start_MiB its value
// before the open.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <benchmark/benchmark.h>

#include "tamis/db.h"

#include "util/base/random.h"

namespace tamis {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr std::array<const char*, 3> kFamilies = {"default", "second", "third"};
constexpr size_t kWriteBufferBytes = 64 * kMiB;
constexpr size_t kEntriesInABatch = 16;

// What a child process reports to its parent.
struct Figures {
  double seconds = 0;
  double start_mib = 0;
  double peak_mib = 0;
};

void Require(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  ::_exit(1);
}

double PeakMiB() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

std::vector<ColumnFamilyHandle*> Open(const std::string& directory,
                                      size_t write_buffer_size,
                                      std::unique_ptr<DB>* db) {
  Options options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.write_buffer_size = write_buffer_size;
  std::vector<ColumnFamilyDescriptor> families;
  for (const char* name : kFamilies) families.emplace_back(name, options);
  std::vector<ColumnFamilyHandle*> handles;
  Require(DB::Open(options, directory, families, &handles, db));
  return handles;
}

// Nothing is flushed, and nothing closed.
[[noreturn]] void WriteLog(const std::string& directory, size_t bytes,
                           size_t value_size) {
  std::unique_ptr<DB> db;
  const auto families = Open(directory, 8 * bytes + kWriteBufferBytes, &db);
  Random random(301);
  size_t written = 0;
  while (written < bytes) {
    WriteBatch batch;
    for (size_t i = 0; i < kEntriesInABatch; ++i) {
      char key[24];
      std::snprintf(key, sizeof(key), "%016llx",
                    static_cast<unsigned long long>(random.Next()));
      std::string value(value_size, 'v');
      for (size_t j = 0; j < value_size / 2; ++j) {
        value[j] = static_cast<char>(random.Uniform(256));
      }
      Require(batch.Put(families[random.Uniform(families.size())], key, value));
    }
    written += batch.GetDataSize();
    Require(db->Write(WriteOptions(), &batch));
  }
  ::_exit(0);
}

[[noreturn]] void Replay(const std::string& directory, Figures* figures) {
  using Clock = std::chrono::steady_clock;
  figures->start_mib = PeakMiB();
  const Clock::time_point start = Clock::now();
  std::unique_ptr<DB> db;
  Open(directory, kWriteBufferBytes, &db);
  figures->peak_mib = PeakMiB();
  figures->seconds =
      std::chrono::duration<double>(Clock::now() - start).count();
  ::_exit(0);
}

// True when the work ended with success. It never returns.
template <typename Work>
bool InAProcess(const Work& work) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) work();
  int status = 1;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

double LogMiB(const std::string& directory) {
  uint64_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(directory)) {
    if (file.path().extension() == ".log") bytes += file.file_size();
  }
  return static_cast<double>(bytes) / static_cast<double>(kMiB);
}

// Arguments: MiB of the log, bytes of a value.
void ReplayLog(benchmark::State& state) {
  const size_t bytes = static_cast<size_t>(state.range(0)) * kMiB;
  const auto value_size = static_cast<size_t>(state.range(1));
  void* const shared = ::mmap(nullptr, sizeof(Figures), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  std::string root = std::filesystem::temp_directory_path() / "replay.XXXXXX";
  if (shared == MAP_FAILED || ::mkdtemp(root.data()) == nullptr) {
    state.SkipWithError("no memory or no directory");
    return;
  }
  auto* const figures = new (shared) Figures();
  for (auto iteration : state) {
    static_cast<void>(iteration);
    const std::string directory = root + "/db";
    std::filesystem::remove_all(directory);
    if (!InAProcess([&] { WriteLog(directory, bytes, value_size); })) {
      state.SkipWithError("the log was not written");
      break;
    }
    state.counters["log_MiB"] = LogMiB(directory);
    if (!InAProcess([&] { Replay(directory, figures); })) {
      state.SkipWithError("the database did not open");
      break;
    }
    state.SetIterationTime(figures->seconds);
    state.counters["start_MiB"] = figures->start_mib;
    state.counters["peak_MiB"] = figures->peak_mib;
  }
  std::filesystem::remove_all(root);
  ::munmap(shared, sizeof(Figures));
}
BENCHMARK(ReplayLog)
    ->Args({64, 1000})
    ->Args({256, 1000})
    ->Args({1024, 1000})
    ->Args({256, 100})
    ->ArgNames({"MiB", "value"})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tamis
