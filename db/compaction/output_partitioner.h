// SPDX-License-Identifier: Apache-2.0
//
// Asks the user's SstPartitioner where a compaction ends its tables, and
// whether a table may be moved. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "tamis/column_family_options.h"
#include "tamis/sst_partitioner.h"

#include "db/compaction/compaction.h"
#include "table/internal_key.h"
#include "util/base/result.h"

namespace tamis {

class OutputPartitioner {
 public:
  // Returns nullptr if only size divides the tables of the compaction.
  static Result<std::unique_ptr<OutputPartitioner>> Make(
      const ColumnFamilyOptions& options, const Compaction& plan,
      const KeyOrder& order);

  // Returns whether the open table, of about `bytes`, ends before the key. Call
  // it for each user key; without an open table, it only remembers the key.
  Result<bool> EndsBefore(const Slice& user_key, bool open, uint64_t bytes);

 private:
  explicit OutputPartitioner(std::unique_ptr<SstPartitioner> partitioner)
      : partitioner_(std::move(partitioner)) {}

  const std::unique_ptr<SstPartitioner> partitioner_;
  std::string previous_;
};

// Returns whether the factory's partitioner, if there is one, lets the table be
// moved to the level as it is.
bool PartitionerAllowsMove(const SstPartitionerFactory* factory,
                           Level output_level, bool manual,
                           const TableFile& file);

}  // namespace tamis
