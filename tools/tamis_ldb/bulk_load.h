// SPDX-License-Identifier: Apache-2.0
//
// Sorts entries that come in any order into tables outside the database, and
// ingests them at once: no table overlaps another one, so that none stays in
// level 0 for that reason. Of entries with one key, the last one counts.
//
// One thread. Removes its files, also after an error.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tamis/db.h"

#include "util/base/result.h"

namespace tamis {

class BulkLoad {
 public:
  // The bytes that are sorted at a time in memory.
  static constexpr uint64_t kRunBytes = 64 << 20;

  // Writes into `directory`, on the database's device. The database must
  // outlive *this.
  BulkLoad(DB* db, ColumnFamilyHandle* family, std::string directory,
           uint64_t run_bytes = kRunBytes);
  ~BulkLoad();
  BulkLoad(const BulkLoad&) = delete;
  BulkLoad& operator=(const BulkLoad&) = delete;

  Status Add(std::string key, std::string value);
  // Ingests all. Nothing was added: does nothing.
  Status Finish();

 private:
  std::string NextPath();
  Status WriteRun();
  Status MergeRuns();
  // Writes the merged entries as tables of the family's target size.
  class Merge;

  DB* const db_;
  ColumnFamilyHandle* const family_;
  const std::string directory_;
  const uint64_t run_bytes_;
  Options options_;
  std::vector<std::pair<std::string, std::string>> entries_;
  uint64_t bytes_ = 0;
  uint64_t files_ = 0;
  std::vector<std::string> runs_;    // oldest first
  std::vector<std::string> tables_;  // to ingest
};

}  // namespace tamis
