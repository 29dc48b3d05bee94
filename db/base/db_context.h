// SPDX-License-Identifier: Apache-2.0
//
// Shared by all parts of an open database: its directory, options, services and
// identity. Open fills it in; it is constant afterwards.
#pragma once

#include <memory>
#include <string>

#include "tamis/options.h"

#include "db/base/event_log.h"
#include "db/base/listeners.h"
#include "db/base/open_tables.h"
#include "table/internal_key.h"
#include "util/cache/block_cache.h"

namespace tamis {

struct DBContext {
  std::string directory;
  DBOptions options;  // complete: from CompleteOptions
  bool read_only = false;
  bool shared_runner = false;  // that of the process: the user gave none
  // The cache of families whose table options have none.
  std::shared_ptr<BlockCache> block_cache;
  std::unique_ptr<OpenTables> open_tables;  // nullptr: no limit
  std::unique_ptr<EventLog> event_log;      // set before recovery
  // nullptr if there are none. Set with event_log, which outlives it.
  std::unique_ptr<Listeners> listeners;
  std::string db_id;       // contents of IDENTITY
  std::string session_id;  // of this open

  FileSystem* fs() const { return options.file_system.get(); }
  Clock* clock() const { return options.clock.get(); }
  JobRunner* runner() const { return options.job_runner.get(); }
  // Where merge operators log. nullptr before LOG is open, unless the user has
  // set DBOptions::info_log.
  Logger* logger() const {
    return event_log != nullptr ? event_log->logger() : options.info_log.get();
  }
  Statistics* statistics() const { return options.statistics.get(); }
  uint64_t NowSeconds() const { return clock()->NowMicros() / 1'000'000; }
};

}  // namespace tamis
