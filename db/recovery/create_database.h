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
// Writes context->db_id to IDENTITY, unless the file has this id already.
// `sync` is that of SetIdentityFile. Returns the errors of the file system.
// REQUIRES: LoadIdentity returned OK, or there is no file and db_id is set.
Status StoreIdentity(DBContext* context, bool sync);

// Creates a MANIFEST without tables that has the id, and CURRENT. The caller
// creates the log that the MANIFEST names, listing->first_log: after CURRENT,
// since RocksDB rejects a directory with a log and without CURRENT. The
// database is durable, as a whole, when the caller has then synced the
// directory of the logs; until then a power failure may leave any of the files
// (IsInterruptedCreation). The default family gets the comparator. Returns the
// errors of the file system. `listing` is that of the directory before, and
// gets what is new; `names` stay as they were.
Status CreateDatabase(const DBContext& context, const Comparator& comparator,
                      DirectoryListing* listing);

// Returns whether the directory can only be new or that of a CreateDatabase
// that a power failure has interrupted, so that creating the database anew is
// safe: of the files that it makes, any may be there. There are no tables or
// later MANIFESTs, and no log but the first, empty. The first MANIFEST, if it
// is there, is readable up to a torn end and lists no table; if it is not,
// CURRENT may name it.
bool IsInterruptedCreation(const DBContext& context,
                           const DirectoryListing& listing);

}  // namespace tamis
