// SPDX-License-Identifier: Apache-2.0
//
// Objects that databases share: caches, write buffer managers, rate limiters,
// environments, loggers.
#include <cstdarg>
#include <cstdio>

#include "tamis/env.h"

#include "capi/call.h"
#include "capi/types.h"

struct tamis_lru_cache_options_t {
  tamis::LRUCacheOptions rep{size_t{8} << 20};
};
struct tamis_hyper_clock_cache_options_t {
  tamis::HyperClockCacheOptions rep;
};

namespace tamis::capi {
namespace {

// Gives each line to a function of C.
class CallbackLogger final : public Logger {
 public:
  CallbackLogger(InfoLogLevel level,
                 void (*log)(void*, unsigned, char*, size_t), void* priv)
      : Logger(level), log_(log), priv_(priv) {}

  using Logger::Logv;
  void Logv(const char* format, va_list ap) override {
    Logv(INFO_LEVEL, format, ap);
  }
  void Logv(InfoLogLevel level, const char* format, va_list ap) override {
    if (level < GetInfoLogLevel()) return;
    char line[512];
    va_list again;
    va_copy(again, ap);
    const int length = std::vsnprintf(line, sizeof line, format, ap);
    if (length >= static_cast<int>(sizeof line)) {
      std::string longer(static_cast<size_t>(length) + 1, '\0');
      std::vsnprintf(longer.data(), longer.size(), format, again);
      log_(priv_, level, longer.data(), static_cast<size_t>(length));
    } else if (length >= 0) {
      log_(priv_, level, line, static_cast<size_t>(length));
    }
    va_end(again);
  }

 private:
  void (*const log_)(void*, unsigned, char*, size_t);
  void* const priv_;
};

// Writes each line to standard error, behind the prefix.
class StderrLogger final : public Logger {
 public:
  StderrLogger(InfoLogLevel level, std::string prefix)
      : Logger(level), prefix_(std::move(prefix)) {}

  using Logger::Logv;
  void Logv(const char* format, va_list ap) override {
    Logv(INFO_LEVEL, format, ap);
  }
  void Logv(InfoLogLevel level, const char* format, va_list ap) override {
    if (level < GetInfoLogLevel()) return;
    flockfile(stderr);
    if (!prefix_.empty()) std::fprintf(stderr, "%s ", prefix_.c_str());
    std::vfprintf(stderr, format, ap);
    std::fputc('\n', stderr);
    funlockfile(stderr);
  }

 private:
  const std::string prefix_;
};

template <typename CacheOptions>
tamis_cache_t* NewCache(const CacheOptions& options) {
  return Must([&] { return new tamis_cache_t{options.MakeSharedCache()}; });
}

tamis_ratelimiter_t* NewLimiter(int64_t rate, int64_t period, int32_t fairness,
                                RateLimiter::Mode mode, bool auto_tuned) {
  return Must([&] {
    return new tamis_ratelimiter_t{std::shared_ptr<RateLimiter>(
        NewGenericRateLimiter(rate, period, fairness, mode, auto_tuned))};
  });
}

}  // namespace
}  // namespace tamis::capi

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

tamis_lru_cache_options_t* tamis_lru_cache_options_create(void) {
  return Create<tamis_lru_cache_options_t>();
}

void tamis_lru_cache_options_destroy(tamis_lru_cache_options_t* options) {
  delete options;
}

void tamis_lru_cache_options_set_capacity(tamis_lru_cache_options_t* options,
                                          size_t capacity) {
  options->rep.capacity = capacity;
}

void tamis_lru_cache_options_set_num_shard_bits(
    tamis_lru_cache_options_t* options, int num_shard_bits) {
  options->rep.num_shard_bits = num_shard_bits;
}

tamis_memory_allocator_t* tamis_jemalloc_nodump_allocator_create(
    char** errptr) {
  Try(errptr, [] {
    return Status::NotSupported("JemallocNodumpAllocator",
                                "a cache has an allocator of its own");
  });
  return nullptr;
}

void tamis_memory_allocator_destroy(tamis_memory_allocator_t*) {}

void tamis_lru_cache_options_set_memory_allocator(tamis_lru_cache_options_t*,
                                                  tamis_memory_allocator_t*) {}

tamis_cache_t* tamis_cache_create_lru(size_t capacity) {
  return NewCache(LRUCacheOptions(capacity));
}

