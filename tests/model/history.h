// SPDX-License-Identifier: Apache-2.0
//
// A History is everything a seed decides before the database is opened: its
// options, its keys, and what is done to it in which order. Memtables, blocks,
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
  kRunJobs,  // background work that is due, `number` jobs of it
  kCheck,
  kResume,
  kReopen,
  kArm,  // a fault
};

enum class Fault : uint8_t { kPowerCut, kKill, kIOError, kNoSpace };

// The calls of the file system that a fault counts.
enum class Target : uint8_t {
  kAny,  // LOG, the file of events, too
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
  // Writes: sync. Flush: wait. Compactions: down to the bottom. Reopen: by
  // Close rather than by the destructor.
  bool flag = false;
  std::string begin, end;  // compactions: the range; empty: unbounded
  uint64_t number = 0;     // jobs; or the choice among what is held
  Fault fault = Fault::kPowerCut;
  Target target = Target::kAny;
};

struct History {
  uint64_t seed = 0;
  // The database is opened with each in turn. They share the comparator, and
  // lack a world: file system, clock, runner.
  std::vector<Options> options;
  std::string description;
  std::vector<std::string> keys;
  // Those of `keys` that are put only where there is nothing, and deleted by
  // SingleDelete and DeleteRange alone.
  std::vector<std::string> single_keys;
  std::vector<Operation> operations;
};

History MakeHistory(uint64_t seed);

// A short line for the log of operations.
std::string Describe(const Operation& operation);

// As bytes, but letters count the same in both cases.
const Comparator* CaseInsensitiveComparator();

// Means what the StringAppendOperator means, but keeps operands apart for as
// long as there is no base.
std::shared_ptr<MergeOperator> NewLateAppendOperator();

}  // namespace tamis::model
