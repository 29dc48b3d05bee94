// SPDX-License-Identifier: Apache-2.0
//
// Checks for bugs in Tamis, which abort the process. Errors of disks and
// callers are Statuses instead: never check bytes read from a disk by these.
// Use TAMIS_CHECK where wrong bytes could reach a disk, TAMIS_DCHECK (debug
// builds only) in hot loops.
#pragma once

namespace tamis {

[[noreturn]] void CheckFailed(const char* file, int line,
                              const char* condition);

}  // namespace tamis

#define TAMIS_CHECK(condition)  \
  (static_cast<bool>(condition) \
       ? static_cast<void>(0)   \
       : ::tamis::CheckFailed(__FILE__, __LINE__, #condition))

#ifdef NDEBUG
#define TAMIS_DCHECK(condition) static_cast<void>(0)
#else
#define TAMIS_DCHECK(condition) TAMIS_CHECK(condition)
#endif
