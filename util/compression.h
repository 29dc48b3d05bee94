// SPDX-License-Identifier: Apache-2.0
//
// Block codecs behind two calls. A codec that the build lacks compresses
// nothing and refuses to uncompress, by name.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tamis/slice.h"
#include "tamis/table.h"

#include "util/result.h"

namespace tamis {

// "NoCompression", "Snappy", ... as in the property rocksdb.compression.
const char* CompressionTypeName(CompressionType type);

// Whether this build can write it (kNoCompression always).
bool CompressionSupported(CompressionType type);
std::vector<CompressionType> SupportedCompressions();

// Compresses `raw` into *out (replaced) as a block of format_version >= 2
// holds it. False when the codec is not supported, fails, or `raw` is over
// kMaxCompressibleBytes: the block is then stored as it is.
inline constexpr size_t kMaxCompressibleBytes = size_t{1} << 30;
bool Compress(CompressionType type, const Slice& raw, std::string* out);

// What a reader may be asked to allocate for a block: a declared length above
// it is Corruption. Snappy, which trusts its header, can shrink by no more
// than the factor below.
inline constexpr uint64_t kMaxUncompressedBytes = (uint64_t{1} << 32) - 1;

// REQUIRES: type != kNoCompression
Result<std::string> Uncompress(CompressionType type, const Slice& compressed);

}  // namespace tamis