tamis_cache_t* tamis_cache_create_lru_with_strict_capacity_limit(
    size_t capacity) {
  return Must([&] {
    return new tamis_cache_t{
        NewLRUCache(capacity, -1, /*strict_capacity_limit=*/true)};
  });
}

tamis_cache_t* tamis_cache_create_lru_opts(tamis_lru_cache_options_t* options) {
  return NewCache(options->rep);
}

tamis_cache_t* tamis_cache_create_hyper_clock(size_t capacity,
                                              size_t estimated_entry_charge) {
  return NewCache(HyperClockCacheOptions(capacity, estimated_entry_charge));
}

tamis_hyper_clock_cache_options_t* tamis_hyper_clock_cache_options_create(
    size_t capacity, size_t estimated_entry_charge) {
  return Create<tamis_hyper_clock_cache_options_t>(
      HyperClockCacheOptions(capacity, estimated_entry_charge));
}

void tamis_hyper_clock_cache_options_destroy(
    tamis_hyper_clock_cache_options_t* options) {
  delete options;
}

void tamis_hyper_clock_cache_options_set_capacity(
    tamis_hyper_clock_cache_options_t* options, size_t capacity) {
  options->rep.capacity = capacity;
}

void tamis_hyper_clock_cache_options_set_estimated_entry_charge(
    tamis_hyper_clock_cache_options_t* options, size_t estimated_entry_charge) {
  options->rep.estimated_entry_charge = estimated_entry_charge;
}

tamis_cache_t* tamis_cache_create_hyper_clock_opts(
    const tamis_hyper_clock_cache_options_t* options) {
  return NewCache(options->rep);
}

void tamis_cache_destroy(tamis_cache_t* cache) { delete cache; }

void tamis_cache_disown_data(tamis_cache_t* /*cache*/) {}

void tamis_cache_set_capacity(tamis_cache_t* cache, size_t capacity) {
  Must([&] { cache->rep->SetCapacity(capacity); });
}

size_t tamis_cache_get_capacity(tamis_cache_t* cache) {
  return cache->rep->GetCapacity();
}

size_t tamis_cache_get_usage(tamis_cache_t* cache) {
  return cache->rep->GetUsage();
}

size_t tamis_cache_get_pinned_usage(tamis_cache_t* cache) {
  return cache->rep->GetPinnedUsage();
}

tamis_write_buffer_manager_t* tamis_write_buffer_manager_create(
    size_t buffer_size, unsigned char allow_stall) {
  return tamis_write_buffer_manager_create_with_cache(buffer_size, nullptr,
                                                      allow_stall);
}

tamis_write_buffer_manager_t* tamis_write_buffer_manager_create_with_cache(
    size_t buffer_size, const tamis_cache_t* cache, unsigned char allow_stall) {
  return Must([&] {
    return new tamis_write_buffer_manager_t{
        std::make_shared<WriteBufferManager>(
            buffer_size, cache == nullptr ? nullptr : cache->rep,
            allow_stall != 0)};
  });
}

void tamis_write_buffer_manager_destroy(tamis_write_buffer_manager_t* wbm) {
  delete wbm;
}

unsigned char tamis_write_buffer_manager_enabled(
    tamis_write_buffer_manager_t* wbm) {
  return wbm->rep->enabled() ? 1 : 0;
}

unsigned char tamis_write_buffer_manager_cost_to_cache(
    tamis_write_buffer_manager_t* wbm) {
  return wbm->rep->cost_to_cache() ? 1 : 0;
}

size_t tamis_write_buffer_manager_memory_usage(
    tamis_write_buffer_manager_t* wbm) {
  return wbm->rep->memory_usage();
}

size_t tamis_write_buffer_manager_mutable_memtable_memory_usage(
    tamis_write_buffer_manager_t* wbm) {
  return wbm->rep->mutable_memtable_memory_usage();
}

size_t tamis_write_buffer_manager_dummy_entries_in_cache_usage(
    tamis_write_buffer_manager_t* wbm) {
  return wbm->rep->dummy_entries_in_cache_usage();
}

size_t tamis_write_buffer_manager_buffer_size(
    tamis_write_buffer_manager_t* wbm) {
  return wbm->rep->buffer_size();
}

void tamis_write_buffer_manager_set_buffer_size(
    tamis_write_buffer_manager_t* wbm, size_t new_size) {
  Must([&] { wbm->rep->SetBufferSize(new_size); });
}

