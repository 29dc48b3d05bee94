// SPDX-License-Identifier: Apache-2.0
//
// The logs of a directory that is being repaired: whatever record still reads
// counts, whatever is missing around it.
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
  // Records, or stretches of unreadable bytes, that were left out.
  uint64_t damages = 0;
  uint64_t bytes_lost = 0;
  Status first_damage;
};

class RepairLogs {
 public:
  // The family whose change it is; nullptr: it is not to be replayed.
  using FamilyOf =
      std::function<const ColumnFamily*(uint32_t id, uint64_t log_number)>;
  // By family in the order of sequences, unless those of the logs go back.
  using Sink =
      std::function<Status(const ColumnFamily&, std::unique_ptr<MemTable>)>;

  // `context` outlives it.
  RepairLogs(const DBContext& context, FamilyOf family_of, Sink sink)
      : context_(context),
        family_of_(std::move(family_of)),
        sink_(std::move(sink)) {}

  // In ascending order of numbers.
  Result<ReplayedLog> Replay(uint64_t number);
  // Hands over what is left.
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
