// SPDX-License-Identifier: Apache-2.0
//
// XXH3 in the library's form for AVX2, for processors that have it. Takes half
// the time of the form for any x86-64. 64-bit x86 only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tamis {

// Returns XXH3_64bits of the n bytes. REQUIRES: the processor has AVX2. Any
// thread.
uint64_t Xxh3Avx2(const char* data, size_t n);

}  // namespace tamis
