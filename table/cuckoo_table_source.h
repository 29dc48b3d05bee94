// SPDX-License-Identifier: Apache-2.0
//
// The entries of a cuckoo table (cuckoo_table_layout.h), sorted when it is
// opened. Each is read by itself then, since neighbours are anywhere in the
// file.
#pragma once

#include <memory>
#include <string>

#include "tamis/file_system.h"

#include "table/entry_source.h"
#include "table/internal_key.h"
#include "table/table_format.h"

namespace tamis {

// Reads all buckets. `file` must outlive the source.
Result<std::unique_ptr<EntrySource>> NewCuckooTableSource(
    const RandomAccessFile* file, PlainTail tail, const KeyOrder& order,
    const std::string& file_name);

}  // namespace tamis
