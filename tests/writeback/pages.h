// SPDX-License-Identifier: Apache-2.0
//
// What a kernel does with dirty pages: it writes back any of them, at any
// time, in any order. A disk writes sectors, so that of a page that is being
// written when the power goes off some are new and some are old.
#pragma once

#include <cstdint>

#include "util/base/random.h"

namespace tamis::writeback {

constexpr uint64_t kPageBytes = 4096;
constexpr uint64_t kAllPages = 16;

// Of the pages of [begin, end) in which the files differ, writes so many of 16
// as they are in `from` to `to`, of some of these some sectors only. `to` grows
// where that needs it, never beyond the length of `from`.
void WriteBack(int from, int to, uint64_t begin, uint64_t end,
               uint64_t pages_of_16, Random* luck);

// Every byte, and the length.
void WriteBackAll(int from, int to);

uint64_t LengthOf(int file);

}  // namespace tamis::writeback