tamis_ratelimiter_t* tamis_ratelimiter_create(int64_t rate_bytes_per_sec,
                                              int64_t refill_period_us,
                                              int32_t fairness) {
  return NewLimiter(rate_bytes_per_sec, refill_period_us, fairness,
                    RateLimiter::Mode::kWritesOnly, false);
}

tamis_ratelimiter_t* tamis_ratelimiter_create_auto_tuned(
    int64_t rate_bytes_per_sec, int64_t refill_period_us, int32_t fairness) {
  return NewLimiter(rate_bytes_per_sec, refill_period_us, fairness,
                    RateLimiter::Mode::kWritesOnly, true);
}

tamis_ratelimiter_t* tamis_ratelimiter_create_with_mode(
    int64_t rate_bytes_per_sec, int64_t refill_period_us, int32_t fairness,
    int mode, bool auto_tuned) {
  return NewLimiter(rate_bytes_per_sec, refill_period_us, fairness,
                    static_cast<RateLimiter::Mode>(mode), auto_tuned);
}

void tamis_ratelimiter_destroy(tamis_ratelimiter_t* limiter) { delete limiter; }

tamis_env_t* tamis_create_default_env(void) {
  return Must([] {
    return new tamis_env_t{NewPosixFileSystem(),
                           std::make_shared<EnvThreads>()};
  });
}

tamis_env_t* tamis_create_mem_env(void) {
  return Must([] {
    return new tamis_env_t{NewMemFileSystem(), std::make_shared<EnvThreads>()};
  });
}

void tamis_env_set_background_threads(tamis_env_t* env, int n) {
  env->threads->SetLow(n);
}

int tamis_env_get_background_threads(tamis_env_t* env) {
  return env->threads->low();
}

void tamis_env_set_low_priority_background_threads(tamis_env_t* env, int n) {
  env->threads->SetLow(n);
}

int tamis_env_get_low_priority_background_threads(tamis_env_t* env) {
  return env->threads->low();
}

void tamis_env_set_high_priority_background_threads(tamis_env_t* env, int n) {
  env->threads->SetHigh(n);
}

int tamis_env_get_high_priority_background_threads(tamis_env_t* env) {
  return env->threads->high();
}

void tamis_env_set_bottom_priority_background_threads(tamis_env_t* env, int n) {
  env->threads->SetBottom(n);
}

int tamis_env_get_bottom_priority_background_threads(tamis_env_t* env) {
  return env->threads->bottom();
}

void tamis_env_lower_thread_pool_io_priority(tamis_env_t* /*env*/) {
  Env::Default()->LowerThreadPoolIOPriority(Env::LOW);
}

void tamis_env_lower_high_priority_thread_pool_io_priority(
    tamis_env_t* /*env*/) {
  Env::Default()->LowerThreadPoolIOPriority(Env::HIGH);
}

void tamis_env_lower_thread_pool_cpu_priority(tamis_env_t* /*env*/) {
  Env::Default()->LowerThreadPoolCPUPriority(Env::LOW);
}

void tamis_env_lower_high_priority_thread_pool_cpu_priority(
    tamis_env_t* /*env*/) {
  Env::Default()->LowerThreadPoolCPUPriority(Env::HIGH);
}

void tamis_env_join_all_threads(tamis_env_t* /*env*/) {
  Env::Default()->WaitForJoin();
}

void tamis_env_destroy(tamis_env_t* env) { delete env; }

void tamis_create_dir_if_missing(tamis_env_t* env, const char* path,
                                 char** errptr) {
  Try(errptr, [&] { return env->file_system->CreateDirIfMissing(path); });
}

tamis_logger_t* tamis_logger_create_stderr_logger(int log_level,
                                                  const char* prefix) {
  return Must([&] {
    return new tamis_logger_t{std::make_shared<StderrLogger>(
        static_cast<InfoLogLevel>(log_level), prefix == nullptr ? "" : prefix)};
  });
}

tamis_logger_t* tamis_logger_create_callback_logger(
    int log_level, void (*log)(void*, unsigned lev, char* msg, size_t len),
    void* priv) {
  return Must([&] {
    return new tamis_logger_t{std::make_shared<CallbackLogger>(
        static_cast<InfoLogLevel>(log_level), log, priv)};
  });
}

void tamis_logger_destroy(tamis_logger_t* logger) { delete logger; }
