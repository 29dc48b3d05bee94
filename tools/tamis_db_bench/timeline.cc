// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/timeline.h"

#include <algorithm>
#include <utility>

namespace tamis::bench {

namespace {

constexpr Tickers kTickers[] = {BLOCK_CACHE_DATA_HIT,
                                BLOCK_CACHE_DATA_MISS,
                                BLOCK_CACHE_INDEX_HIT,
                                BLOCK_CACHE_INDEX_MISS,
                                BLOCK_CACHE_FILTER_HIT,
                                BLOCK_CACHE_FILTER_MISS,
                                BLOOM_FILTER_USEFUL,
                                BLOOM_FILTER_FULL_POSITIVE,
                                BLOOM_FILTER_FULL_TRUE_POSITIVE,
                                BYTES_WRITTEN,
                                FLUSH_WRITE_BYTES,
                                COMPACT_WRITE_BYTES,
                                COMPACT_READ_BYTES,
                                STALL_MICROS};

}  // namespace

// Threads of the database call it.
class Timeline::Events final : public EventListener {
 public:
  explicit Events(Clock::time_point start) : start_(start) {}

  void OnFlushBegin(DB*, const FlushJobInfo& info) override {
    Begin("flush", info.job_id, "flush of " + info.cf_name);
  }
  void OnFlushCompleted(DB*, const FlushJobInfo& info) override {
    End("flush", info.job_id, "");
  }
  void OnCompactionBegin(DB*, const CompactionJobInfo& info) override {
    Begin("compaction", info.job_id,
          "compaction of " + std::to_string(info.input_files.size()) +
              " tables of level " + std::to_string(info.base_input_level) +
              " into level " + std::to_string(info.output_level));
  }
  void OnCompactionCompleted(DB*, const CompactionJobInfo& info) override {
    End("compaction", info.job_id,
        ": " + ShortNumber(static_cast<double>(info.stats.total_input_bytes)) +
            "B read, " +
            ShortNumber(static_cast<double>(info.stats.total_output_bytes)) +
            "B written");
  }
  void OnStallConditionsChanged(const WriteStallInfo& info) override {
    const bool stalls = info.condition.cur != WriteStallCondition::kNormal;
    End("stall", 0, "");
    if (!stalls) return;
    Begin("stall", 0,
          info.condition.cur == WriteStallCondition::kStopped
              ? "writes stopped"
              : "writes slowed down");
  }

  std::vector<ChartBand> Bands(const std::vector<std::string>& kinds,
                               double now) const {
    const std::lock_guard lock(mutex_);
    std::vector<ChartBand> bands = ended_;
    for (const auto& [id, band] : open_) {
      bands.push_back(band);
      bands.back().to = now;
    }
    std::erase_if(bands, [&kinds](const ChartBand& band) {
      return std::find(kinds.begin(), kinds.end(), band.kind) == kinds.end();
    });
    return bands;
  }

 private:
  double Now() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }
  void Begin(const std::string& kind, int id, std::string label) {
    const std::lock_guard lock(mutex_);
    open_[{kind, id}] = {Now(), 0, kind, std::move(label)};
  }
  void End(const std::string& kind, int id, const std::string& more) {
    const std::lock_guard lock(mutex_);
    const auto at = open_.find({kind, id});
    if (at == open_.end()) return;
    at->second.to = Now();
    at->second.label += more;
    ended_.push_back(std::move(at->second));
    open_.erase(at);
  }

  const Clock::time_point start_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, ChartBand> open_;
  std::vector<ChartBand> ended_;
};

Timeline::Timeline()
    : start_(Clock::now()), events_(std::make_shared<Events>(start_)) {}

std::shared_ptr<EventListener> Timeline::listener() const { return events_; }

double Timeline::Now() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

std::unique_ptr<Watcher> Timeline::Watch(
    const std::string& benchmark, std::chrono::milliseconds interval,
    const std::vector<ThreadStats>& threads, DB* db, Statistics* statistics) {
  threads_ = &threads;
  db_ = db;
  statistics_ = statistics;
  last_seconds_ = Now();
  last_operations_ = 0;
  last_latencies_.assign(threads.size(), LatencyHistogram());
  for (const Tickers ticker : kTickers) {
    last_tickers_[ticker] =
        statistics != nullptr ? statistics->getTickerCount(ticker) : 0;
  }
  benchmarks_.push_back({last_seconds_, benchmark});
  return std::make_unique<Watcher>(interval, [this] { Sample(); });
}

void Timeline::End() {
  if (threads_ != nullptr) Sample();
  threads_ = nullptr;
}

void Timeline::Sample() {
  TimelineSample sample;
  sample.benchmark = benchmarks_.size();
  sample.seconds = Now();
  sample.interval = std::max(sample.seconds - last_seconds_, 1e-6);
  last_seconds_ = sample.seconds;
  uint64_t operations = 0;
  for (size_t i = 0; i < threads_->size(); ++i) {
    const ThreadStats& thread = (*threads_)[i];
    operations += thread.operations();
    const LatencyHistogram* const latency = thread.latency();
    if (latency == nullptr) continue;
    LatencyHistogram fresh;
    fresh.AddSince(last_latencies_[i], *latency);
    sample.latency.Merge(fresh);
    last_latencies_[i].Merge(fresh);
  }
  sample.operations = operations - last_operations_;
  last_operations_ = operations;
  if (db_ != nullptr) {
    ColumnFamilyMetaData family;
    db_->GetColumnFamilyMetaData(&family);
    for (const LevelMetaData& level : family.levels) {
      sample.level_bytes.push_back(level.size);
      sample.level_files.push_back(level.files.size());
    }
  }
  for (auto& [ticker, last] : last_tickers_) {
    if (statistics_ == nullptr) break;
    const uint64_t now = statistics_->getTickerCount(ticker);
    sample.tickers[ticker] = now - last;
    last = now;
  }
  samples_.Add(std::move(sample));
}

std::vector<ChartBand> Timeline::Bands(
    const std::vector<std::string>& kinds) const {
  return events_->Bands(kinds, Now());
}

}  // namespace tamis::bench
