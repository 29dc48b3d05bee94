// SPDX-License-Identifier: Apache-2.0
//
// Shared by all parts of an open database: its directory, options, services and
// identity. Open fills it in; afterwards, it is constant except for what
// SetDBOptions replaces.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "tamis/options.h"

#include "db/base/event_log.h"
#include "db/base/listeners.h"
#include "db/base/open_tables.h"
#include "db/base/write_stats.h"
#include "table/internal_key.h"
#include "util/cache/block_cache.h"
#include "util/io/sst_file_manager.h"

namespace tamis {

// A value that may be replaced while others read it. Any thread.
template <typename Value>
class Replaceable {
 public:
  Replaceable() = default;
  // For a context that no other thread uses yet.
  Replaceable(Replaceable&& other) noexcept
      : value_(other.value_.load()), replaced_(other.replaced_.load()) {}
  Replaceable& operator=(Replaceable&&) = delete;

  // Returns the last value set, or the given one.
  Value Or(Value given) const {
    return replaced_.load(std::memory_order_acquire)
               ? value_.load(std::memory_order_relaxed)
               : given;
  }
  void Set(Value value) {
    value_.store(value, std::memory_order_relaxed);
    replaced_.store(true, std::memory_order_release);
  }

 private:
  std::atomic<Value> value_{};
  std::atomic<bool> replaced_{false};
};

struct DBContext {
  std::string directory;
  // As DBOptions::wal_dir is spelled by SeparateWalDir: empty if the logs are
  // in `directory`.
  std::string wal_dir;
  DBOptions options;  // complete: from CompleteOptions
  bool read_only = false;
  bool shared_runner = false;  // that of the process: the user gave none
  // The cache of families whose table options have none.
  std::shared_ptr<BlockCache> block_cache;
  std::unique_ptr<OpenTables> open_tables;  // nullptr: no limit
  std::unique_ptr<EventLog> event_log;      // set before recovery
  // nullptr if there are none. Set with event_log, which outlives it.
  std::unique_ptr<Listeners> listeners;
  std::unique_ptr<WriteStats> write_stats = std::make_unique<WriteStats>();
  std::string db_id;       // contents of IDENTITY
  std::string session_id;  // of this open
  // What SetDBOptions replaces: not read from `options`.
  Replaceable<int> new_max_background_jobs;
  Replaceable<uint32_t> new_max_subcompactions;
  Replaceable<uint64_t> new_max_total_wal_size;
  Replaceable<uint64_t> new_max_manifest_file_size;
  Replaceable<size_t> new_compaction_readahead_size;

  int max_background_jobs() const {
    return new_max_background_jobs.Or(options.max_background_jobs);
  }
  uint32_t max_subcompactions() const {
    return new_max_subcompactions.Or(options.max_subcompactions);
  }
  uint64_t max_total_wal_size() const {
    return new_max_total_wal_size.Or(options.max_total_wal_size);
  }
  uint64_t max_manifest_file_size() const {
    return new_max_manifest_file_size.Or(options.max_manifest_file_size);
  }
  size_t compaction_readahead_size() const {
    return new_compaction_readahead_size.Or(options.compaction_readahead_size);
  }
  // That of the logs, of their archive and of lost ones.
  const std::string& log_directory() const {
    return wal_dir.empty() ? directory : wal_dir;
  }
  FileSystem* fs() const { return options.file_system.get(); }
  Clock* clock() const { return options.clock.get(); }
  JobRunner* runner() const { return options.job_runner.get(); }
  // Where merge operators log. nullptr before LOG is open, unless the user has
  // set DBOptions::info_log.
  Logger* logger() const {
    return event_log != nullptr ? event_log->logger() : options.info_log.get();
  }
  Statistics* statistics() const { return options.statistics.get(); }
  // nullptr if there is none.
  SstFileManagerImpl* sst_file_manager() const {
    return SstFileManagerImpl::Of(options.sst_file_manager.get());
  }
  uint64_t NowSeconds() const { return clock()->NowMicros() / 1'000'000; }
};

}  // namespace tamis
