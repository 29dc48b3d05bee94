// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rocksdb/rocksdb_namespace.h>  // IWYU pragma: export

#include <tamis/perf_context.h>  // IWYU pragma: export
