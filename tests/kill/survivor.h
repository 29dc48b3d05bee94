// SPDX-License-Identifier: Apache-2.0
//
// What a killed process left, as Tamis shows it and as RocksDB's ldb does.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "tests/kill/victim.h"
#include "tests/support/directories.h"

namespace tamis::kill {

// What each family shows, in its order; nullopt: there is no such family.
using Survivor = std::array<std::optional<KeyValues>, kFamilies>;

// Read-only leaves the directory as the kill did, so that the next process has
// to recover it. Scans in both directions and point reads of every key have to
// agree, or the test fails. An error of the open is returned.
Status ReadDatabase(const std::string& directory, const Options& options,
                    bool read_only, Survivor* survivor);
// The same; an error of the open fails the test.
Survivor ReadByTamis(const std::string& directory, const Setting& setting,
                     bool read_only);

// The path of ldb; empty when it is missing, which is an error where the
// environment says CI=true.
std::string FindLdb();
// A process of ldb opens all families of a copy and shows this one. Complaints
// of the tool fail the test.
KeyValues ReadByLdb(const std::string& ldb, const std::string& directory,
                    const std::string& copy, size_t family);

// The part of one thread.
Model PartOf(const Survivor& survivor, uint32_t thread);
// The first difference in a sentence; empty when there is none.
std::string ModelDifference(const Model& expected, const Model& got);

// Brings the thread's model up to what the survivor proves was done; fails the
// test where that is less than was acknowledged or more than was begun. Returns
// how many operations were acknowledged.
uint64_t Advance(const Round& round, uint32_t thread,
                 const ExpectedState::Progress& progress,
                 const Survivor& survivor, Model* model);

}  // namespace tamis::kill
