// SPDX-License-Identifier: Apache-2.0
#include "util/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace tamis {

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: tamis: this must hold: %s\n", file, line,
               condition);
  std::abort();
}

}  // namespace tamis
