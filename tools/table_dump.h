// SPDX-License-Identifier: Apache-2.0
//
// A table file as text: everything that stands in it, in the shape of
// RocksDB's raw dump, and behind that two sections that RocksDB has not, on
// further properties and on the filter.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tamis/status.h"

#include "tools/raw_table.h"

namespace tamis {

using DumpSink = std::function<void(std::string_view text)>;

// Footer, metaindex, properties, index, range deletions, data blocks, and our
// own sections. What was dumped before an error was found has gone to the sink.
Status DumpTable(const RawTable& table, const DumpSink& sink);

// As above up to the data blocks.
Status DumpTableHead(const RawTable& table, const DumpSink& sink);
// The last of it.
Status DumpOwnSections(const RawTable& table, const DumpSink& sink);

}  // namespace tamis
