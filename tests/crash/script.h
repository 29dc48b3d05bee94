// SPDX-License-Identifier: Apache-2.0
//
// A Script is a short history of a database, written down in lines:
//
//   # what it is about
//   set write_buffer 3000        an option of every open that follows
//   set callbacks 1              order, merge operator, prefix extractor and
//                                filter policy are a user's, and may throw
//   write sync put a 100, del b  one batch; words in front of it say how: sync,
//                                nowal
//   fill 20 k 200                20 writes of one put each: k00, k01, ...; also
//                                nowal
//   flush | flush f g | flush later | compact | compact f | compact force
//   sync_log
//   jobs 2                       so many background jobs run now
//   read                         all of it, by walks and point reads
//   create f | drop f            a column family
//   checkpoint c                 a copy of it all
//   reopen | close               by the destructor; by Close, then open again
//
// Changes: put <key> <value bytes>, del <key>, single <key>, merge <key>,
// range <begin> <end>. Every value is another one. A key of a family f is
// f:<key>. A database is opened before the first line and closed behind the
// last.
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
  kCreate,
  kDrop,
  kCheckpoint,
  kReopen,
};

struct Operation {
  Act act = Act::kJobs;
  std::string line;  // as it was written
  model::Changes changes;
  bool sync = false;
  bool nowal = false;
  // Flush, compaction: of these families; none: of "default". Otherwise one
  // name, of a family or a checkpoint.
  std::vector<std::string> names;
  // Flush: do not wait. Compaction: of the bottommost level too. Reopen: by
  // Close.
  bool flag = false;
  uint64_t number = 0;
};

// Keys of scripts and models are "<family>:<key>", of "default" ":<key>".
std::string FamilyOf(const std::string& key);
std::string InFamily(const std::string& family, const std::string& key);
// Without the family.
std::string PlainKey(const std::string& key);

struct Script {
  std::string name;
  bool uses_nowal = false;
  std::map<std::string, uint64_t> settings;
  std::vector<Operation> operations;
};

// REQUIRES: the text is one; it is ours, so that a wrong one ends the process.
Script ParseScript(const std::string& name, const std::string& text);

// That of tests/testdata/crash/<name>.txt; "random<n>" is one that the seed n
// makes. Throws DataError where there is no such file.
Script FindScript(const std::string& name);

// The names of those that are written down, in order.
std::vector<std::string> ScriptNames();

}  // namespace tamis::crash
