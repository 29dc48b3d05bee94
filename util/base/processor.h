// SPDX-License-Identifier: Apache-2.0
//
// Tells which newer instructions the processor has, so that functions compiled
// for them may be called. Any thread.
#pragma once

namespace tamis {

// Returns whether functions with target("popcnt") may be called.
inline bool HasPopcount() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("popcnt") != 0;
#else
  return false;
#endif
}

// Returns whether the twins with vector instructions may be called: on x86-64,
// those with target("avx2"); on 64-bit Arm, those with NEON, which each has.
inline bool HasVectors() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") != 0;
#elif defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

// Returns whether functions with target("avx512f,avx512vpopcntdq") may be
// called.
inline bool HasAvx512Popcount() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512vpopcntdq") != 0;
#else
  return false;
#endif
}

}  // namespace tamis
