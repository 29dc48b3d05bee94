// SPDX-License-Identifier: Apache-2.0
//
// Programs ask for the version to know what they may call: it is that of the
// RocksDB whose API Tamis follows.
#pragma once

#include <rocksdb/rocksdb_namespace.h>  // IWYU pragma: export

#include <tamis/version.h>  // IWYU pragma: export

#define ROCKSDB_MAJOR 11
#define ROCKSDB_MINOR 9
#define ROCKSDB_PATCH 0
#define ROCKSDB_MAKE_VERSION_INT(a, b, c) ((a)*1000000 + (b)*1000 + (c))
#define ROCKSDB_VERSION_INT \
  ROCKSDB_MAKE_VERSION_INT(ROCKSDB_MAJOR, ROCKSDB_MINOR, ROCKSDB_PATCH)
