// SPDX-License-Identifier: Apache-2.0
//
// Shared by all parts of an open database: its directory, options, services and
// identity. Open fills it in; afterwards, it is constant except for what
// SetDBOptions replaces.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tamis/options.h"

#include "db/base/event_log.h"
#include "db/base/listeners.h"
#include "db/base/live_options.h"
#include "db/base/open_tables.h"
#include "db/base/write_stats.h"
#include "table/internal_key.h"
#include "util/cache/block_cache.h"
#include "util/io/sst_file_manager.h"

namespace tamis {

struct DBContext {
  std::string directory;
  // As DBOptions::wal_dir is spelled by SeparateDirectory: empty if the logs
  // are in `directory`.
  std::string wal_dir;
  // SeparateTableDirectories of the open. Those of families that were created
  // later are missing.
  std::vector<std::string> table_directories;
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
  std::string db_id;
  std::string stored_id;   // contents of IDENTITY; empty if there is none
  std::string session_id;  // of this open
  LiveDBOptions live_options;

  // Returns one of live_options: Live<&DBOptions::max_background_jobs>().
  template <auto kMember>
  auto Live() const {
    return live_options.Get<kMember>(options);
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
