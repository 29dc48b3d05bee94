// SPDX-License-Identifier: Apache-2.0
//
// A flush: frozen memtables in, one table of level 0 (none, when all that they
// hold undoes itself) and the edit that adds it out. It knows no mutex and no
// VersionSet; its caller applies the edit.
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
  // The oldest log that holds what is not in these memtables.
  uint64_t log_number_after = 0;
};

// Any thread. On an error no file is left behind.
Result<VersionEdit> RunFlush(const FlushInputs& in);

}  // namespace tamis
