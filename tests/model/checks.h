// SPDX-License-Identifier: Apache-2.0
//
// What a database or an iterator shows, against the State it ought to show.
// Every check returns the first difference in words, empty for none.
#pragma once

#include <string>
#include <vector>

#include "tamis/db.h"

#include "tests/model/model.h"
#include "util/base/random.h"

namespace tamis::model {

// A full walk each way, then random seeks with a few steps to and fro.
std::string CheckIterator(Iterator* it, const State& expected,
                          const std::vector<std::string>& keys, Random* random);

std::string CheckGet(DB* db, const Snapshot* snapshot, const std::string& key,
                     const State& expected);

// Point reads of all keys and of some that never were, walks, walks between
// bounds. nullptr: as of now.
std::string CheckReads(DB* db, const Snapshot* snapshot, const State& expected,
                       const std::vector<std::string>& keys, Random* random);

// All that the database holds, by a forward walk.
std::string ReadAll(DB* db, State* state);

}  // namespace tamis::model
