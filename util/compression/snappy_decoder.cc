// SPDX-License-Identifier: Apache-2.0
#include "util/compression/snappy_decoder.h"

#include <algorithm>

namespace tamis {

namespace {

enum Kind : uint32_t { kLiteral, kCopy1, kCopy2, kCopy4 };

Kind KindOf(uint32_t tag) { return static_cast<Kind>(tag & 3); }

// The length of a literal, or of a copy with an offset of 2 or 4 bytes.
size_t LengthOf(uint32_t tag) { return (tag >> 2) + 1; }
constexpr size_t kShortLiteral = 60;

// What FastElements needs from the start of an element, in input and output: it
// decodes a literal and a copy without a check of the ends.
constexpr size_t kInputMargin = 1 + kShortLiteral + 1 + 4 + 6;
constexpr size_t kOutputMargin = kShortLiteral + 64 + 16;

// Returns the integer of the first `bytes` bytes of p.
uint32_t ReadFew(const char* p, size_t bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value |= ReadByteOnce(p + i) << (8 * i);
  return value;
}

// Decodes one element of any kind, also near the ends. REQUIRES: at->in is not
// the end.
bool AnyElement(DecodePosition* at, const DecodeLimits& limits) {
  const char* p = at->in;
  const uint32_t tag = ReadByteOnce(p++);
  const auto left = [&] { return static_cast<size_t>(limits.in_end - p); };
  const auto room = static_cast<size_t>(limits.out_end - at->out);
  size_t n = LengthOf(tag);
  if (KindOf(tag) == kLiteral) {
    if (n > kShortLiteral) {
      const size_t bytes = n - kShortLiteral;
      if (bytes > left()) return false;
      // Wraps to 0, an empty literal, as in the library.
      n = ReadFew(p, bytes) + 1;
      p += bytes;
    }
    if (n > left() || n > room) return false;
    CopyShort(at->out, p, n, std::min(left(), room));
    p += n;
  } else {
    size_t bytes = KindOf(tag) == kCopy2 ? 2 : 4;
    if (KindOf(tag) == kCopy1) {
      bytes = 1;
      n = 4 + (tag >> 2 & 7);
    }
    if (bytes > left()) return false;
    size_t offset = ReadFew(p, bytes);
    if (KindOf(tag) == kCopy1) offset |= (tag >> 5) << 8;
    p += bytes;
    const auto done = static_cast<size_t>(at->out - limits.begin);
    if (offset == 0 || offset > done || n > room) return false;
    if (offset >= n) {
      CopyShort(at->out, at->out - offset, n, room);
    } else {
      CopyBack(at->out, offset, n);
    }
  }
  at->in = p;
  at->out += n;
  return true;
}

// Decodes elements while they begin before the limits for wide copies. Stops at
// a long literal. Returns false at a malformed element.
//
// Branches by kind are better than a table of lengths: where they are predicted
// well, the next element is read before the length of this one is known.
bool FastElements(DecodePosition* at, const DecodeLimits& limits) {
  const char* p = at->in;
  char* out = at->out;
  while (p < limits.in_stop && out < limits.out_stop) {
    uint32_t tag = ReadByteOnce(p);
    if (KindOf(tag) == kLiteral) {
      const size_t n = LengthOf(tag);
      if (n > kShortLiteral) break;
      Copy64(out, p + 1);
      out += n;
      p += 1 + n;
      // A copy follows nearly every literal.
      tag = ReadByteOnce(p);
      if (KindOf(tag) == kLiteral) continue;
    }
    const auto done = static_cast<size_t>(out - limits.begin);
    if (KindOf(tag) == kCopy1) {
      const size_t n = 4 + (tag >> 2 & 7);
      const size_t offset = (tag >> 5) << 8 | ReadByteOnce(p + 1);
      if (offset - 1 >= done) return false;  // 0, too
      if (offset >= n) {
        Copy16(out, out - offset);
      } else {
        RepeatShort(out, offset, n);
      }
      out += n;
      p += 2;
    } else {
      const size_t n = LengthOf(tag);
      size_t offset;
      if (KindOf(tag) == kCopy2) {
        offset = ReadOnce<uint16_t>(p + 1);
        p += 3;
      } else {
        offset = ReadOnce<uint32_t>(p + 1);
        p += 5;
      }
      if (offset - 1 >= done) return false;
      if (offset >= n) {
        Copy64(out, out - offset);
      } else {
        RepeatShort(out, offset, n);
      }
      out += n;
    }
  }
  *at = {p, out};
  return true;
}

}  // namespace

bool DecodeSnappy(DecodeCursor* cursor, size_t target) {
  return DecodeElements(cursor, target, kInputMargin, kOutputMargin,
                        FastElements, AnyElement);
}

}  // namespace tamis
