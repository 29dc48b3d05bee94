// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include "util/io/descriptor_limit.h"

namespace tamis {

uint64_t DescriptorLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return UINT64_MAX;
  return limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}

}  // namespace tamis
