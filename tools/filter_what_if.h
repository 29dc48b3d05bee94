// SPDX-License-Identifier: Apache-2.0
//
// What each filter format would do for given keys: builds them in memory over a
// random part of the keys, and asks for the others, which are absent then.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/status.h"

namespace tamis {

// Prints a table of formats: bits per key, time to build and to probe, and the
// share of absent keys and of empty ranges that each excludes. Of the keys,
// `stored_percent` are in the filters. The ranges begin at a key that is not:
//   one key       only that key
//   to the next   up to the next of all keys, which is not in the filter either
//   behind        any key that continues a key of the filter
// Last come the limits of filters that store beginnings of keys
// (truncated_bound.h). Equal keys give equal shares; times differ.
// InvalidArgument: there are too few keys. REQUIRES: keys ascend and are
// distinct; 1 to 99 percent.
Status PrintWhatIf(const std::vector<std::string>& keys, int stored_percent,
                   const std::function<void(std::string_view)>& sink);

}  // namespace tamis
