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

inline bool HasAvx2() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") != 0;
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
