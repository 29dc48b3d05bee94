// SPDX-License-Identifier: Apache-2.0
//
// The files that make an empty directory a database, and the database's id.
#pragma once

#include "tamis/comparator.h"

#include "db/base/db_context.h"
#include "db/recovery/directory_listing.h"

namespace tamis {

// Fills in the database's id: what IDENTITY says, or a new one where that is
// missing or empty. Writes nothing.
Status LoadIdentity(DBContext* context);
// Lets IDENTITY say it. Writes where it says anything else.
Status StoreIdentity(const DBContext& context);

// A new database: IDENTITY, an empty MANIFEST, CURRENT, in that order, so that
// until the last step there is none. `comparator`: the default family's.
Status CreateDatabase(const DBContext& context, const Comparator& comparator);

// Whether files without a CURRENT are what an interrupted CreateDatabase
// leaves behind, which is safe to begin anew.
bool IsInterruptedCreation(const DBContext& context,
                           const DirectoryListing& listing);

}  // namespace tamis
