// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rocksdb/rocksdb_namespace.h>  // IWYU pragma: export

#include <tamis/file_system.h>          // IWYU pragma: export
#include <tamis/file_system_wrapper.h>  // IWYU pragma: export
