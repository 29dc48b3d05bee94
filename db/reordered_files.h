// SPDX-License-Identifier: Apache-2.0
//
// A table to be ingested that was written in the order of bytes, into a family
// that has another order. If its keys ascend in the family's order, too, it is
// written anew, in that order: separators of blocks differ with the order, so
// the table itself could mislead. RocksDB takes any table as it is.
//
// Only for tables of puts: SstFileReader shows nothing else.
#pragma once

#include <string>
#include <vector>

#include "db/base/db_context.h"
#include "db/base/numbers.h"
#include "db/family/column_family.h"
#include "util/base/result.h"

namespace tamis {

// Has the rewritten tables until its destructor removes them. One thread.
class ReorderedFiles {
 public:
  // `context` must outlive *this.
  explicit ReorderedFiles(const DBContext& context) : context_(context) {}
  ~ReorderedFiles();
  ReorderedFiles(const ReorderedFiles&) = delete;
  ReorderedFiles& operator=(const ReorderedFiles&) = delete;

  // Returns whether the path is of a table that Rewrite may take: written in
  // the order of bytes, which is not the family's. Errors count as no.
  bool IsForeign(const ColumnFamily& family, const std::string& path) const;
  // Writes the table anew under a temporary name, which it returns. Returns
  // NotSupported if it has more than puts, InvalidArgument if its keys are not
  // in the family's order, and errors of the file system.
  Result<std::string> Rewrite(const ColumnFamily& family,
                              const std::string& path,
                              FileNumber temporary_number);

 private:
  const DBContext& context_;
  std::vector<std::string> rewritten_;
};

}  // namespace tamis
