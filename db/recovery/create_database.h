// SPDX-License-Identifier: Apache-2.0
//
// CreateDatabase creates a database in an empty directory. LoadIdentity and
// StoreIdentity read and write the database's id.
#pragma once

#include "tamis/comparator.h"

#include "db/base/db_context.h"
#include "db/recovery/directory_listing.h"

namespace tamis {

// Sets context->db_id to the contents of IDENTITY, or to a new id if that file
// is missing or empty. Writes no file. Returns the errors of the file system.
Status LoadIdentity(DBContext* context);
// Writes context->db_id to IDENTITY, unless the file has this id already. `sync`
// is that of SetIdentityFile. Returns the errors of the file system. REQUIRES:
// LoadIdentity returned OK.
Status StoreIdentity(DBContext* context, bool sync);

// Creates a MANIFEST without tables that has the id, CURRENT, and the empty log
// that the MANIFEST names. The database is durable, as a whole, when the caller
// has synced the directory of the logs. The default family gets the comparator.
// Returns the errors of the file system.
Status CreateDatabase(const DBContext& context, const Comparator& comparator);

// Returns whether the directory can only be new or that of an interrupted
// CreateDatabase, so that creating the database anew is safe: there are no
// CURRENT, tables or later MANIFESTs, no log but the first, empty, and the first
// MANIFEST, if there is one, is readable up to a torn end and lists no table.
bool IsInterruptedCreation(const DBContext& context,
                           const DirectoryListing& listing);

}  // namespace tamis
