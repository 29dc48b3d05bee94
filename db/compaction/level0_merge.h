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
// numbers begin before its own end.
//
// RocksDB orders the level by epochs. A memtable that is flushed after an
// ingestion may hold older numbers, under a higher epoch. As long as the table
// has one number, the two share no keys, and either order is right. A merged
// table may have newer versions from other tables, and its epoch is the lowest
// of them:
//
//   table      epoch   sequence
//   N            9      22..30
//   ingested     6      20
//   M            8      11..19
//
// N and the ingested table, merged, would have epoch 6, and RocksDB would read
// M first. A merge therefore includes the older tables whose epoch is not below
// its own, here M, and what is between.
//
// Tables that go deeper need nothing of this: a level is older than those above
// it, whatever its numbers.
#pragma once

#include <cstddef>

#include "db/version/version.h"

namespace tamis {

// Returns how many tables, the newest ones, a merge within level 0 must leave
// alone: those with a sequence number that is not below `unflushed`, the lowest
// that an entry in memory may have.
size_t TablesThatWaitForFlush(const LevelFiles& level0,
                              SequenceNumber unflushed);

// Tables [begin, end) of level 0.
struct Level0Range {
  size_t begin = 0;
  size_t end = 0;
  bool operator==(const Level0Range&) const = default;
};

// Returns the smallest merge that includes `range`: all newer tables are newer
// by sequence numbers and, unless they have one number, by epoch; all older
// ones are older by epoch.
// REQUIRES: range.begin < range.end <= level0.size()
Level0Range MergeThatIncludes(const LevelFiles& level0, Level0Range range);

}  // namespace tamis
