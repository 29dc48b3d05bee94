// SPDX-License-Identifier: Apache-2.0
//
// Replays the logs of a directory under repair: every readable record counts,
// even if others are missing.
//
// One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "db/family/column_family.h"
#include "util/base/result.h"

namespace tamis {

struct ReplayedLog {
  uint64_t number = 0;
  uint64_t records = 0;
  uint64_t changes = 0;
  // Records and unreadable byte ranges that were dropped.
  uint64_t damages = 0;
  uint64_t bytes_lost = 0;
  Status first_damage;
};

class RepairLogs {
 public:
  // The family of a change; nullptr: do not replay it.
  using FamilyOf =
      std::function<const ColumnFamily*(uint32_t id, uint64_t log_number)>;
  // Receives memtables, per family in sequence order, unless sequence numbers
  // in the logs decrease.
  using Sink =
      std::function<Status(const ColumnFamily&, std::unique_ptr<MemTable>)>;

  // `context` must outlive *this.
  RepairLogs(const DBContext& context, FamilyOf family_of, Sink sink)
      : context_(context),
        family_of_(std::move(family_of)),
        sink_(std::move(sink)) {}

  // REQUIRES: called in ascending order of log numbers.
  Result<ReplayedLog> Replay(uint64_t number);
  // Passes the remaining memtables to the sink.
  Status Finish();

  SequenceNumber last_sequence() const { return last_sequence_; }

 private:
  struct Target {
    const ColumnFamily* family = nullptr;
    std::unique_ptr<MemTable> memtable;
  };
  Status ReplayRecord(uint64_t number, std::string record, ReplayedLog* log);
  Status Add(const ColumnFamily& family, SequenceNumber sequence,
             ValueType type, const Slice& key, const Slice& value);

  const DBContext& context_;
  const FamilyOf family_of_;
  const Sink sink_;
  std::map<uint32_t, Target> targets_;
  SequenceNumber next_sequence_ = 0;
  SequenceNumber last_sequence_ = 0;
};

}  // namespace tamis
