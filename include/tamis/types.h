// SPDX-License-Identifier: Apache-2.0
//
// Integer types shared by the public headers.
#pragma once

#include <cstdint>

namespace tamis {

// Every write gets the next number; a new database starts at 1. Below 2^56. 0
// means older than everything.
using SequenceNumber = uint64_t;

}  // namespace tamis
