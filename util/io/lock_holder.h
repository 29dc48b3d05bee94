// SPDX-License-Identifier: Apache-2.0
//
// Describes the holder of a lock, for error messages.
#pragma once

#include <string>

namespace tamis {

// "process 123 (name) holds it", as far as the system can tell. On Linux the
// owner comes from the lock itself, or from the descriptors in /proc, where
// several processes may share a lock (one that opened a database, and those
// forked from it). Otherwise "another opener holds it".
// REQUIRES: `fd` refers to the locked file and holds no lock itself.
std::string LockHolder(int fd);

}  // namespace tamis
