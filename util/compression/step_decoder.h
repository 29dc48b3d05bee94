// SPDX-License-Identifier: Apache-2.0
//
// A StepDecoder decompresses a snappy or lz4 block from its front, as far as it
// is asked to. A point read thus searches a data block while it is decoded, and
// stops at the entry sought.
//
//   payload    +--------+--------------------+----------- - - - -+
//              | length | elements, decoded  | not yet read       |
//              +--------+--------------------+----------- - - - -+
//   out        +-----------------------------------+--- - - - ---+-------+
//              | decoded() bytes                   |              | slack |
//              +-----------------------------------+--- - - - ---+-------+
//                                                           size()
//
// Payloads are hostile, and may be memory that others change meanwhile (a
// mapped file): each byte that decides something is read once, every length and
// every back reference is checked, and nothing outside of *out is written.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tamis/slice.h"
#include "tamis/status.h"

#include "util/base/byte_buffer.h"
#include "util/compression/compression.h"

namespace tamis {

// One thread. May be reused: Start begins another block.
class StepDecoder {
 public:
  StepDecoder() = default;
  StepDecoder(const StepDecoder&) = delete;
  StepDecoder& operator=(const StepDecoder&) = delete;

  // Returns whether blocks of `type` can be decoded in steps: snappy, and lz4
  // and lz4hc if UncompressionSupported. Blocks that were compressed with a
  // dictionary cannot; the caller uses Uncompress for them.
  static bool Supports(CompressionType type);

  // Begins the block `payload`: reads its length, and empties *out and gives it
  // room for size() + kSlackBytes, without allocating if it has that already.
  // Returns Corruption as Uncompress does if the length is malformed, or beyond
  // `cap` or what the codec can produce. Both `payload` and *out must outlive
  // the last DecodeTo or Finish; *out must not be changed meanwhile.
  // REQUIRES: Supports(type)
  Status Start(CompressionType type, const Slice& payload, PayloadForm form,
               uint64_t cap, ByteBuffer* out);

  // Returns the length of the whole block, as the payload declares it.
  size_t size() const { return size_; }
  // Returns how many bytes have been decoded: they are at data(), and do not
  // change any more. Bytes behind them are undefined.
  size_t decoded() const { return done_; }
  const char* data() const { return out_; }

  // Decodes until decoded() is at least min(target, size()); usually a few
  // bytes more, to the end of an element. Returns false if the payload is
  // malformed before that; decoded() is then where the error is, and further
  // calls return false or true according to the same rule.
  // A malformed rest of the payload goes unnoticed until it is decoded: unlike
  // Uncompress, a decoder that stops early accepts such a block.
  bool DecodeTo(size_t target);

  // Decodes the rest, and adds size() bytes to *out, which then holds the whole
  // block. Returns false if Uncompress would return Corruption: the payload is
  // malformed, or is not used up by size() bytes. REQUIRES: called at most once
  bool Finish();

  // Returns the Corruption for a payload that DecodeTo or Finish rejected.
  Status Malformed() const;

  // What copies may write behind the block.
  static constexpr size_t kSlackBytes = 64;

 private:
  CompressionType type_ = kNoCompression;
  const char* in_ = nullptr;
  const char* in_end_ = nullptr;
  char* out_ = nullptr;
  size_t size_ = 0;
  size_t done_ = 0;
  size_t room_ = 0;  // bytes that may be written
  size_t payload_bytes_ = 0;
  ByteBuffer* buffer_ = nullptr;
};

}  // namespace tamis
