// SPDX-License-Identifier: Apache-2.0
//
// Who holds a lock that another opener was refused, in words for an error.
#pragma once

#include <string>

namespace tamis {

// "process 123 (name) holds it", as far as the system tells: on Linux from the
// lock itself, or from the descriptors in /proc, where several processes may
// share one (a process that opened a database, and those forked from it).
// Otherwise "another opener holds it".
// REQUIRES: `fd` is of the file that is locked, and has no lock itself.
std::string LockHolder(int fd);

}  // namespace tamis
