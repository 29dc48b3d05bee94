// SPDX-License-Identifier: Apache-2.0
//
// A History is everything that a seed determines before the database is opened:
// its options, its keys, and the sequence of operations. Memtables, blocks,
// files and levels are tiny, so that every seed flushes and compacts often.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tamis/options.h"

#include "tests/model/model.h"

namespace tamis::model {

enum class Act : uint8_t {
  kWrite,
  kTakeSnapshot,
  kReleaseSnapshot,
  kOpenIterator,
  kCloseIterator,
  kFlush,
  kCompactRange,
  kSyncLog,
  kRunJobs,  // runs `number` background jobs that are due
  kCheck,
  kResume,
  kReopen,
  kArm,  // a fault
};

enum class Fault : uint8_t { kPowerCut, kKill, kIOError, kNoSpace };

// The file system calls that a fault counts.
enum class Target : uint8_t {
  kAny,  // including the info log LOG
  kWal,
  kManifest,
  kCurrent,
  kTable,
  kSync,
  kRename,
  kDirectory,
  kRemove,
};

struct Operation {
  Act act = Act::kCheck;
  Changes changes;
  // Writes: sync. Flush: wait. Compactions: includes the deepest level. Reopen:
  // by Close instead of the destructor.
  bool flag = false;
  std::string begin, end;  // compactions: the range; empty: unbounded
  uint64_t number = 0;     // of jobs; or selects a held object
  Fault fault = Fault::kPowerCut;
  Target target = Target::kAny;
};

struct History {
  uint64_t seed = 0;
  // The database is opened with each in turn. They share the comparator, and
  // have no file system, clock or runner. A compaction_service is a
  // WorkerService.
  std::vector<Options> options;
  std::string description;
  std::vector<std::string> keys;
  // Those of `keys` that are put only if absent, and deleted only by
  // SingleDelete and DeleteRange.
  std::vector<std::string> single_keys;
  std::vector<Operation> operations;
};

History MakeHistory(uint64_t seed);

// A short line for the log of operations.
std::string Describe(const Operation& operation);

// Bytewise, ignoring the case of letters.
const Comparator* CaseInsensitiveComparator();

// Gives the results of StringAppendOperator, but keeps operands unmerged until
// there is a base.
std::shared_ptr<MergeOperator> NewLateAppendOperator();

}  // namespace tamis::model
