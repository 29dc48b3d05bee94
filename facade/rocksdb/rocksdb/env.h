// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rocksdb/rocksdb_namespace.h>  // IWYU pragma: export

#include <tamis/env.h>              // IWYU pragma: export
#include <tamis/file_system.h>      // IWYU pragma: export
#include <tamis/job_runner.h>       // IWYU pragma: export
#include <tamis/logger.h>           // IWYU pragma: export
#include <tamis/sst_file_writer.h>  // IWYU pragma: export
#include <tamis/thread_status.h>    // IWYU pragma: export
