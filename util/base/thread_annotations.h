// SPDX-License-Identifier: Apache-2.0
//
// Clang's thread-safety attributes under their usual names; empty for other
// compilers.
#pragma once

#if defined(__clang__)
#define TAMIS_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define TAMIS_THREAD_ATTRIBUTE(x)
#endif

#define CAPABILITY(x) TAMIS_THREAD_ATTRIBUTE(capability(x))
#define SCOPED_CAPABILITY TAMIS_THREAD_ATTRIBUTE(scoped_lockable)
#define GUARDED_BY(x) TAMIS_THREAD_ATTRIBUTE(guarded_by(x))
#define PT_GUARDED_BY(x) TAMIS_THREAD_ATTRIBUTE(pt_guarded_by(x))
#define REQUIRES(...) TAMIS_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define ACQUIRE(...) TAMIS_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) TAMIS_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define EXCLUDES(...) TAMIS_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define ASSERT_CAPABILITY(x) TAMIS_THREAD_ATTRIBUTE(assert_capability(x))
#define NO_THREAD_SAFETY_ANALYSIS \
  TAMIS_THREAD_ATTRIBUTE(no_thread_safety_analysis)
