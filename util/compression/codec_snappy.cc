// SPDX-License-Identifier: Apache-2.0
//
// Codec 1 (Snappy): compressed by the library, decompressed by StepDecoder,
// which is faster (docs/decisions/block_decoders.md).
#include <snappy.h>

#include "util/compression/codec.h"
#include "util/compression/step_decoder.h"

namespace tamis {

namespace {

bool SnappyCompress(const Slice& raw, PayloadForm /*form*/, int /*level*/,
                    std::string* out) {
  snappy::Compress(raw.data(), raw.size(), out);
  return true;
}

// snappy has no dictionaries.
Status SnappyUncompress(const Slice& payload, PayloadForm form,
                        const UncompressionDictionary* /*dictionary*/,
                        uint64_t cap, ByteBuffer* out) {
  return StepDecoder::DecodeAll(kSnappyCompression, payload, form, cap, out);
}

}  // namespace

const CodecFunctions kSnappyFunctions = {SnappyCompress, SnappyUncompress};

}  // namespace tamis
