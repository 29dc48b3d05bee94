// SPDX-License-Identifier: Apache-2.0
//
// Numbers that appear in more than one public header.
#pragma once

#include <cstdint>

namespace tamis {

// Each write gets the next one; the first write of a new database gets 1.
// Below 2^56. 0 means "older than everything".
using SequenceNumber = uint64_t;

}  // namespace tamis
