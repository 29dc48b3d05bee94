// SPDX-License-Identifier: Apache-2.0
//
// The DBOptions that SetDBOptions replaces while other threads read them.
//
//   DBContext::options     as the database was opened
//   LiveDBOptions          for each in its list: the value set since, if any
#pragma once

#include <atomic>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tamis/options.h"

namespace tamis {

// `kMember`: a pointer to a member of DBOptions. Any thread.
template <auto kMember>
class LiveDBOption {
 public:
  using Value =
      std::remove_cvref_t<decltype(std::declval<DBOptions>().*kMember)>;

  LiveDBOption() = default;
  // For one that no other thread uses yet.
  LiveDBOption(LiveDBOption&& other) noexcept
      : value_(other.value_.load()), replaced_(other.replaced_.load()) {}
  LiveDBOption& operator=(LiveDBOption&&) = delete;

  // Returns the last value set, or the one of `given`.
  Value Get(const DBOptions& given) const {
    return replaced_.load(std::memory_order_acquire)
               ? value_.load(std::memory_order_relaxed)
               : given.*kMember;
  }
  void CopyTo(DBOptions* options) const { options->*kMember = Get(*options); }
  void Set(const DBOptions& changed) {
    value_.store(changed.*kMember, std::memory_order_relaxed);
    replaced_.store(true, std::memory_order_release);
  }

 private:
  std::atomic<Value> value_{};
  std::atomic<bool> replaced_{false};
};

// Any thread. Those with kLive in db/options/db_option_fields.cc are the same.
class LiveDBOptions {
 public:
  template <auto kMember>
  auto Get(const DBOptions& given) const {
    return std::get<LiveDBOption<kMember>>(options_).Get(given);
  }
  // Replaces those of `options` by the values in use.
  void CopyTo(DBOptions* options) const {
    std::apply([options](const auto&... one) { (one.CopyTo(options), ...); },
               options_);
  }
  // Takes all from `changed`.
  void Set(const DBOptions& changed) {
    std::apply([&changed](auto&... one) { (one.Set(changed), ...); }, options_);
  }

 private:
  std::tuple<LiveDBOption<&DBOptions::max_background_jobs>,
             LiveDBOption<&DBOptions::max_subcompactions>,
             LiveDBOption<&DBOptions::max_total_wal_size>,
             LiveDBOption<&DBOptions::max_manifest_file_size>,
             LiveDBOption<&DBOptions::compaction_readahead_size>,
             LiveDBOption<&DBOptions::delayed_write_rate>,
             LiveDBOption<&DBOptions::bytes_per_sync>,
             LiveDBOption<&DBOptions::wal_bytes_per_sync>,
             LiveDBOption<&DBOptions::avoid_flush_during_shutdown>,
             LiveDBOption<&DBOptions::max_open_files>,
             LiveDBOption<&DBOptions::stats_dump_period_sec>>
      options_;
};

}  // namespace tamis
