// SPDX-License-Identifier: Apache-2.0
//
// The sizes of a family's levels in entries and their share of lookups, for
// policies of filters.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tamis/filter_policy.h"

#include "db/family/column_family.h"

namespace tamis {

// Returns the levels from 0 on. `lookups` is TableCache::lookups() of the
// family. Counts the entries of tables that this process opened or wrote
// before. Estimates those of others by their bytes. Opens no table. Any thread.
std::vector<LevelShape> LevelShapesOf(const Version& version, uint64_t lookups);

// Returns a function that returns the levels of the family's current version,
// which must outlive it. Any thread, without the database's mutex.
std::function<std::vector<LevelShape>()> LevelsOf(const ColumnFamily* family);

// Returns the entries of the files, estimated like those of levels.
uint64_t EntriesOf(std::span<const TableFilePtr> files);

// Returns how many of the files of a level a lookup searches in vain on
// average: at most 1 if they are disjoint, else at most their number. 1024
// imaginary lookups are added to the counts of each file, so that a file with
// few counts is not judged by them. All of them searched it in vain, or, if the
// files are disjoint, its share by bytes. REQUIRES: the files were taken before
// `lookups`, which is TableCache::lookups().
double NegativeLookupsOf(std::span<const TableFilePtr> files, bool disjoint,
                         uint64_t lookups);

// Gives the tables `to`, which are disjoint, the counts of the files `from` of
// one level: shares by bytes of the average number of negative lookups of one
// run. Halves the counts, so that newer lookups weigh more. REQUIRES: as for
// NegativeLookupsOf.
void InheritLookups(std::span<const TableFilePtr> from, bool disjoint,
                    uint64_t lookups, std::span<FileMetaData> to);

}  // namespace tamis
