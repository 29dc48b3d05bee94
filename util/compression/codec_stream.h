// SPDX-License-Identifier: Apache-2.0
//
// Payloads of streaming libraries. When one is decompressed, memory grows with
// the actual output, not with the declared length.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "util/base/result.h"
#include "util/coding/coding.h"
#include "util/compression/codec.h"

namespace tamis {

enum class StreamState : uint8_t {
  kMore,  // the output space is full
  kEnd,
  kBad,
};

// A payload, split into the stream and the length that newer forms put before
// it.
struct StreamPayload {
  Slice stream;
  std::optional<uint64_t> declared;
};
inline Result<StreamPayload> ParseStreamPayload(const char* codec,
                                                const Slice& payload,
                                                PayloadForm form) {
  StreamPayload parsed;
  Decoder in(payload);
  if (form == PayloadForm::kVersion2) parsed.declared = in.Varint32();
  if (!in.ok()) return NoLength(codec);
  parsed.stream = in.rest();
  // The libraries' sizes are unsigned int.
  if (parsed.stream.size() > UINT_MAX) {
    return NotAStream(codec, parsed.stream.size(), parsed.declared.value_or(0));
  }
  return parsed;
}

// Begins the payload of a stream that is appended to *out.
inline void BeginStreamPayload(const Slice& raw, PayloadForm form,
                               std::string* out) {
  out->clear();
  if (form == PayloadForm::kVersion2) {
    PutVarint32(out, static_cast<uint32_t>(raw.size()));
  }
}

// Replaces *out by the output of the stream. Returns Corruption if the stream
// is malformed, beyond `bounds`, or not of the declared length, which is
// nullopt if the payload does not store it. step(to, room, &written) writes the
// next bytes, at most `room`, to `to`.
template <typename Step>
Status UncompressStream(const char* codec, std::optional<uint64_t> declared,
                        const BlockBounds& bounds, ByteBuffer* out, Step step) {
  if (declared) TAMIS_RETURN_IF_ERROR(bounds.Check(codec, *declared));
  const uint64_t most = declared.value_or(bounds.most());
  // One byte more than allowed, to detect streams that are too long. Some
  // libraries also need free space to recognize the end.
  const uint64_t guess = (declared ? 64 : 4) * uint64_t{bounds.size} + 4096;
  auto limit = static_cast<size_t>(std::min(most, guess) + 1);
  out->Clear();
  for (;;) {
    if (out->capacity() < limit) {
      ByteBuffer larger = ByteBuffer::WithRoom(limit);
      larger.Append(*out);
      *out = std::move(larger);
    }
    size_t written = 0;
    const StreamState state =
        step(out->data() + out->size(), limit - out->size(), &written);
    out->Advance(written);
    if (out->size() > most) {
      if (!declared) return bounds.TooLong(codec, out->size());
      break;
    }
    if (state == StreamState::kBad) break;
    if (state == StreamState::kEnd) {
      if (declared && out->size() != *declared) break;
      return Status::OK();
    }
    limit = static_cast<size_t>(std::min(uint64_t{2} * limit, most + 1));
  }
  const Status status = declared
                            ? NotAStream(codec, bounds.size, *declared)
                            : Status::Corruption(std::string(codec) + ": " +
                                                 std::to_string(bounds.size) +
                                                 " bytes are not a stream");
  return Status::Corruption(status.message(), "it ended or failed after " +
                                                  std::to_string(out->size()));
}

}  // namespace tamis
