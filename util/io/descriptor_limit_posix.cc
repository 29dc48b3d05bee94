// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util/io/descriptor_limit.h"

namespace tamis {

uint64_t DescriptorLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return UINT64_MAX;
  return limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}

uint64_t OpenDescriptors() {
  const int lowest = ::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lowest < 0) return errno == EMFILE || errno == ENFILE ? UINT64_MAX : 0;
  ::close(lowest);
  return static_cast<uint64_t>(lowest);
}

}  // namespace tamis
