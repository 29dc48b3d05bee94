// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/bench_runner.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <thread>
#include <utility>

#include "tamis/perf_context.h"
#include "tamis/perf_level.h"

#include "tools/tamis_db_bench/bench_report.h"
#include "tools/tamis_db_bench/ycsb_benchmarks.h"
#include "tools/tool_main.h"
#include "util/io/file_io.h"

namespace tamis::bench {

namespace {

constexpr int kSampleMillis = 200;

// What a thread does for its benchmark.
void RunThread(const Benchmark& benchmark, const ThreadContext& thread) {
  const int level = thread.settings->perf_level;
  if (level > kDisable) SetPerfLevel(static_cast<PerfLevel>(level));
  thread.stats->Start();
  benchmark.run(thread);
  thread.stats->Stop();
  if (level > kDisable) {
    thread.stats->Message("PERF_CONTEXT:\n" +
                          get_perf_context()->ToString(true) + "\n");
  }
}

}  // namespace

BenchRunner::BenchRunner(RunnerSettings settings, Settings work)
    : settings_(std::move(settings)), work_(std::move(work)) {}

int BenchRunner::Run(const std::vector<Order>& orders) {
  if (settings_.report_interval_seconds > 0 &&
      !interval_report_.Open(settings_.report_file)) {
    return Failed(Status::IOError(settings_.report_file, std::strerror(errno)));
  }
  for (const Order& order : orders) {
    const int code = RunOrder(order);
    if (code != kExitRight) return code;
  }
  const Status written = WritePage();
  db_.Close();
  if (settings_.json) Print(ToJson(results_, work_.seed));
  return written.ok() ? kExitRight : Failed(written);
}

Status BenchRunner::WritePage() const {
  if (settings_.report_page.empty()) return Status::OK();
  return WriteStringToFile(NewPosixFileSystem().get(),
                           ReportPage(results_, ToJson(results_, work_.seed),
                                      *settings_.timeline, db_.get()),
                           settings_.report_page, /*sync=*/false);
}

void BenchRunner::Say(const std::string& text) const {
  if (!settings_.json) Print(text);
}

Status BenchRunner::Open(bool fresh) {
  if (fresh && !settings_.use_existing_db) {
    db_.Close();
    const Status status = DestroyDB(settings_.directory, settings_.options);
    if (!status.ok()) return status;
  }
  return db_.Open(settings_.kind, settings_.options, settings_.directory);
}

int BenchRunner::RunOrder(const Order& order) {
  const Benchmark& benchmark = *order.benchmark;
  if (benchmark.run == nullptr) return PrintProperties(benchmark);
  for (int i = 0; i < order.warmups; ++i) {
    const int code = RunOnce(benchmark, nullptr);
    if (code != kExitRight) return code;
  }
  BenchResult result{.name = benchmark.name, .runs = {}};
  for (int i = 0; i < order.runs; ++i) {
    const int code = RunOnce(benchmark, &result);
    if (code != kExitRight) return code;
  }
  Say(AverageLines(result, settings_.interval_only));
  results_.push_back(std::move(result));
  return kExitRight;
}

int BenchRunner::RunOnce(const Benchmark& benchmark, BenchResult* result) {
  if (!benchmark.no_db) {
    const Status opened = Open(benchmark.fresh_db);
    if (!opened.ok()) return Failed(opened);
  }
  const auto counted =
      static_cast<size_t>(benchmark.single_thread ? 1 : work_.threads);
  std::vector<ThreadStats> stats(counted +
                                 static_cast<size_t>(benchmark.extra_threads));
  if (work_.histogram || settings_.timeline != nullptr) {
    for (ThreadStats& thread : stats) thread.KeepLatencies();
  }
  if (benchmark.fresh_db || records_ == nullptr) {
    records_ = std::make_unique<ycsb::Records>(work_.num);
  }
  std::vector<YcsbResults> ycsb(benchmark.ycsb ? stats.size() : 0);
  const ProcessUsage before = UsageSoFar();
  RunThreads(benchmark, counted, &stats, &ycsb);
  const ProcessUsage usage = UsageSoFar().Since(before);
  const std::string error = Report(stats).error();
  if (!error.empty()) {
    std::fprintf(stderr, "%s: %s\n", benchmark.name, error.c_str());
    return kExitFailed;
  }
  Status status = db_.CatchUpError();
  if (status.ok() && benchmark.verify != nullptr) {
    status = benchmark.verify(db_.get(), work_);
  }
  if (!status.ok()) return Failed(status);
  const std::span<const ThreadStats> all(stats);
  const OneRun run{Report(all.first(counted)), usage};
  PrintRun(benchmark, counted, stats, ycsb, run);
  if (result != nullptr) result->runs.push_back(run);
  return kExitRight;
}

void BenchRunner::RunThreads(const Benchmark& benchmark, size_t counted,
                             std::vector<ThreadStats>* stats,
                             std::vector<YcsbResults>* ycsb) {
  const auto progress = ShowProgress(benchmark.name, *stats);
  const auto report =
      settings_.report_interval_seconds > 0
          ? interval_report_.Watch(settings_.report_interval_seconds, *stats)
          : nullptr;
  std::unique_ptr<Watcher> samples;
  if (settings_.timeline != nullptr) {
    samples = settings_.timeline->Watch(
        benchmark.name, std::chrono::milliseconds(kSampleMillis), *stats,
        benchmark.no_db ? nullptr : db_.get(),
        settings_.options.statistics.get());
  }
  std::atomic<bool> counted_done{false};
  const uint64_t salt = ++runs_;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < stats->size(); ++i) {
    const ThreadContext context{.db = db_.get(),
                                .directory = &settings_.directory,
                                .settings = &work_,
                                .index = static_cast<int>(i),
                                .salt = salt,
                                .others_done = &counted_done,
                                .stats = &(*stats)[i],
                                .records = records_.get(),
                                .ycsb = ycsb->empty() ? nullptr : &(*ycsb)[i]};
    threads.emplace_back(
        [&benchmark, context] { RunThread(benchmark, context); });
  }
  for (size_t i = 0; i < threads.size(); ++i) {
    if (i == counted) counted_done = true;
    threads[i].join();
  }
  samples.reset();
  if (settings_.timeline != nullptr) settings_.timeline->End();
}

