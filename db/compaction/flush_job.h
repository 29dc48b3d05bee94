// SPDX-License-Identifier: Apache-2.0
//
// A flush: frozen memtables in, one table of level 0 (none, when all that they
// hold undoes itself) and the edit that adds it out. It knows no mutex and no
// VersionSet; its caller applies the edit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "db/family/column_family.h"
#include "db/manifest/version_edit.h"
#include "util/base/result.h"
#include "util/jobs/parallel_for.h"

namespace tamis {

struct FlushInputs {
  const DBContext* context = nullptr;
  const ColumnFamily* family = nullptr;
  // Oldest first, adjacent in age. At least one has entries.
  std::vector<std::shared_ptr<const MemTable>> memtables;
  std::vector<SequenceNumber> snapshots;  // ascending
  uint64_t epoch_number = 0;
  // The oldest log that holds what is not in these memtables.
  uint64_t log_number_after = 0;
  std::function<uint64_t()> new_file_number;
  // For a job that writes blocks; nullptr: none does. What it is given may run
  // when the flush is long over.
  ScheduleJob schedule;
};

// Any thread. On an error no file is left behind.
Result<VersionEdit> RunFlush(const FlushInputs& in);

}  // namespace tamis
