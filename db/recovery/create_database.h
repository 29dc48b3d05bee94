// SPDX-License-Identifier: Apache-2.0
//
// Creates a database in an empty directory, and manages the database's id.
#pragma once

#include "tamis/comparator.h"

#include "db/base/db_context.h"
#include "db/recovery/directory_listing.h"

namespace tamis {

// Sets the database's id from IDENTITY, or to a new id if that is missing or
// empty. Writes nothing.
Status LoadIdentity(DBContext* context);
// Writes the id to IDENTITY, unless it is there already.
Status StoreIdentity(const DBContext& context);

// Creates IDENTITY, an empty MANIFEST and CURRENT, in that order: there is no
// database before the last step. `comparator`: the default family's.
Status CreateDatabase(const DBContext& context, const Comparator& comparator);

// True if the files without a CURRENT can only come from an interrupted
// CreateDatabase, so that creating anew is safe.
bool IsInterruptedCreation(const DBContext& context,
                           const DirectoryListing& listing);

}  // namespace tamis
