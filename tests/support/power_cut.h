// SPDX-License-Identifier: Apache-2.0
//
// Simulates the effect of a power failure on bytes that were appended to a file
// but not synced:
//
//             synced        not synced
//           |---------|-------------------------|
//   drop    |---------|
//   keep    |---------|-------------------------|
//   prefix  |---------|-----------|
//   sectors |---------|--|00000|-----|000|--|      each sector by itself
//
// A file system may write the new length before the data, and sectors in any
// order; missing sectors read as zeros. It never shows bytes that were not
// written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tamis/slice.h"

#include "util/base/random.h"

namespace tamis {

enum class CrashStyle : uint8_t {
  kMixed,    // one of those below, at random per file and entry
  kDropAll,  // unsynced changes are lost
  kKeepAll,  // unsynced changes survive
  kPrefix,   // a prefix of each file, and some directory entries
  kSectors,  // some sectors of each file, and some directory entries
};

inline constexpr size_t kSectorBytes = 512;

// Returns the bytes left of a file whose first `synced` bytes are durable.
std::string SurvivingBytes(const Slice& bytes, size_t synced, CrashStyle style,
                           Random* luck);

}  // namespace tamis
