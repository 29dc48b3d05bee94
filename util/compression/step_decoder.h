// SPDX-License-Identifier: Apache-2.0
//
// A StepDecoder decompresses a snappy or lz4 block in steps. The caller names
// the number of bytes that a step must reach. A point read can search a data
// block while it is decoded, and stop at the entry sought.
//
//   payload    +--------+-------------------+- - - - - - - - - - - -+
//              | length | decoded elements  | not yet read          |
//              +--------+-------------------+- - - - - - - - - - - -+
//   *out       +-----------------------------------+- - - - - - - - - - -+
//              | decoded() bytes                   | undefined           |
//              +-----------------------------------+- - - - - - - - - - -+
//                                                                      size()
//
// Payloads are untrusted. They may even change while they are decoded, for
// example if they are in a mapped file. Each byte that controls the decoding is
// read once, and then checked. Nothing is written outside of *out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tamis/slice.h"
#include "tamis/status.h"

#include "util/base/byte_buffer.h"
#include "util/compression/compression.h"
#include "util/compression/decode_cursor.h"

namespace tamis {

// One thread. A decoder may be reused: each Start begins another block.
class StepDecoder {
 public:
  StepDecoder() = default;
  StepDecoder(const StepDecoder&) = delete;
  StepDecoder& operator=(const StepDecoder&) = delete;

  // Returns whether blocks of `type` can be decoded in steps: true for snappy,
  // lz4 and lz4hc if this build can uncompress them. A block that was
  // compressed with a dictionary needs Uncompress.
  static bool Supports(CompressionType type);

  // Replaces *out by the whole block, with the result and the errors of
  // UncompressInto. REQUIRES: Supports(type)
  static Status DecodeAll(CompressionType type, const Slice& payload,
                          PayloadForm form, uint64_t cap, ByteBuffer* out);

  // Begins the block `payload`. Reads its length, empties *out and gives it
  // room for size() bytes; allocates only if *out has less. Returns Corruption,
  // with the message of Uncompress, if the length is malformed, above `cap`
  // bytes, or above what the codec can produce from the payload.
  // The bytes of `payload` and *out must outlive the last call of DecodeTo,
  // Finish or data(). The caller must not change *out until then.
  // REQUIRES: Supports(type)
  Status Start(CompressionType type, const Slice& payload, PayloadForm form,
               uint64_t cap, ByteBuffer* out);

  // Returns the length of the whole block in bytes, as the payload declares it.
  size_t size() const { return cursor_.size; }
  // Returns how many bytes are decoded. They begin at data(), and later steps
  // do not change them. REQUIRES: Start returned OK
  size_t decoded() const { return cursor_.done; }
  const char* data() const { return cursor_.out; }

  // Decodes until decoded() is at least min(target, size()). Decodes whole
  // elements, and so usually a few bytes more. Returns false if one of these
  // elements is malformed, or the payload ends first.
  //
  // Does not check the payload after the last of them. A caller that stops
  // early thus accepts more payloads than Uncompress does.
  bool DecodeTo(size_t target) {
    target = std::min(target, cursor_.size);
    return cursor_.done >= target ||
           (decode_(&cursor_, target) && cursor_.done >= target);
  }

  // Decodes the rest and sets the size of *out to size(). Returns false if
  // Uncompress would return Corruption because the payload is malformed or does
  // not decode to exactly size() bytes. REQUIRES: called at most once per Start
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
