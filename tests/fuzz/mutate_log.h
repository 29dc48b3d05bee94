// SPDX-License-Identifier: Apache-2.0
//
// Mutates a log as a list of parts (db/wal/log_format.h): their contents, types
// and order. Except for a few, the resulting checksums are right.
#pragma once

#include <functional>
#include <string>

#include "tests/fuzz/mutator.h"

namespace tamis {

// Mutates a complete record: MutateEdit, MutateBatch.
using RecordMutator = std::string (*)(const std::string& record,
                                      Mutator* mutator);

std::string MutateLog(const std::string& log, RecordMutator mutate_record,
                      Mutator* mutator);

// The log with other records instead of those that are not split.
std::string WithRecords(
    const std::string& log,
    const std::function<std::string(const std::string& record)>& replace);

}  // namespace tamis
