// SPDX-License-Identifier: Apache-2.0
//
// The targets with a mutator that knows the structure of their inputs.
#pragma once

#include <string>
#include <string_view>

#include "tests/fuzz/mutator.h"

namespace tamis {

// Returns the mutated input. If it cannot parse the input, it changes bytes.
using InputMutator = std::string (*)(const std::string& input,
                                     Mutator* mutator);

// nullptr: the target has no mutator, and the fuzzer changes bytes.
InputMutator FindMutator(std::string_view target);

}  // namespace tamis
