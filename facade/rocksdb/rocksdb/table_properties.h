// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rocksdb/rocksdb_namespace.h>  // IWYU pragma: export

#include <tamis/table_properties.h>            // IWYU pragma: export
#include <tamis/table_properties_collector.h>  // IWYU pragma: export
