// SPDX-License-Identifier: Apache-2.0
//
// DBImpl::Write checks the call and the batch, then calls the write path
// (write_path.h).
#include <algorithm>

#include "db/db_impl.h"
#include "db/wal/write_batch_internal.h"
#include "util/stats/histogram_timer.h"
#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

// Counts the time of a write that no other counter of the PerfContext has.
class RestOfWriteTimer {
 public:
  RestOfWriteTimer()
      : timed_(tls_perf_level >= kEnableTimeExceptForMutex),
        others_(timed_ ? Others() : 0),
        timer_(&tls_perf_context.write_pre_and_post_process_time) {}
  ~RestOfWriteTimer() {
    timer_.Stop();
    if (!timed_) [[likely]]
      return;
    uint64_t& rest = tls_perf_context.write_pre_and_post_process_time;
    rest -= std::min(rest, Others() - others_);
  }
  RestOfWriteTimer(const RestOfWriteTimer&) = delete;
  RestOfWriteTimer& operator=(const RestOfWriteTimer&) = delete;

 private:
  static uint64_t Others() {
    const PerfContext& perf = tls_perf_context;
    return perf.write_wal_time + perf.write_memtable_time +
           perf.write_delay_time + perf.write_thread_wait_nanos +
           perf.write_scheduling_flushes_compactions_time;
  }

  const bool timed_;  // decided once: the program may change the level
  const uint64_t others_;
  PerfTimer timer_;
};

}  // namespace

Status DBImpl::CheckOpen() const {
  const State state = state_.load(std::memory_order_acquire);
  if (state == State::kOpen) return Status::OK();
  if (state == State::kFenced) return fence_;
  return Status::ShutdownInProgress(context_.directory,
                                    "the database is closed");
}

Status DBImpl::CheckReadable() const {
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  return lock_read_check_ == nullptr ? Status::OK() : lock_read_check_();
}

Status DBImpl::CheckMayWrite() const {
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  if (!context_.read_only) return Status::OK();
  return Status::NotSupported(context_.directory,
                              "the database is open for reading only");
}

Status DBImpl::AwaitRateLimiter(const WriteOptions& options,
                                uint64_t bytes) const {
  if (options.rate_limiter_priority != IO_USER || options.disableWAL) {
    return Status::InvalidArgument(
        "WriteOptions",
        "rate_limiter_priority must be IO_TOTAL, or IO_USER without "
        "disableWAL");
  }
  RateLimiter* const limiter = context_.options.rate_limiter.get();
  if (limiter != nullptr) {
    limiter->Request(static_cast<int64_t>(bytes), IO_USER,
                     context_.statistics(), RateLimiter::OpType::kWrite);
  }
  return Status::OK();
}

Status DBImpl::Write(const WriteOptions& options, WriteBatch* batch,
                     WriteCondition* condition, const LogMarks* marks) {
  const HistogramTimer timing(context_.statistics(), DB_WRITE);
  const RestOfWriteTimer rest;
  if (batch == nullptr) {
    return Status::InvalidArgument("Write", "the batch is nullptr");
  }
  if (options.sync && options.disableWAL) {
    return Status::InvalidArgument("WriteOptions",
                                   "sync and disableWAL exclude each other");
  }
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  if (options.rate_limiter_priority != IO_TOTAL) [[unlikely]] {
    TAMIS_RETURN_IF_ERROR(AwaitRateLimiter(options, batch->GetDataSize()));
  }
  if (options.low_pri) [[unlikely]] {
    TAMIS_RETURN_IF_ERROR(write_path_.DelayLowPriority(batch->GetDataSize(),
                                                       options.no_slowdown));
  }
  WriteQueue::Writer writer(batch, options);
  writer.condition = condition;
  writer.marks = marks;
  if (!WriteBatchInternal::IsPlain(*batch)) {
    TAMIS_RETURN_IF_ERROR(write_path_.CheckBatch(
        *batch, options.ignore_missing_column_families, &writer.families));
  }
  return write_path_.Write(&writer);
}

}  // namespace tamis
