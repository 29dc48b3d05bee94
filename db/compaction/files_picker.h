// SPDX-License-Identifier: Apache-2.0
//
// Picks compactions of tables that the user names: those of CompactFiles and
// PromoteL0. Pure functions of a Version, the busy files and the options.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tamis/options.h"

#include "db/compaction/compaction.h"
#include "db/compaction/compaction_picker.h"
#include "util/base/result.h"

namespace tamis {

struct FilesRequest {
  std::vector<FileNumber> files;
  Level output_level = kLevelZero;
  std::optional<uint8_t> path_id;  // by default that of PathOfOutput
  uint64_t output_file_bytes_max = 0;
  std::optional<CompressionType> compression;  // the family's
};

// Picks the files, and those without which a newer version of a key could get
// below an older one:
//
//   level 0            older tables; if the output stays in level 0, those
//                      that a merge within it must include (level0_merge.h)
//   levels below       tables between the first and the last, with those that
//                      share a user key at the boundaries
//   down to the output tables that overlap those of the levels above
//
// Errors: InvalidArgument if a file is not in the Version, or below the output
// level; Aborted if a file is busy, or must wait for a flush (`unflushed`).
// Both name the file.
Result<Compaction> PickFiles(const VersionPtr& version, const BusyFiles& busy,
                             const ColumnFamilyOptions& options,
                             const FilesRequest& request,
                             SequenceNumber unflushed);

// Picks the move of all tables of level 0 to `target`; nullopt if there are
// none. Errors: InvalidArgument, which names the file, if two overlap, one is
// busy, or a level from 1 to `target` holds a table. REQUIRES: 0 < target
Result<std::optional<Compaction>> PickPromotion(
    const VersionPtr& version, const BusyFiles& busy,
    const ColumnFamilyOptions& options, Level target);

}  // namespace tamis
