// SPDX-License-Identifier: Apache-2.0
//
// A StepDecoder decompresses a snappy or lz4 block in steps, each up to a
// length that the caller gives. A point read can search a data block while it
// is decoded, and stop at the entry sought.
//
//   payload    +--------+-------------------+- - - - - - - - - - - -+
//              | length | decoded elements  | not yet read          |
//              +--------+-------------------+- - - - - - - - - - - -+
//   *out       +-----------------------------------+- - - - - - - - - - -+
//              | decoded() bytes                   | undefined           |
//              +-----------------------------------+- - - - - - - - - - -+
//                                                                      size()
//
// Payloads are untrusted, and may change while they are decoded, since they may
// be in a mapped file. Each byte that decides something is read once, and then
// checked. Nothing is written outside of *out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tamis/slice.h"
#include "tamis/status.h"

#include "util/base/byte_buffer.h"
#include "util/base/result.h"
#include "util/compression/compression.h"
#include "util/compression/decode_cursor.h"

namespace tamis {

// One thread. May be reused: Start begins another block.
class StepDecoder {
 public:
  StepDecoder() = default;
  StepDecoder(const StepDecoder&) = delete;
  StepDecoder& operator=(const StepDecoder&) = delete;

  // Returns whether blocks of `type` can be decoded in steps: snappy, lz4 and
  // lz4hc if this build can uncompress them. Blocks that were compressed with a
  // dictionary are for Uncompress alone.
  static bool Supports(CompressionType type);

  // Decodes a whole block as Uncompress does. REQUIRES: Supports(type)
  static Result<ByteBuffer> DecodeAll(CompressionType type,
                                      const Slice& payload, PayloadForm form,
                                      uint64_t cap);

  // Begins the block `payload`: reads its length, empties *out and gives it
  // room for size() bytes, without an allocation if it has as much. Returns
  // Corruption, with the message of Uncompress, if the length is malformed, or
  // is beyond `cap` or what the codec can produce. `payload` and *out must
  // outlive the last call of DecodeTo or Finish; until then, the caller does
  // not use *out. REQUIRES: Supports(type)
  Status Start(CompressionType type, const Slice& payload, PayloadForm form,
               uint64_t cap, ByteBuffer* out);

  // Returns the length of the whole block, as the payload declares it.
  size_t size() const { return cursor_.size; }
  // Returns how many bytes are decoded. They are at data(), and do not change
  // again. REQUIRES: Start returned OK
  size_t decoded() const { return cursor_.done; }
  const char* data() const { return cursor_.out; }

  // Decodes until decoded() is at least min(target, size()): to the end of the
  // element that reaches it, usually a few bytes more. Returns false if an
  // element on the way is malformed, or the payload ends first.
  //
  // Does not check the payload after that element: a caller that stops early
  // accepts more than Uncompress does.
  bool DecodeTo(size_t target) {
    target = std::min(target, cursor_.size);
    return cursor_.done >= target ||
           (decode_(&cursor_, target) && cursor_.done >= target);
  }

  // Decodes the rest and sets the size of *out to size(). Returns false if
  // Uncompress would return Corruption, because the payload is malformed or
  // decodes to more or fewer than size() bytes. REQUIRES: called at most once
  bool Finish();

  // Returns the Corruption for a payload that DecodeTo or Finish rejects, with
  // the message of Uncompress.
  Status Malformed() const;

 private:
  DecodeCursor cursor_;
  bool (*decode_)(DecodeCursor* cursor, size_t target) = nullptr;
  const char* codec_ = nullptr;
  size_t payload_bytes_ = 0;
  ByteBuffer* out_ = nullptr;
};

}  // namespace tamis
