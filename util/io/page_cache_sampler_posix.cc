// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "util/base/random.h"
#include "util/io/page_cache_sampler.h"

#if defined(__linux__)
#include <sys/syscall.h>
#endif

namespace tamis {

namespace {

// The distances between sampled reads are 1 to this, with a mean of 16.
constexpr uint32_t kDistanceMax = 31;

// 0: the thread has not read yet.
constinit thread_local uint32_t tls_reads_to_sample = 0;

uint32_t NextDistance() {
  return static_cast<uint32_t>(1 + ThreadRandom() % kDistanceMax);
}

enum class Answer : uint8_t { kCached, kMissing, kNotTold };

#if defined(__linux__)

#if defined(SYS_cachestat)
constexpr long kCachestat = SYS_cachestat;
#else
constexpr long kCachestat = 451;  // Linux 6.5, on every architecture but alpha
#endif

// The kernel defines both structures.
struct CachedRange {
  uint64_t offset;
  uint64_t bytes;
};
struct PageCounts {
  uint64_t cached;
  uint64_t dirty;
  uint64_t writeback;
  uint64_t evicted;
  uint64_t recently_evicted;
};

Answer Look(int fd, uint64_t offset, size_t n, uint64_t page_bytes) {
  static_assert(sizeof(PageCounts) == 40);
  CachedRange range{offset, n};
  PageCounts counts = {};
  if (::syscall(kCachestat, fd, &range, &counts, 0U) != 0) {
    return Answer::kNotTold;
  }
  const uint64_t pages =
      (offset + n - 1) / page_bytes - offset / page_bytes + 1;
  return counts.cached >= pages ? Answer::kCached : Answer::kMissing;
}

#else

Answer Look(int, uint64_t, size_t, uint64_t) { return Answer::kNotTold; }

#endif

}  // namespace

bool IsSampledRead() {
  if (tls_reads_to_sample == 0) tls_reads_to_sample = NextDistance();
  if (--tls_reads_to_sample > 0) return false;
  tls_reads_to_sample = NextDistance();
  return true;
}

PageCacheSampler::PageCacheSampler(int fd)
    : fd_(fd), page_bytes_(static_cast<uint64_t>(::sysconf(_SC_PAGESIZE))) {
  if (Look(fd_, 0, 1, page_bytes_) == Answer::kNotTold) {
    state_.store(State::kUnknown, std::memory_order_relaxed);
  }
}

bool PageCacheSampler::ShouldMap(uint64_t offset, size_t n,
                                 bool is_sampled) const {
  const State state = state_.load(std::memory_order_relaxed);
  if (state == State::kUnknown) return true;
  if (state == State::kWarm && !is_sampled) return true;
  switch (Look(fd_, offset, n, page_bytes_)) {
    case Answer::kNotTold:
      state_.store(State::kUnknown, std::memory_order_relaxed);
      return true;
    case Answer::kMissing:
      if (state != State::kCold) {
        state_.store(State::kCold, std::memory_order_relaxed);
      }
      return false;
    case Answer::kCached:
      if (state == State::kCold && is_sampled) {
        state_.store(State::kWarm, std::memory_order_relaxed);
        was_right_.store(true, std::memory_order_relaxed);
      }
      return true;
  }
  return true;
}

bool PageCacheSampler::LookAgain(uint64_t offset, size_t n) const {
  const bool is_right = Look(fd_, offset, n, page_bytes_) == Answer::kCached;
  if (is_right) {
    was_right_.store(true, std::memory_order_relaxed);
  } else {
    state_.store(State::kUnknown, std::memory_order_relaxed);
  }
  return is_right;
}

}  // namespace tamis
