// SPDX-License-Identifier: Apache-2.0
//
// What a power cut leaves of a file's bytes that were appended but not synced:
//
//             synced        not synced
//           |---------|-------------------------|
//   drop    |---------|
//   keep    |---------|-------------------------|
//   prefix  |---------|-----------|
//   sectors |---------|--|00000|-----|000|--|      each sector by itself
//
// A file system may write the new length before the data, and sectors in any
// order: where one is missing, zeros stand. It never shows bytes that nobody
// wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tamis/slice.h"

#include "util/base/random.h"

namespace tamis {

enum class CrashStyle : uint8_t {
  kMixed,    // one of those below, for each file and entry by luck
  kDropAll,  // nothing survives that was not synced
  kKeepAll,  // everything does
  kPrefix,   // of each file a prefix, of directory entries some
  kSectors,  // of each file some sectors, of directory entries some
};

inline constexpr size_t kSectorBytes = 512;

// What is left of a file, of which the first `synced` bytes are safe.
std::string SurvivingBytes(const Slice& bytes, size_t synced, CrashStyle style,
                           Random* luck);

}  // namespace tamis
