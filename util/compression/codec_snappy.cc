// SPDX-License-Identifier: Apache-2.0
#include <snappy.h>

#include "util/compression/codec.h"

namespace tamis {

namespace {

bool SnappyCompress(const Slice& raw, PayloadForm /*form*/, std::string* out) {
  snappy::Compress(raw.data(), raw.size(), out);
  return true;
}

// snappy has no dictionaries.
Result<ByteBuffer> SnappyUncompress(
    const Slice& payload, PayloadForm /*form*/,
    const UncompressionDictionary* /*dictionary*/, uint64_t cap) {
  size_t declared = 0;
  if (!snappy::GetUncompressedLength(payload.data(), payload.size(),
                                     &declared)) {
    return NoLength(kSnappyName);
  }
  TAMIS_RETURN_IF_ERROR(BoundsOf(payload.size(), kSnappyExpansion, cap)
                            .Check(kSnappyName, declared));
  ByteBuffer raw = ByteBuffer::WithRoom(declared);
  if (!snappy::RawUncompress(payload.data(), payload.size(), raw.data())) {
    return NotAStream(kSnappyName, payload.size(), declared);
  }
  raw.Advance(declared);
  return raw;
}

}  // namespace

const CodecFunctions kSnappyFunctions = {SnappyCompress, SnappyUncompress};

}  // namespace tamis
