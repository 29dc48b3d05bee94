// SPDX-License-Identifier: Apache-2.0
//
// A flush job writes immutable memtables to one table of level 0, or to none if
// their entries cancel out, and returns the edit that adds it. It uses neither
// the mutex nor the VersionSet; its caller applies the edit.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "db/compaction/table_output.h"

namespace tamis {

struct FlushInputs : TableJob {
  // Oldest first, adjacent in age. At least one has entries.
  std::vector<std::shared_ptr<const MemTable>> memtables;
  uint64_t epoch_number = 0;
  // The oldest log with newer entries than these memtables.
  uint64_t log_number_after = 0;
};

// Any thread. On an error it leaves no file.
Result<VersionEdit> RunFlush(const FlushInputs& in);

}  // namespace tamis
