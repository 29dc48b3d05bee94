// SPDX-License-Identifier: Apache-2.0
//
// tamis_db_bench compare BEFORE.json AFTER.json: tells for each benchmark of
// both whether the second run is slower or faster.
#pragma once

#include <string>

namespace tamis::bench {

// Prints a line a benchmark. Returns an ExitCode: kExitFailed if one is slower
// by more than `percent`, and by more than both confidence intervals explain.
int CompareRuns(const std::string& before, const std::string& after,
                double percent);

}  // namespace tamis::bench
