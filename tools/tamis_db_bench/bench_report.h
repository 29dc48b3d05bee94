// SPDX-License-Identifier: Apache-2.0
//
// The page of --report, in the order in which an administrator asks: how long
// do operations take, how many are there, how do the levels look, what do
// filters and the cache save. One HTML file, with the JSON in it.
#pragma once

#include <string>
#include <vector>

#include "tamis/db.h"

#include "tools/tamis_db_bench/bench_results.h"
#include "tools/tamis_db_bench/timeline.h"

namespace tamis::bench {

// `db` may be nullptr: of a run without a database. `json` is ToJson's.
std::string ReportPage(const std::vector<BenchResult>& results,
                       const std::string& json, const Timeline& timeline,
                       DB* db);

}  // namespace tamis::bench
