// SPDX-License-Identifier: Apache-2.0
//
// The numbers by which a database names its parts. Each kind is a type of its
// own; the MANIFEST, file names and messages contain them as plain integers.
//
// Sequence numbers are plain integers (tamis/types.h): the public interface
// and the tail of an internal key use them as such.
#pragma once

#include <cstdint>

#include "util/base/strong_number.h"

namespace tamis {

// Of a table, log, MANIFEST or other numbered file. One counter per database
// gives them.
using FileNumber = StrongNumber<struct FileNumberTag, uint64_t>;
inline constexpr FileNumber kNoFile{0};
inline constexpr FileNumber kFileNumberMax{(uint64_t{1} << 62) - 1};

// Of a column family. Never used twice; 0 is the default family.
using FamilyId = StrongNumber<struct FamilyIdTag, uint32_t>;
inline constexpr FamilyId kDefaultFamilyId{0};
inline constexpr FamilyId kFamilyIdMax{UINT32_MAX};

// Orders the tables of level 0 by age, per family: a flush gives its table a
// larger epoch number than all tables of the family have.
using EpochNumber = StrongNumber<struct EpochNumberTag, uint64_t>;
inline constexpr EpochNumber kUnknownEpoch{0};
inline constexpr EpochNumber kEpochNumberMax{UINT64_MAX};

}  // namespace tamis
