// SPDX-License-Identifier: Apache-2.0
//
// The tour's lookups: every key of the corpus, and as many absent ones, in each
// stage's database, in several rounds.
#pragma once

#include <string>
#include <vector>

#include "tools/tour_corpus.h"
#include "tools/tour_stage.h"
#include "util/base/result.h"

namespace tamis {

// Fills in `present` and `absent` of every stage. Each round opens each
// database twice with an empty cache, and looks keys up in the same order.
// Stops after `rounds`, or earlier if they take long; returns the number of
// rounds. Corruption: a wrong result, or fewer than 99 % of the absent keys
// reached a filter, which would then not be measured.
// REQUIRES: at least one stage; rounds > 0.
Result<int> MeasureStages(const Corpus& corpus,
                          const std::vector<std::string>& absent, int rounds,
                          std::vector<StageFigures>* stages);

}  // namespace tamis
