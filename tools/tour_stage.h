// SPDX-License-Identifier: Apache-2.0
//
// One stage of the tour: a corpus loaded under one kind of filter, asked for
// all that is in it and for as much that is not.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tamis/options.h"

#include "tools/tour_corpus.h"
#include "util/result.h"

namespace tamis {

enum class TourFilter : uint8_t { kNone, kBlock, kFull, kPartitioned };

// "none", "block", "full", "partitioned": the database's directory, too.
const char* TourFilterName(TourFilter filter);

// What asking for many keys did, by the perf counters.
struct LookupFigures {
  uint64_t asked = 0;
  uint64_t reached_filter = 0;        // lookups that asked a filter
  uint64_t bloom_hits = 0;            // it said maybe
  uint64_t bloom_misses = 0;          // it said no
  uint64_t data_blocks_searched = 0;  // resident or read
  uint64_t data_blocks_read = 0;      // of those, from the file
  double micros_per_read = 0;
};

struct StageFigures {
  TourFilter filter = TourFilter::kNone;
  uint64_t entries = 0;
  uint64_t files = 0;
  uint64_t file_bytes = 0;
  uint64_t filter_bytes = 0;
  uint64_t filter_entries = 0;
  double predicted_fpr = 0;  // without a filter: 1
  LookupFigures present;
  LookupFigures absent;
  std::string table_path;  // of one of the files
};

struct StagePlan {
  TourFilter filter = TourFilter::kNone;
  double bits_per_key = 10;
  uint64_t seed = 1;
  std::string directory;  // a database in it is replaced
};

// Loads in shuffled order, flushes, compacts; then opens again, cold, for each
// of the two rounds of questions. A wrong answer is Corruption, and so are
// absent keys of which fewer than 99 % reach a filter: the round would then
// say nothing about it.
Result<StageFigures> RunStage(const StagePlan& plan, const Corpus& corpus,
                              const std::vector<std::string>& absent);

// The stages side by side, for people.
std::string TourTable(std::span<const StageFigures> stages);

}  // namespace tamis
