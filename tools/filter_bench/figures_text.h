// SPDX-License-Identifier: Apache-2.0
//
// The figures of a run: as a table for people, in Markdown, as CSV, as JSON, as
// a page with charts. Times are medians over the rounds; JSON and CSV also have
// the least and the most.
#pragma once

#include <string>
#include <vector>

#include "tools/filter_bench/measurement.h"

namespace tamis {

struct FilterRun {
  std::string settings;  // one line: what was asked for
  std::vector<FilterFigures> figures;
};

std::string ToTable(const FilterRun& run);
std::string ToMarkdown(const FilterRun& run);
std::string ToCsv(const FilterRun& run);
std::string ToJson(const FilterRun& run);
std::string ToHtml(const FilterRun& run);

}  // namespace tamis
