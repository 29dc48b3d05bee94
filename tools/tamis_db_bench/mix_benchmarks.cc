// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/mix_benchmarks.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include "tools/bench_data.h"
#include "tools/tamis_db_bench/bench_thread.h"
#include "tools/tamis_db_bench/read_benchmarks.h"

namespace tamis::bench {

namespace {

// Holds a thread to its share of a rate that follows a sine.
class SinePace {
 public:
  explicit SinePace(const ThreadContext& t)
      : mix_(t.settings->mix),
        threads_(t.settings->threads),
        random_(SeedOf(t) + 1),
        start_(Clock::now()),
        next_change_(start_) {}

  void Await() {
    if (!mix_.sine_rate) return;
    const Clock::time_point now = Clock::now();
    if (now >= next_change_) {
      next_change_ = now + std::chrono::milliseconds(mix_.sine_interval_millis);
      SetRate(std::chrono::duration<double>(now - start_).count());
    }
    Limit(limiter_.get(), 1);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void SetRate(double seconds) {
    const double noise = mix_.sine_noise *
                         (static_cast<double>(random_.Uniform(2001)) - 1000) /
                         1000;
    const double rate = mix_.sine.At(seconds) * (1 + noise) / threads_;
    const auto per_second = std::max<int64_t>(static_cast<int64_t>(rate), 1);
    if (limiter_ == nullptr) {
      limiter_.reset(NewGenericRateLimiter(per_second));
    } else {
      limiter_->SetBytesPerSecond(per_second);
    }
  }

  const MixSettings& mix_;
  const double threads_;
  Random random_;
  const Clock::time_point start_;
  Clock::time_point next_change_;
  std::unique_ptr<RateLimiter> limiter_;
};

// The operations of one thread, and what they counted.
class MixThread {
 public:
  explicit MixThread(const ThreadContext& t)
      : t_(t),
        mix_(t.settings->mix),
        read_options_(ReadOptionsOf(*t.settings)),
        write_options_{.sync = t.settings->sync,
                       .disableWAL = t.settings->disable_wal},
        key_(t.settings->key_size),
        values_(mix_.max_value_size, SeedOf(t), t.settings->compression_ratio),
        // All threads choose from the same keys.
        keys_(mix_.keys, t.settings->seed),
        random_(SeedOf(t)) {
    const double sum = mix_.get_ratio + mix_.put_ratio + mix_.seek_ratio;
    get_below_ = mix_.get_ratio / sum;
    put_below_ = (mix_.get_ratio + mix_.put_ratio) / sum;
  }

  // Does one operation. Returns false after an error.
  bool Run() {
    const double which = Uniform();
    const Slice key = key_.Make(keys_.Sample(Uniform(), Uniform()));
    if (which <= get_below_) {
      ++gets_;
      return ReadOne(t_, read_options_, key, &value_);
    }
    return which <= put_below_ ? Put(key) : Scan(key);
  }

  // RocksDB's words.
  std::string Counts() const {
    char text[160];
    std::snprintf(text, sizeof text,
                  "( Gets:%llu Puts:%llu Seek:%llu, avg size: %.1f value, "
                  "%.1f scan)\n",
                  static_cast<unsigned long long>(gets_),
                  static_cast<unsigned long long>(puts_),
                  static_cast<unsigned long long>(seeks_),
                  Average(value_bytes_, puts_), Average(scanned_, seeks_));
    return text;
  }

 private:
  static double Average(uint64_t sum, uint64_t count) {
    return count == 0 ? 0
                      : static_cast<double>(sum) / static_cast<double>(count);
  }
  // Above 0, at most 1.
  double Uniform() {
    constexpr uint64_t kSteps = uint64_t{1} << 53;
    return static_cast<double>(random_.Uniform(kSteps) + 1) /
           static_cast<double>(kSteps);
  }
  // As in RocksDB, what is above the maximum begins again at 0.
  uint64_t Below(const mix::Pareto& pareto, uint64_t max) {
    const double sample = std::clamp(pareto.Sample(Uniform()), 0.0, 1e18);
    return static_cast<uint64_t>(sample) % max;
  }

  bool Put(const Slice& key) {
    ++puts_;
    const uint64_t bytes =
        std::max<uint64_t>(Below(mix_.value, mix_.max_value_size), 1);
    const Slice value(values_.Next().data(), bytes);
    value_bytes_ += bytes;
    Limit(t_.settings->write_limiter.get(), key.size() + bytes);
    if (!Ok(t_, t_.db->Put(write_options_, key, value))) return false;
    t_.stats->Done(1, key.size() + bytes);
    return true;
  }
  bool Scan(const Slice& key) {
    ++seeks_;
    Limit(t_.settings->read_limiter.get(), 1);
    const uint64_t length = Below(mix_.scan, mix_.max_scan_length);
    const std::unique_ptr<Iterator> it(t_.db->NewIterator(read_options_));
    uint64_t bytes = 0;
    it->Seek(key);
    for (uint64_t n = 0; n < length && it->Valid(); ++n, it->Next()) {
      bytes += it->key().size() + it->value().size();
      ++scanned_;
    }
    if (!Ok(t_, it->status())) return false;
    t_.stats->Done(1, bytes);
    return true;
  }

  const ThreadContext& t_;
  const MixSettings& mix_;
  const ReadOptions read_options_;
  const WriteOptions write_options_;
  NumberedKey key_;
  ValuePool values_;
  const mix::KeySampler keys_;
  Random random_;
  double get_below_ = 0;
  double put_below_ = 0;
  PinnableSlice value_;
  uint64_t gets_ = 0;
  uint64_t puts_ = 0;
  uint64_t seeks_ = 0;
  uint64_t value_bytes_ = 0;
  uint64_t scanned_ = 0;
};

}  // namespace

void MixGraph(const ThreadContext& t) {
  MixThread thread(t);
  SinePace pace(t);
  const uint64_t accesses = t.settings->mix.accesses;
  Quota quota(t, accesses != 0 ? accesses : t.settings->reads_or_num());
  while (quota.Take(1) != 0) {
    pace.Await();
    if (!thread.Run()) return;
  }
  t.stats->Message(thread.Counts());
}

}  // namespace tamis::bench
