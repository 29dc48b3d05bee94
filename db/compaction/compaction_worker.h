// SPDX-License-Identifier: Apache-2.0
//
// The worker's side of a remote compaction. It opens no database: the request
// names the tables of the family, and so there is no MANIFEST to read, which
// its owner may be changing.
//
//   CompactionRequest ─▶ options, version, plan ─▶ RunCompaction
//                     ─▶ tables in the directory of the job, CompactionReply
#pragma once

#include <string>

#include "tamis/compaction_service.h"
#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

// What DB::OpenAndCompact does. May throw what the user's objects throw.
Status RunCompactionJob(const OpenAndCompactOptions& options,
                        const std::string& database,
                        const std::string& output_directory, const Slice& input,
                        const CompactionServiceOptionsOverride& overrides,
                        std::string* output);

}  // namespace tamis
