// SPDX-License-Identifier: Apache-2.0
//
// Explain says what a database does with options: values that were moved into
// their ranges, what several options mean together, and what is derived from
// what.
//
//   std::cout << tamis::Explain(options);             // before an open
//   std::cout << tamis::Explain(db->GetOptions());    // what is in use
//
//   write_buffer_size: 65536 is used instead of 1
//   tables of level 0: flushed with Snappy
//   filters of bottommost tables: none: optimize_filters_for_hits
//
// The first kind of line does not occur for options in use. RocksDB has no such
// function.
#pragma once

#include <string>

#include "tamis/export.h"
#include "tamis/options.h"

namespace tamis {

// Returns text with one fact a line, as "<option or subject>: <fact>". If Open
// would reject the options, the first line is "error: " and what Open would
// return; the rest may be missing. Calls functions of the filter_policy, the
// comparator and the prefix_extractor; an exception that they throw becomes
// the line "error: ...". Opens no file. Any thread.
TAMIS_EXPORT std::string Explain(const Options& options);

}  // namespace tamis
