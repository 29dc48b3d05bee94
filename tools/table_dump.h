// SPDX-License-Identifier: Apache-2.0
//
// Prints a table file as text, in the format of RocksDB's raw dump. Tamis's own
// form adds two sections: further properties, and the filter.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tamis/status.h"

#include "tools/properties_text.h"
#include "tools/raw_table.h"

namespace tamis {

using DumpSink = std::function<void(std::string_view text)>;

// Prints footer, metaindex, properties, index, range deletions, data blocks and
// in Tamis's own form the further sections. On an error, everything before it
// has been printed.
Status DumpTable(const RawTable& table, TextForm form, const DumpSink& sink);

// As DumpTable in Tamis's own form, up to the data blocks.
Status DumpTableHead(const RawTable& table, const DumpSink& sink);
// Only Tamis's own sections.
Status DumpOwnSections(const RawTable& table, const DumpSink& sink);

}  // namespace tamis
