// SPDX-License-Identifier: Apache-2.0
//
// A Script is a short history of a database, written down in lines:
//
//   # a comment
//   set write_buffer 70000       an option of every later open
//   set callbacks 1              order, merge operator, prefix extractor and
//                                filter policy are a user's, and may throw
//   set wal_dir 1                logs have a directory of their own
//   set paths 1                  tables have two
//   set worker 1                 a CompactionService's worker compacts
//   write sync put a 100, del b  one batch; prefixes: sync, nowal
//   fill 20 k 200                20 writes of one put each: k00, k01, ...; also
//                                nowal
//   ingest put a 100, del b      a table of these changes, keys in order;
//                                prefix: move
//   flush | flush f g | flush later | compact | compact f | compact force
//   rewrite_filters | rewrite_filters f | rewrite_filters later
//   sync_log
//   jobs 2                       runs this number of background jobs
//   read                         everything, by scans and point reads
//   create f | drop f            a column family
//   checkpoint c                 a copy of the database
//   reopen | close               by the destructor; by Close, then open again
//
// Changes: put <key> <value bytes>, del <key>, single <key>, merge <key>,
// range <begin> <end>. No two values are equal. A key of a family f is f:<key>.
// The database is opened before the first line and closed after the last.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/model/model.h"

namespace tamis::crash {

enum class Act : uint8_t {
  kWrite,
  kIngest,
  kFlush,
  kCompact,
  kRewriteFilters,
  kSyncLog,
  kJobs,
  kRead,
  kCreate,
  kDrop,
  kCheckpoint,
  kReopen,
};

struct Operation {
  Act act = Act::kJobs;
  std::string line;  // from the script
  model::Changes changes;
  bool sync = false;
  bool nowal = false;
  // Flush, compaction, rewrite: the families; none: "default". Otherwise one,
  // of a family or a checkpoint.
  std::vector<std::string> names;
  // Ingestion: moves the file. Flush, rewrite: without waiting. Compaction:
  // includes the deepest level. Reopen: by Close.
  bool flag = false;
  uint64_t number = 0;
};

// Keys of scripts and models are "<family>:<key>", of "default" ":<key>".
std::string FamilyOf(const std::string& key);
std::string InFamily(const std::string& family, const std::string& key);
// The key without its family.
std::string PlainKey(const std::string& key);

struct Script {
  std::string name;
  bool uses_nowal = false;
  std::map<std::string, uint64_t> settings;
  std::vector<Operation> operations;
};

// A syntax error ends the process, because all scripts are ours.
Script ParseScript(const std::string& name, const std::string& text);

// The script tests/testdata/crash/<name>.txt; "random<n>": one generated from
// seed n. Throws DataError if there is no such file.
Script FindScript(const std::string& name);

// The names of the scripts in files, in order.
std::vector<std::string> ScriptNames();

}  // namespace tamis::crash
