// SPDX-License-Identifier: Apache-2.0
//
// Which target has a mutator that knows the structure of its inputs.
#pragma once

#include <string>
#include <string_view>

#include "tests/fuzz/mutator.h"

namespace tamis {

// The mutated input. Where it makes nothing of the structure, bytes are
// changed.
using InputMutator = std::string (*)(const std::string& input,
                                     Mutator* mutator);

// nullptr: bytes are all there is.
InputMutator FindMutator(std::string_view target);

}  // namespace tamis
