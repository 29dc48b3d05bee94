// SPDX-License-Identifier: Apache-2.0
//
// A Script is a short history of a database, written down in lines:
//
//   set write_buffer 3000        an option of every open that follows
//   write sync put a 100, del b  one batch; words in front of it say how
//   fill 20 k 200                20 writes of one put each: k00, k01, ...
//   flush | flush later | compact | compact force | sync_log
//   jobs 2                       so many background jobs run now
//   read                         all of it, by walks and point reads
//   reopen | close               by the destructor; by Close, then open again
//
// Changes: put <key> <value bytes>, del <key>, single <key>, merge <key>,
// range <begin> <end>. Every value is another one. A database is opened before
// the first line and closed behind the last.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/model/model.h"

namespace tamis::crash {

enum class Act : uint8_t {
  kWrite,
  kFlush,
  kCompact,
  kSyncLog,
  kJobs,
  kRead,
  kReopen,
};

struct Operation {
  Act act = Act::kJobs;
  std::string line;  // as it was written
  model::Changes changes;
  bool sync = false;
  // Flush: do not wait. Compaction: of the bottommost level too. Reopen: by
  // Close.
  bool flag = false;
  uint64_t number = 0;
};

struct Script {
  std::string name;
  std::map<std::string, uint64_t> settings;
  std::vector<Operation> operations;
};

// REQUIRES: the text is one; it is ours, so that a wrong one ends the process.
Script ParseScript(const std::string& name, const std::string& text);

// The script of that name; "random<n>" is one that the seed n makes.
Script FindScript(const std::string& name);

// The names of those that are written down.
std::vector<std::string> ScriptNames();

}  // namespace tamis::crash
