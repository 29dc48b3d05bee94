// SPDX-License-Identifier: Apache-2.0
#include "db/stall_controller.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "db/compaction/compaction_style.h"
#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

constexpr uint64_t kDelayMicros = 1000;
constexpr uint64_t kLowBytesPerSecond = 1 << 20;

// Returns why the family's memtable must not be switched, or nullopt if it may
// be switched.
std::optional<StallCause> StopCause(const ColumnFamily& family) {
  const ColumnFamilyOptions& options = family.options();
  if (family.dropped()) return std::nullopt;
  if (static_cast<int>(family.immutables().size()) + 1 >=
      options.max_write_buffer_number) {
    return StallCause::kMemTables;
  }
  StallCause cause = StallCause::kLevel0;
  if (LagOf(*family.version(), options, family.LowestUnflushed(), &cause) !=
      CompactionLag::kStops) {
    return std::nullopt;
  }
  return cause;
}

}  // namespace

void StallController::Delay(uint64_t bytes, const bool& closed) {
  mutex_.AssertHeld();
  const PerfTimer timer(&tls_perf_context.write_delay_time, kEnableWait);
  const uint64_t rate = context_.Live<&DBOptions::delayed_write_rate>();
  const uint64_t delay =
      rate == 0 ? kDelayMicros
                : static_cast<uint64_t>(static_cast<double>(bytes) * 1e6 /
                                        static_cast<double>(rate)) +
                      1;
  const uint64_t start = context_.clock()->NowMicros();
  const bool ended = mutex_.WaitFor(
      context_.runner(), scheduler_.changed(), *context_.clock(), delay, [&] {
        return !MustDelay() || !errors_.ok() || closed || scheduler_.stopping();
      });
  const uint64_t micros =
      ended ? std::min(context_.clock()->NowMicros() - start, delay) : delay;
  Count(micros);
}

void StallController::CountStop(ColumnFamily* family, StallCause cause) const {
  mutex_.AssertHeld();
  StallCounts& stalls = family->stats().stalls;
  ++stalls[cause].stops;
  if (cause == StallCause::kLevel0 && scheduler_.CompactsLevel0(*family)) {
    ++stalls.with_compaction.stops;
  }
}

void StallController::Count(uint64_t micros) const {
  context_.write_stats->stall_micros.Add(micros);
  Statistics* const statistics = context_.statistics();
  if (statistics == nullptr) return;
  statistics->recordTick(STALL_MICROS, micros);
  statistics->reportTimeToHistogram(WRITE_STALL, micros);
}

// Each write takes a turn, as long as its bytes take at kLowBytesPerSecond.
Status StallController::DelayLowPriority(uint64_t bytes, bool no_slowdown) {
  MutexLock lock(&mutex_);
  if (!scheduler_.compaction_is_pressing()) return Status::OK();
  const PerfTimer timer(&tls_perf_context.write_delay_time, kEnableWait);
  if (no_slowdown) {
    return Status::Incomplete(
        "Low priority write stall",
        "compactions are behind, and the write has no_slowdown");
  }
  const uint64_t start = context_.clock()->NowMicros();
  next_low_ = std::max(next_low_, start) +
              std::max<uint64_t>(bytes * 1'000'000 / kLowBytesPerSecond, 1);
  const uint64_t micros = next_low_ - start;
  const bool ended =
      mutex_.WaitFor(context_.runner(), scheduler_.changed(), *context_.clock(),
                     micros, [this] {
                       mutex_.AssertHeld();
                       return !scheduler_.compaction_is_pressing() ||
                              !errors_.ok() || scheduler_.stopping();
                     });
  if (ended) next_low_ = 0;
  return Status::OK();
}

bool StallController::MaySwitch(
    std::span<const ColumnFamilyPtr> families) const {
  mutex_.AssertHeld();
  return std::none_of(families.begin(), families.end(), [](const auto& family) {
    return StopCause(*family).has_value();
  });
}

bool StallController::MustWaitForBuffers() const {
  mutex_.AssertHeld();
  const auto* const manager = context_.options.write_buffer_manager.get();
  if (manager == nullptr || !manager->ShouldStall()) return false;
  const ColumnFamilySet::ViewPtr families = versions_.families().view();
  return std::any_of(families->begin(), families->end(),
                     [](const ColumnFamilyPtr& family) {
                       return !family->immutables().empty();
                     });
}

void StallController::WaitForBuffers(const bool& closed) {
  mutex_.AssertHeld();
  const PerfTimer timer(&tls_perf_context.write_delay_time, kEnableWait);
  context_.event_log->Event("write_stop_start")
      .Add("cause", Slice("write_buffer_manager"));
  context_.write_stats->buffer_stops.Add(1);
  const uint64_t start = context_.clock()->NowMicros();
  scheduler_.FlushImmutablesOf(*versions_.families().view());
  mutex_.Wait(context_.runner(), scheduler_.changed(), [&] {
    return !MustWaitForBuffers() || !errors_.ok() || closed ||
           scheduler_.stopping();
  });
  const uint64_t micros = context_.clock()->NowMicros() - start;
  Count(micros);
  context_.event_log->Event("write_stop_end").Add("micros", micros);
}

void StallController::WaitUntilMaySwitch(
    std::span<const ColumnFamilyPtr> families, const bool& closed) {
  mutex_.AssertHeld();
  const PerfTimer timer(&tls_perf_context.write_delay_time, kEnableWait);
  bool told = false;
  for (const ColumnFamilyPtr& family : families) {
    const std::optional<StallCause> cause = StopCause(*family);
    if (!cause) continue;
    CountStop(family.get(), *cause);
    if (std::exchange(told, true)) continue;
    context_.event_log->Event("write_stop_start")
        .Add("family", Slice(family->name()))
        .Add("cause", Slice(StallCauseText(*cause)));
  }
  scheduler_.TellStalls();
  const uint64_t start = context_.clock()->NowMicros();
  mutex_.Wait(context_.runner(), scheduler_.changed(), [&] {
    return MaySwitch(families) || !errors_.ok() || closed ||
           scheduler_.stopping();
  });
  const uint64_t micros = context_.clock()->NowMicros() - start;
  Count(micros);
  context_.event_log->Event("write_stop_end").Add("micros", micros);
  scheduler_.TellStalls();
}

}  // namespace tamis
