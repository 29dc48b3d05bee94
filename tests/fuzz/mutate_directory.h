// SPDX-License-Identifier: Apache-2.0
//
// Mutates a directory (fuzz_directory.h): one of its files, according to its
// type, or the set of files. After a change of a table, MANIFESTs usually get
// its new size.
#pragma once

#include <string>

#include "tests/fuzz/mutator.h"

namespace tamis {

std::string MutateDirectory(const std::string& input, Mutator* mutator);

}  // namespace tamis
