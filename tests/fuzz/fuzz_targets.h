// SPDX-License-Identifier: Apache-2.0
//
// The fuzz targets by name.
#pragma once

#include <cstddef>
#include <cstdint>

// TAMIS_FUZZ_TARGET(name) for each target.
#define TAMIS_FUZZ_TARGET(name) \
  extern "C" int name(const uint8_t* data, size_t size);
#include "fuzz_targets.inc"
#undef TAMIS_FUZZ_TARGET

namespace tamis {

struct FuzzTarget {
  const char* name;
  int (*run)(const uint8_t* data, size_t size);
};

inline constexpr FuzzTarget kFuzzTargets[] = {
#define TAMIS_FUZZ_TARGET(name) {#name, name},
#include "fuzz_targets.inc"
#undef TAMIS_FUZZ_TARGET
};

}  // namespace tamis
