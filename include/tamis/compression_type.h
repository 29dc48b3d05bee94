// SPDX-License-Identifier: Apache-2.0
//
// The codecs of blocks.
#pragma once

#include <cstdint>

namespace tamis {

// The codec of a block. The values are stored in block trailers.
enum CompressionType : uint8_t {
  kNoCompression = 0,
  kSnappyCompression = 1,
  kZlibCompression = 2,
  kBZip2Compression = 3,
  kLZ4Compression = 4,
  kLZ4HCCompression = 5,
  kXpressCompression = 6,
  kZSTD = 7,
  // No codec: see ColumnFamilyOptions::bottommost_compression.
  kDisableCompressionOption = 0xff,
};

}  // namespace tamis
