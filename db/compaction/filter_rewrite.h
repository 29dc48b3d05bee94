// SPDX-License-Identifier: Apache-2.0
//
// A filter rewrite gives one table new filters. It copies the table
// (table/table_copy.h), with the metadata of the original, and returns the edit
// that replaces the one by the other at the same level. No entry is dropped or
// changed, so it does not matter which snapshots there are.
#pragma once

#include <optional>

#include "db/compaction/compaction_job.h"
#include "db/compaction/compaction_picker.h"

namespace tamis {

// Plans a rewrite of the file, which is in the version. Returns nullopt if it
// is not. REQUIRES: it is not busy.
std::optional<Compaction> PlanFilterRewrite(const VersionPtr& version,
                                            FileNumber number,
                                            double size_factor);

// Writes the copy and returns the edit; an empty edit if the filters of the
// file are not off by more than *plan.rewrite_filters. Returns NotSupported if
// the table cannot be copied. On an error, removes the copy. Any thread,
// without the mutex. REQUIRES: plan.rewrite_filters
Result<CompactionResult> RunFilterRewrite(const Compaction& plan,
                                          const CompactionInputs& in);

}  // namespace tamis
