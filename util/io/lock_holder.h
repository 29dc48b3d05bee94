// SPDX-License-Identifier: Apache-2.0
//
// Describes the holder of a lock, for error messages.
#pragma once

#include <string>

namespace tamis {

// Returns "process 123 (name) holds it", as far as the system can tell. On
// Linux the lock itself names its owner, or the descriptors in /proc do. There,
// several processes may share a lock: one that opened a database, and those
// forked from it. Returns "another opener holds it" if no process is found.
// REQUIRES: `fd` refers to the locked file and holds no lock itself.
std::string LockHolder(int fd);

}  // namespace tamis
