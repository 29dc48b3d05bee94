// SPDX-License-Identifier: Apache-2.0
//
// Opens files of the operating system for reads at any offset. Reads are done
// in one of three ways: by pread, through a mapping, or by direct reads, which
// bypass the page cache.
#pragma once

#include <memory>
#include <string>

#include "tamis/file_system.h"

namespace tamis {

// Implements FileSystem::OpenRandomAccessFile. With use_mmap_reads, falls back
// to pread if the file cannot be mapped. With use_direct_reads, returns
// NotSupported if the file system has no direct reads.
Status OpenPosixRandomAccessFile(const std::string& path,
                                 const FileOptions& options,
                                 std::unique_ptr<RandomAccessFile>* file);

}  // namespace tamis
