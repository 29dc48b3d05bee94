// SPDX-License-Identifier: Apache-2.0
//
// Compresses the records of a log: each becomes one zstd frame, which
// UncompressZstdRecord (compression.h) reads.
//
// One thread at a time.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

class RecordCompressor {
 public:
  // Returns nullptr if the build lacks zstd. Throws std::bad_alloc.
  static std::unique_ptr<RecordCompressor> New();
  virtual ~RecordCompressor() = default;
  // Replaces *frame by the concatenation of the parts, compressed.
  virtual Status Compress(std::span<const Slice> parts, std::string* frame) = 0;
};

}  // namespace tamis
