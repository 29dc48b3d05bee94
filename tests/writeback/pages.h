// SPDX-License-Identifier: Apache-2.0
//
// Simulates the write-back of dirty pages: a kernel writes any of them, at any
// time, in any order. A disk writes sectors, so that a page that is being
// written when the power fails may keep old sectors beside new ones.
#pragma once

#include <cstdint>

#include "util/base/random.h"

namespace tamis::writeback {

constexpr uint64_t kPageBytes = 4096;
constexpr uint64_t kAllPages = 16;

// Copies pages of [begin, end) in which the files differ from `from` to `to`:
// on average `pages_of_16` in 16, and of some of them only some sectors.
// Extends `to` where needed, but not beyond the length of `from`.
void WriteBack(int from, int to, uint64_t begin, uint64_t end,
               uint64_t pages_of_16, Random* luck);

// Copies every byte and the length.
void WriteBackAll(int from, int to);

uint64_t LengthOf(int file);

}  // namespace tamis::writeback
