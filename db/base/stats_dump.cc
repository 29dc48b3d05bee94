// SPDX-License-Identifier: Apache-2.0
#include "db/base/stats_dump.h"

#include "util/base/exceptions.h"

namespace tamis {

void StatsDump::Begin() noexcept {
  const uint64_t seconds = context_.Live<&DBOptions::stats_dump_period_sec>();
  if (context_.statistics() == nullptr || seconds == 0) return;
  MutexLock lock(&mutex_);
  if (timer_ != nullptr) timer_->Arm(context_.runner(), seconds * 1'000'000);
}

void StatsDump::BeginAnew() {
  Replace(NewTimer());
  Begin();
}

void StatsDump::Stop() noexcept { Replace(nullptr); }

// The end of a timer waits for its dump, which takes the mutex.
void StatsDump::Replace(std::unique_ptr<AutoResume> fresh) noexcept {
  MutexLock lock(&mutex_);
  if (timer_ != nullptr) timer_.swap(fresh);
}

void StatsDump::DumpAndRepeat() noexcept {
  IgnoreExceptions([this] { Dump(); });
  Begin();
}

void StatsDump::Dump() const {
  context_.event_log->Text("------- DUMPING STATS -------" + text_());
  const Statistics& statistics = *context_.statistics();
  for (uint32_t i = 0; i < TICKER_ENUM_MAX; ++i) {
    const uint64_t count = statistics.getTickerCount(i);
    if (count == 0) continue;
    context_.event_log->Event("statistics")
        .Add("name", Slice(TickerNames()[i]))
        .Add("count", count);
  }
  for (uint32_t i = 0; i < HISTOGRAM_ENUM_MAX; ++i) {
    HistogramData data;
    statistics.histogramData(i, &data);
    if (data.count == 0) continue;
    context_.event_log->Event("statistics")
        .Add("name", Slice(HistogramNames()[i]))
        .Add("p50", static_cast<uint64_t>(data.median))
        .Add("p95", static_cast<uint64_t>(data.percentile95))
        .Add("p99", static_cast<uint64_t>(data.percentile99))
        .Add("max", static_cast<uint64_t>(data.max))
        .Add("count", data.count)
        .Add("sum", data.sum);
  }
}

}  // namespace tamis
