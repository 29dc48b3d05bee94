// SPDX-License-Identifier: Apache-2.0
//
// Opens files of the operating system for reads at any offset. Reads are done
// in one of three ways: by pread, through a mapping, or by direct reads, which
// bypass the page cache.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "tamis/file_system.h"

namespace tamis {

class AsyncReadPool;

// FileSystem::OpenRandomAccessFile of the operating system's files. Returns
// NotSupported if the file cannot be read by direct reads; some file systems
// tell so at the first read only, which then does. `pool` is for ReadAsync.
Status OpenPosixRandomAccessFile(const std::string& path,
                                 const FileOptions& options,
                                 std::shared_ptr<AsyncReadPool> pool,
                                 std::unique_ptr<RandomAccessFile>* file);

// Returns the alignment of direct reads and writes of the open file.
size_t DirectAlignment(int fd);

}  // namespace tamis
