// SPDX-License-Identifier: Apache-2.0
//
// What we did wrong ends the process here; what the disk or the caller did
// wrong is a Status instead. CHECK stands wherever wrong bytes could reach a
// disk, DCHECK in hot loops (debug builds only). Never on bytes from a disk.
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
