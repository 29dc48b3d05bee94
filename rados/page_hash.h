// SPDX-License-Identifier: Apache-2.0
//
// The hash of a page of a LocalFile: XXH3 with a seed. Most of what a read of a
// page costs beside the copy.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tamis::rados {

// Returns XXH3_64bits_withSeed of the n bytes. Any thread.
uint64_t PageHash(uint64_t seed, const char* bytes, size_t n);

// The same in the library's form for AVX2, which takes half the time. 64-bit
// x86 only. REQUIRES: the processor has AVX2.
uint64_t PageHashAvx2(uint64_t seed, const char* bytes, size_t n);

}  // namespace tamis::rados
