// SPDX-License-Identifier: Apache-2.0
//
// Tables of a volume that are read and written through a LocalCache:
//
//   Append ──▶ cluster            Read ──▶ pages here? ──yes──▶ done
//       └────▶ pages here                      └─no─▶ cluster ──▶ pages here
//
// A long read, as of a compaction, adds no pages: it would displace what is
// read at random.
#pragma once

#include <cstdint>
#include <memory>

#include "tamis/file_system.h"

#include "rados/local_cache.h"
#include "rados/ownership.h"

namespace tamis::rados {

// `table` is a closed file of `size` bytes. `ownership` must outlive what is
// returned.
std::unique_ptr<RandomAccessFile> NewCachedReader(
    std::unique_ptr<RandomAccessFile> table, std::string path, uint64_t size,
    std::shared_ptr<LocalCache::File> pages, const Ownership* ownership);

std::unique_ptr<WritableFile> NewCachingWriter(
    std::unique_ptr<WritableFile> table,
    std::shared_ptr<LocalCache::File> pages);

}  // namespace tamis::rados
