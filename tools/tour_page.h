// SPDX-License-Identifier: Apache-2.0
//
// The tour's results as a page (html_page.h): the filters beside each other in
// charts, and the whole table.
#pragma once

#include <span>
#include <string>

#include "tools/tour_stage.h"

namespace tamis {

// `corpus` and `rounds`: what was measured. `dump`: the table that the text of
// the tour ends with, for people.
std::string TourPage(const std::string& corpus, int rounds,
                     std::span<const StageFigures> stages,
                     const std::string& dump);

}  // namespace tamis
