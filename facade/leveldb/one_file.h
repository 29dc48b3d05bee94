// SPDX-License-Identifier: Apache-2.0
//
// A file system that has one file, which LevelDB's caller has opened.
#pragma once

#include <memory>

#include <leveldb/env.h>

#include "tamis/file_system.h"

namespace tamis::facade {

inline constexpr char kOneFile[] = "table";

// The file must outlive the result, and stays open.
std::shared_ptr<FileSystem> FileSystemFor(leveldb::WritableFile* file);
std::shared_ptr<FileSystem> FileSystemFor(leveldb::RandomAccessFile* file,
                                          uint64_t size);

}  // namespace tamis::facade
