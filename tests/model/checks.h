// SPDX-License-Identifier: Apache-2.0
//
// Compares a database or an iterator with the expected State. Every check
// returns the first difference as text; empty: none.
#pragma once

#include <string>
#include <vector>

#include "tamis/db.h"

#include "tests/model/model.h"
#include "util/base/random.h"

namespace tamis::model {

// Full scans in both directions, then random seeks with a few moves each.
std::string CheckIterator(Iterator* it, const State& expected,
                          const std::vector<std::string>& keys, Random* random);

std::string CheckGet(DB* db, const Snapshot* snapshot, const std::string& key,
                     const State& expected);

// Point reads of all keys and of absent ones, scans, and scans with bounds.
// `snapshot` nullptr: the current state.
std::string CheckReads(DB* db, const Snapshot* snapshot, const State& expected,
                       const std::vector<std::string>& keys, Random* random);

// All entries of the database, by a forward scan.
std::string ReadAll(DB* db, State* state);

}  // namespace tamis::model
