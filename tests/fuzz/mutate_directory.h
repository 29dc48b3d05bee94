// SPDX-License-Identifier: Apache-2.0
//
// Mutates a directory (fuzz_directory.h): one of its files as what it is, or
// which files there are. Where a table has changed, MANIFESTs mostly say its
// new size.
#pragma once

#include <string>

#include "tests/fuzz/mutator.h"

namespace tamis {

std::string MutateDirectory(const std::string& input, Mutator* mutator);

}  // namespace tamis
