// SPDX-License-Identifier: Apache-2.0
//
// Picks the next compaction of kCompactionStyleFIFO, most of which delete
// tables. Pure functions of a Version, the busy files, the options and the
// time.
#pragma once

#include <cstdint>
#include <optional>

#include "tamis/options.h"

#include "db/compaction/compaction.h"
#include "db/compaction/compaction_picker.h"

namespace tamis {

// Picks the oldest tables, to delete them, while the tree has more bytes than
// max_table_files_size or they are older than ttl; else, with allow_compaction,
// the newest tables of level 0 to be merged. Levels below 0, of a tree that
// another style made, come first, the deepest one first: its entries are the
// oldest of their keys. Returns nullopt if nothing is due or a file is busy.
// Merges no table that is newer than `unflushed` (level0_merge.h).
std::optional<Compaction> PickFifo(const VersionPtr& version,
                                   const BusyFiles& busy,
                                   const ColumnFamilyOptions& options,
                                   uint64_t now_seconds,
                                   SequenceNumber unflushed);

}  // namespace tamis
