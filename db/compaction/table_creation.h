// SPDX-License-Identifier: Apache-2.0
//
// Tells the database's listeners that a job makes a table: that it begins one,
// and then that it has completed or given up the table.
//
// One thread.
#pragma once

#include <string>

#include "tamis/table_properties.h"

#include "db/base/db_context.h"
#include "util/io/file_checksum_maker.h"

namespace tamis {

class TableCreation {
 public:
  // Tells that the table `path` begins. `context` must outlive *this.
  TableCreation(const DBContext& context, TableFileCreationBriefInfo info);
  // Tells that the job gave the table up, unless it was completed.
  ~TableCreation();
  TableCreation(const TableCreation&) = delete;
  TableCreation& operator=(const TableCreation&) = delete;

  // Tells that the table was completed.
  void Complete(uint64_t file_size, const FileChecksum& checksum,
                const TableProperties& properties);
  bool completed() const { return completed_; }

 private:
  const DBContext& context_;
  const TableFileCreationBriefInfo info_;
  bool completed_ = false;
};

}  // namespace tamis
