// SPDX-License-Identifier: Apache-2.0
//
// A table file as text: everything that stands in it, in the shape of
// RocksDB's raw dump, and a section on its filter that RocksDB has not.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tamis/status.h"

#include "tools/table_file.h"

namespace tamis {

using DumpSink = std::function<void(std::string_view text)>;

// Footer, metaindex, filter, properties, index, range deletions, data blocks.
// What was dumped before an error was found has gone to the sink.
Status DumpTable(const TableFile& table, const DumpSink& sink);

// As above up to the data blocks.
Status DumpTableHead(const TableFile& table, const DumpSink& sink);
Status DumpTableHead(const std::string& path, std::string* out);

}  // namespace tamis
