// SPDX-License-Identifier: Apache-2.0
//
// Tables under LevelDB's names, for programs that look for these in the
// directory:
//
//   Tamis: 000012.sst ◀──▶ on the device: 000012.ldb
//
// RocksDB and Tamis itself find a table under either name. One that has
// RocksDB's name already keeps it.
#pragma once

#include <memory>

#include "tamis/file_system.h"

namespace tamis::facade {

std::shared_ptr<FileSystem> WithLevelDBNames(std::shared_ptr<FileSystem> base);

}  // namespace tamis::facade
