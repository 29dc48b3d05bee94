// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rocksdb/rocksdb_namespace.h>  // IWYU pragma: export

#include <tamis/compression_type.h>  // IWYU pragma: export
