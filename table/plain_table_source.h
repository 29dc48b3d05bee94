// SPDX-License-Identifier: Apache-2.0
//
// The entries of a plain table (plain_table_records.h). The stored index and
// Bloom filter are not read: they do not tell where keys without the prefix
// are.
#pragma once

#include <memory>
#include <string>

#include "tamis/file_system.h"

#include "table/entry_source.h"
#include "table/table_format.h"

namespace tamis {

// `file` must outlive the source. Returns Corruption if the properties are
// malformed, NotSupported for an unknown encoding.
Result<std::unique_ptr<EntrySource>> NewPlainTableSource(
    const RandomAccessFile* file, PlainTail tail, const std::string& file_name);

}  // namespace tamis
