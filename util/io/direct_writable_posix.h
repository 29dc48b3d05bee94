// SPDX-License-Identifier: Apache-2.0
//
// Files of the operating system that are written past its page cache
// (O_DIRECT): whole logical blocks of the device, from aligned memory.
//
//   |==========|==========|=====00000|
//   blocks of the device       size ^ the tail: padded with zeros by a flush,
//                                     cut off again, and rewritten when it
//                                     grows
#pragma once

#include <memory>
#include <string>

#include "tamis/file_system.h"

namespace tamis {

// Creates or truncates the file. Returns NotSupported, and creates nothing, if
// the file system refuses O_DIRECT; some refuse only the first Flush.
Status OpenDirectWritableFile(const std::string& path,
                              std::unique_ptr<WritableFile>* file);

}  // namespace tamis
