// SPDX-License-Identifier: Apache-2.0
//
// A flush job writes immutable memtables to one table of level 0, or to none if
// their entries cancel out, and returns the edit that adds it. It uses neither
// the mutex nor the VersionSet; its caller applies the edit.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "db/base/numbers.h"
#include "db/compaction/table_output.h"

namespace tamis {

struct FlushInputs : TableJob {
  // Oldest first, adjacent in age. At least one has entries.
  std::vector<std::shared_ptr<const MemTable>> memtables;
  EpochNumber epoch_number;
  // The oldest log with newer entries than these memtables.
  FileNumber log_number_after;
};

// Writes the table and returns the edit, which also advances the family's log
// number to log_number_after. On an error, removes the file; an exception may
// leave it to the next open. Any thread, without the mutex.
Result<VersionEdit> RunFlush(const FlushInputs& in);

}  // namespace tamis
