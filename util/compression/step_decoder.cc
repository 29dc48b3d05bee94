// SPDX-License-Identifier: Apache-2.0
#include "util/compression/step_decoder.h"

#include <climits>

#include "util/base/result.h"
#include "util/coding/coding.h"
#include "util/compression/codec.h"
#include "util/compression/lz4_decoder.h"
#include "util/compression/snappy_decoder.h"

namespace tamis {

bool StepDecoder::Supports(CompressionType type) {
  switch (type) {
    case kSnappyCompression:
    case kLZ4Compression:
    case kLZ4HCCompression:
      return UncompressionSupported(type);
    default:
      return false;
  }
}

Status StepDecoder::DecodeAll(CompressionType type, const Slice& payload,
                              PayloadForm form, uint64_t cap, ByteBuffer* out) {
  StepDecoder decoder;
  TAMIS_RETURN_IF_ERROR(decoder.Start(type, payload, form, cap, out));
  return decoder.Finish() ? Status::OK() : decoder.Malformed();
}

Status StepDecoder::Start(CompressionType type, const Slice& payload,
                          PayloadForm form, uint64_t cap, ByteBuffer* out) {
  const bool snappy = type == kSnappyCompression;
  codec_ = snappy ? kSnappyName : kLz4Name;
  decode_ = snappy ? DecodeSnappy : DecodeLz4;
  Decoder in(payload);
  const uint64_t declared =
      snappy || form == PayloadForm::kVersion2 ? in.Varint32() : in.Fixed64();
  if (!in.ok()) return NoLength(codec_);
  const Slice block = in.rest();
  // snappy's bounds count the length, too.
  payload_bytes_ = snappy ? payload.size() : block.size();
  TAMIS_RETURN_IF_ERROR(
      BoundsOf(payload_bytes_, snappy ? kSnappyExpansion : kLz4Expansion, cap)
          .Check(codec_, declared));
  cursor_ = {block.data(), block.end(), nullptr, static_cast<size_t>(declared),
             0};
  // liblz4 accepts no greater lengths, and even an empty block has a token.
  if (!snappy &&
      (declared > INT_MAX || block.size() > INT_MAX || block.empty())) {
    return Malformed();
  }
  out->Clear();
  // One byte, so that an empty block has an address.
  cursor_.out = out->Room(std::max(cursor_.size, size_t{1}));
  out_ = out;
  return Status::OK();
}

bool StepDecoder::Finish() {
  // A target above size() decodes all input, because elements that add no bytes
  // may follow the last byte.
  if (!decode_(&cursor_, SIZE_MAX) || cursor_.in != cursor_.in_end ||
      cursor_.done != cursor_.size) {
    return false;
  }
  out_->Advance(cursor_.size);
  return true;
}

Status StepDecoder::Malformed() const {
  return NotAStream(codec_, payload_bytes_, cursor_.size);
}

}  // namespace tamis
