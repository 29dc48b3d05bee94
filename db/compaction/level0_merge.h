// SPDX-License-Identifier: Apache-2.0
//
// Which tables of level 0 may be merged into one that stays in level 0, as
// under kCompactionStyleUniversal and kCompactionStyleFIFO. The level is
// ordered by sequence numbers, and lookups end at the first table that has the
// key. So the range of sequence numbers of a merged table must not contain that
// of another table or memtable, nor lie in it. Only an ingested table can bring
// that about: it takes its number while a memtable has older ones and will get
// newer ones.
//
//   sequence     1 2 3 4 5 6
//   memtable     a . b . . c    not flushed
//   ingested       m   k        allowed: each has one number
//   merged         [k m]        within [a .. c] of the memtable's later table
//
// A merge therefore leaves alone the tables that are newer than the oldest
// entry in memory, until that is flushed, and includes the newer tables whose
// numbers begin before its own end. Tables that go deeper need neither: a level
// is older than those above it, whatever its sequence numbers.
#pragma once

#include <cstddef>

#include "db/version/version.h"

namespace tamis {

// Returns how many tables, the newest ones, a merge within level 0 must leave
// alone: those with a sequence number that is not below `unflushed`, the lowest
// that an entry in memory may have.
size_t TablesThatWaitForFlush(const LevelFiles& level0,
                              SequenceNumber unflushed);

// Returns the first table of the smallest merge that includes table `first`: no
// newer table has a sequence number that is not above those of the merge.
// REQUIRES: first < level0.size()
size_t FirstOfMerge(const LevelFiles& level0, size_t first);

}  // namespace tamis
