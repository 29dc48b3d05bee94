// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <leveldb/env.h>

#include "tamis/file_system.h"

namespace tamis::facade {

// An Env for Tamis, which must outlive the result and its files. Env::Default()
// becomes the file system of the operating system itself.
//
// An Env cannot sync a directory, map a file, or write to one by stores: what
// is created there is as durable as the Env makes it.
std::shared_ptr<FileSystem> FileSystemOf(leveldb::Env* env);

}  // namespace tamis::facade
