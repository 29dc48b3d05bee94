// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rocksdb/rocksdb_namespace.h>  // IWYU pragma: export

#include <tamis/memtablerep.h>  // IWYU pragma: export
