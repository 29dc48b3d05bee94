// SPDX-License-Identifier: Apache-2.0
//
// Tables that were written elsewhere get names in the directories of the
// database: those of an ingestion, of an import, and of a remote compaction.
#pragma once

#include <string>
#include <vector>

#include "db/base/db_context.h"
#include "db/manifest/version_edit.h"

namespace tamis {

// One thread. The destructor removes the names, unless Keep was called.
class TakenTables {
 public:
  explicit TakenTables(const DBContext& context) : context_(context) {}
  ~TakenTables();
  TakenTables(const TakenTables&) = delete;
  TakenTables& operator=(const TakenTables&) = delete;

  // Gives the file `source` the name of the table: as a link, if `link` is set,
  // or as a copy. A file that cannot be linked, or whose data cannot be synced
  // by name, is copied if `may_copy` is set. Syncs the data, not the directory.
  // Sets *linked to whether it is a link.
  Status LinkOrCopy(const std::string& source, const FileMetaData& table,
                    bool link, bool may_copy, bool* linked);
  void Keep() { created_.clear(); }

 private:
  Status Link(const std::string& source, const std::string& to);

  const DBContext& context_;
  std::vector<std::string> created_;
};

}  // namespace tamis
