// SPDX-License-Identifier: Apache-2.0
//
// Prints a table file as text, in the format of RocksDB's raw dump, followed by
// two sections that RocksDB lacks: further properties, and the filter.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tamis/status.h"

#include "tools/raw_table.h"

namespace tamis {

using DumpSink = std::function<void(std::string_view text)>;

// Prints footer, metaindex, properties, index, range deletions, data blocks and
// Tamis's own sections. On an error, everything before it has been printed.
Status DumpTable(const RawTable& table, const DumpSink& sink);

// As DumpTable, up to the data blocks.
Status DumpTableHead(const RawTable& table, const DumpSink& sink);
// Only Tamis's own sections.
Status DumpOwnSections(const RawTable& table, const DumpSink& sink);

}  // namespace tamis
