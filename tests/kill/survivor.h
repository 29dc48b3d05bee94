// SPDX-License-Identifier: Apache-2.0
//
// Reads what a killed process left, by Tamis and by RocksDB's ldb.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "tests/kill/victim.h"
#include "tests/support/directories.h"

namespace tamis::kill {

// The entries of each family, in order; nullopt: there is no such family.
using Survivor = std::array<std::optional<KeyValues>, kFamilies>;

// Opens read-only, so that the next process has to recover the directory as the
// kill left it. Scans in both directions and point reads of every key must
// agree, or the test fails. Returns an error of the open.
Status ReadDatabase(const std::string& directory, const Options& options,
                    bool read_only, Survivor* survivor);
// The same; an error of the open fails the test.
Survivor ReadByTamis(const std::string& directory, const Setting& setting,
                     bool read_only);

// The path of ldb; empty: it is missing, which is an error if the environment
// has CI=true.
std::string FindLdb();
// Runs ldb, which opens all families of a copy and scans this one. Errors of
// the tool fail the test.
KeyValues ReadByLdb(const std::string& ldb, const std::string& directory,
                    const std::string& copy, size_t family);

// The part of one thread.
Model PartOf(const Survivor& survivor, uint32_t thread);
// The first difference, as a sentence; empty: none.
std::string ModelDifference(const Model& expected, const Model& got);

// Advances the thread's model to the contents of the survivor. Fails the test
// if these lack an acknowledged operation or have one that was not begun.
// Returns the number of acknowledged operations.
uint64_t Advance(const Round& round, uint32_t thread,
                 const ExpectedState::Progress& progress,
                 const Survivor& survivor, Model* model);

}  // namespace tamis::kill
