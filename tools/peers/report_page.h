// SPDX-License-Identifier: Apache-2.0
//
// The figures of runs as charts: operations per second, each workload's bars as
// long as their share of its fastest.
#pragma once

#include <string>
#include <vector>

#include "tools/peers/report.h"

namespace tamis::peers {

// A page: of each run the settings, a chart a table, and the text of the
// figures with their spreads; the JSON of all of them as a link.
std::string ToHtml(const std::vector<RunReport>& runs);
// The first table of the first run as a file of its own.
std::string ToSvg(const std::vector<RunReport>& runs);

}  // namespace tamis::peers
