// SPDX-License-Identifier: Apache-2.0
//
// Uncompressing with libraries that hand out a stream piece by piece. Memory
// follows what the stream yields, not what it promises.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>
#include <optional>
#include <string>

#include "util/codec.h"
#include "util/coding.h"

namespace tamis {

enum class StreamState : uint8_t {
  kMore,  // the room is full
  kEnd,
  kBad,
};

// What stands before the stream in a payload: in newer forms, its length
// uncompressed.
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
  // The libraries count in unsigned int.
  if (parsed.stream.size() > UINT_MAX) {
    return NotAStream(codec, parsed.stream.size(), parsed.declared.value_or(0));
  }
  return parsed;
}

// `step(to, room, &written)` puts the next at most `room` bytes at `to`.
// `declared`: the length that the payload tells, where it does. `expansion` as
// for CheckClaim.
template <typename Step>
Result<std::string> UncompressStream(const char* codec, size_t size,
                                     std::optional<uint64_t> declared,
                                     uint64_t expansion, Step step) {
  const uint64_t limit = ClaimLimit(size, expansion);
  if (declared.has_value()) {
    TAMIS_RETURN_IF_ERROR(CheckClaim(codec, *declared, size, expansion));
  }
  const uint64_t most = declared.value_or(limit);
  // One byte of room more than is allowed: it shows what goes on too long, and
  // lets a library that wants room before it looks for the end find it.
  const uint64_t first =
      declared.has_value() && expansion != 0 ? most : uint64_t{4} * size + 4096;
  std::string raw(static_cast<size_t>(std::min(first, most) + 1), '\0');
  size_t filled = 0;
  for (;;) {
    size_t written = 0;
    const StreamState state =
        step(raw.data() + filled, raw.size() - filled, &written);
    filled += written;
    if (filled > most || state == StreamState::kBad) break;
    if (state == StreamState::kEnd) {
      if (declared.has_value() && filled != *declared) break;
      raw.resize(filled);
      return raw;
    }
    raw.resize(
        static_cast<size_t>(std::min(uint64_t{2} * raw.size(), most + 1)));
  }
  Status status = declared.has_value()
                      ? NotAStream(codec, size, *declared)
                      : Status::Corruption(std::string(codec) + ": " +
                                           std::to_string(size) +
                                           " bytes are not a stream");
  return Status::Corruption(
      status.message(), "it ended or failed after " + std::to_string(filled));
}

}  // namespace tamis
