// SPDX-License-Identifier: Apache-2.0
//
// What the snappy and lz4 libraries make of a block, by which Tamis's decoders
// are judged. The target that includes this has codec_definitions.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <snappy.h>
#ifdef TAMIS_HAVE_LZ4
#include <lz4.h>
#endif

#include "tamis/slice.h"
#include "tamis/table.h"

#include "util/coding/coding.h"

namespace tamis {

// Returns the block that the library decodes from a payload of version 2, or
// nothing if the library rejects the payload, or if it declares more than
// `limit` bytes. REQUIRES: StepDecoder::Supports(type)
inline std::optional<std::string> LibraryUncompress(CompressionType type,
                                                    const Slice& payload,
                                                    size_t limit) {
  Decoder in(payload);
  const uint32_t declared = in.Varint32();
  if (!in.ok() || declared > limit) return std::nullopt;
  std::string raw(declared, '\0');
  bool good = false;
  if (type == kSnappyCompression) {
    good = snappy::RawUncompress(payload.data(), payload.size(), raw.data());
  }
#ifdef TAMIS_HAVE_LZ4
  const Slice block = in.rest();
  if (type != kSnappyCompression && declared <= INT_MAX &&
      block.size() <= INT_MAX) {
    good = LZ4_decompress_safe(
               block.data(), raw.data(), static_cast<int>(block.size()),
               static_cast<int>(declared)) == static_cast<int>(declared);
  }
#endif
  if (!good) return std::nullopt;
  return raw;
}

}  // namespace tamis