void BenchRunner::PrintRun(const Benchmark& benchmark, size_t counted,
                           const std::vector<ThreadStats>& stats,
                           const std::vector<YcsbResults>& ycsb,
                           const OneRun& run) {
  Say(run.report.Line(benchmark.name, benchmark.lookups) + "\n" +
      UsageLine(run.usage) +
      (work_.histogram ? run.report.Histogram() : std::string()) +
      run.report.messages());
  if (work_.histogram && stats.size() > 1) {
    for (size_t i = 0; i < stats.size(); ++i) {
      const Report one(std::span<const ThreadStats>(stats).subspan(i, 1));
      Say("thread " + std::to_string(i) + (i < counted ? "" : ", not counted") +
          ": " + one.Line(benchmark.name, /*lookups=*/false) + "\n" +
          one.Histogram());
    }
  }
  if (benchmark.ycsb) Say(YcsbReport(benchmark.name, ycsb, db_.get()));
}

int BenchRunner::PrintProperties(const Benchmark& benchmark) {
  const Status opened = Open(false);
  if (!opened.ok()) return Failed(opened);
  for (const std::string& property : benchmark.properties) {
    std::string text;
    if (!db_.get()->GetProperty(property, &text)) {
      return Failed(Status::NotFound(property, "is not a property"));
    }
    const bool named = benchmark.properties.size() > 1;
    Say(named ? property + ": " + text + "\n" : text);
  }
  if (std::string_view(benchmark.name) == "stats" && settings_.statistics) {
    Say(settings_.options.statistics->ToString());
  }
  return kExitRight;
}

}  // namespace tamis::bench
