// SPDX-License-Identifier: Apache-2.0
//
// What one call of IngestExternalFiles knows of the files of one family.
#pragma once

#include <algorithm>
#include <vector>

#include "db/db_impl.h"
#include "db/external_file.h"

namespace tamis {

struct DBImpl::Ingestion {
  ColumnFamilyPtr family;
  IngestExternalFileOptions options;
  std::vector<ExternalFile> files;
  bool files_overlap = false;
  uint64_t begin_nanos = 0;  // of Clock::NowNanos

  // By file.
  std::vector<PerLevel<bool>> has_keys;
  std::vector<Level> levels;
  std::vector<bool> numbered;  // gets a sequence number
  std::vector<bool> linked;    // not copied

  bool OverlapsMemTables() const {
    const ReadStatePtr state = family->AcquireReadState();
    return std::any_of(files.begin(), files.end(), [&](const auto& file) {
      return MemTablesHaveKeysOf(*state, family->order(), file);
    });
  }
};

}  // namespace tamis
