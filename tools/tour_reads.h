// SPDX-License-Identifier: Apache-2.0
//
// The tour's questions: every key of the corpus and as many absent ones, to
// each stage's database in turn, in several rounds.
#pragma once

#include <string>
#include <vector>

#include "tools/tour_corpus.h"
#include "tools/tour_stage.h"
#include "util/base/result.h"

namespace tamis {

// Fills in `present` and `absent` of every stage. Each round opens each
// database twice, with an empty cache, and asks in the same order; rounds end
// after `rounds`, or sooner when they take long. Returns how many there were. A
// wrong answer is Corruption, and so are absent keys of which fewer than 99 %
// reach a filter: they would say nothing about it.
// REQUIRES: there is a stage, and rounds > 0
Result<int> AskStages(const Corpus& corpus,
                      const std::vector<std::string>& absent, int rounds,
                      std::vector<StageFigures>* stages);

}  // namespace tamis
