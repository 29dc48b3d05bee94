// SPDX-License-Identifier: Apache-2.0
//
// Files of a volume that are read. The bytes of a closed file never change, so
// a closed file that lacks bytes has lost its objects; that is an error of its
// own, and no end of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tamis/file_system.h"

#include "rados/volume.h"
#include "rados/volume_layout.h"

namespace tamis::rados {

// Both keep `hold` as long as the file is open; nullptr: nothing is held.
std::unique_ptr<SequentialFile> NewSequentialReader(
    std::shared_ptr<Volume> volume, std::string path, FileEntry entry,
    std::unique_ptr<ReaderPin::Hold> hold);
std::unique_ptr<RandomAccessFile> NewRandomReader(
    std::shared_ptr<Volume> volume, std::string path, FileEntry entry,
    std::unique_ptr<ReaderPin::Hold> hold);

}  // namespace tamis::rados
