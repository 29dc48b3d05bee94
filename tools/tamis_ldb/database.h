// SPDX-License-Identifier: Apache-2.0
//
// Opens the database that the flags name.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tamis/db.h"

#include "db/manifest/version_edit.h"
#include "util/base/result.h"

namespace tamis {

// InvalidArgument: a flag has an invalid value.
Result<Options> OptionsFromFlags();
// The same for a family created with the comparator of this name; empty:
// unknown, uses --comparator.
Result<ColumnFamilyOptions> FamilyOptions(const std::string& comparator);
// The families in the MANIFEST. Fails if that is unreadable.
Result<std::vector<ColumnFamilyDescriptor>> ListedFamilies();

// Returns the file of a table that the MANIFEST lists, by --db_paths.
std::string TableFileOf(const FileMetaData& table);

// Returns InvalidArgument if the newest OPTIONS file names a directory of logs,
// `recorded`, and --wal_dir is not given: what is done without these logs would
// be incomplete. A copy of a database names the logs of the original, so that
// none is taken without the flag.
Status CheckLogsAreNamed(const std::string& recorded);

enum class Access { kRead, kWrite, kCreate };

// Opens the database with all its families, calls `use` with the family of
// --column_family, and closes it. `adjust` may change that family's options
// before. Returns the ExitCode of `use`, or of an error.
int WithDatabase(Access access,
                 const std::function<int(DB*, ColumnFamilyHandle*)>& use,
                 const std::function<void(ColumnFamilyOptions*)>& adjust = {});

}  // namespace tamis
