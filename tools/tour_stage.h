// SPDX-License-Identifier: Apache-2.0
//
// One stage of the tour: a corpus loaded with one kind of filter.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tamis/options.h"

#include "tools/tour_corpus.h"
#include "tools/tour_timing.h"
#include "util/base/result.h"

namespace tamis {

enum class TourFilter : uint8_t { kNone, kBlock, kFull, kPartitioned };

// "none", "block", "full", "partitioned". Also names the database's directory.
const char* TourFilterName(TourFilter filter);

struct StagePlan {
  TourFilter filter = TourFilter::kNone;
  double bits_per_key = 10;
  uint64_t seed = 1;
  std::string directory;  // an existing database is replaced
};

// Results of many lookups, from perf counters and the clock.
struct LookupFigures {
  uint64_t asked = 0;
  uint64_t reached_filter = 0;        // lookups that probed a filter
  uint64_t bloom_hits = 0;            // probes that matched
  uint64_t bloom_misses = 0;          // probes that excluded the key
  uint64_t data_blocks_searched = 0;  // resident or read
  uint64_t data_blocks_read = 0;      // of those, read from the file
  Quartiles micros_per_read;
};

struct StageFigures {
  StagePlan plan;
  uint64_t entries = 0;
  uint64_t files = 0;
  uint64_t file_bytes = 0;
  uint64_t filter_bytes = 0;
  uint64_t filter_entries = 0;
  double predicted_fpr = 0;  // without a filter: 1
  std::string table_path;    // of one of the files
  LookupFigures present;     // these two: tour_reads.h
  LookupFigures absent;
};

// Of the filters. 0: there are none.
double FilterBitsPerKey(const StageFigures& stage);
// Returns the share of the absent keys' probes that matched.
double ObservedFpr(const StageFigures& stage);

Options StageOptions(const StagePlan& plan);

// Loads the corpus in random order, flushes, compacts and measures the files.
Result<StageFigures> LoadStage(const StagePlan& plan, const Corpus& corpus);

// The stages side by side: a header, then rows, of which the first cell is a
// name. Rows of a single cell are headings.
std::vector<std::vector<std::string>> TourRows(
    std::span<const StageFigures> stages);
// The same as text.
std::string TourTable(std::span<const StageFigures> stages);

}  // namespace tamis
