// SPDX-License-Identifier: Apache-2.0
//
// Directories that are not open: deleting and salvaging them. A part of
// tamis/db.h, which includes it.
#pragma once

#include <string>
#include <vector>

#include "tamis/column_family.h"
#include "tamis/export.h"
#include "tamis/options.h"
#include "tamis/status.h"

namespace tamis {

// Deletes the database's files, including those in lost/, and the directory if
// nothing else is in it. Irreversible. `options` name wal_dir and db_paths,
// `families` those that have cf_paths of their own; files in directories that
// neither names remain. Returns OK if the directory does not exist,
// InvalidArgument if it holds no database or one of the others belongs to
// another database, IOError if the database is open. In the last two cases
// nothing is deleted.
TAMIS_EXPORT Status
DestroyDB(const std::string& name, const Options& options,
          const std::vector<ColumnFamilyDescriptor>& families = {});

// Salvages a directory that no longer opens. Builds a database from every table
// and log that can still be read. Entries keep their sequence numbers, and go
// to the families that the tables name. Unreadable and replaced files are moved
// to lost/, never deleted. A deleted entry may reappear if its deletion was
// lost. Families without options get `unknown_family` (or `options`).
TAMIS_EXPORT Status RepairDB(const std::string& name, const Options& options);
TAMIS_EXPORT Status
RepairDB(const std::string& name, const DBOptions& options,
         const std::vector<ColumnFamilyDescriptor>& families);
TAMIS_EXPORT Status
RepairDB(const std::string& name, const DBOptions& options,
         const std::vector<ColumnFamilyDescriptor>& families,
         const ColumnFamilyOptions& unknown_family);

}  // namespace tamis
