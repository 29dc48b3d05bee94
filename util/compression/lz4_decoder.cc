// SPDX-License-Identifier: Apache-2.0
#include "util/compression/lz4_decoder.h"

#include <algorithm>

namespace tamis {

namespace {

constexpr size_t kLong = 15;  // the length continues in bytes of its own
constexpr size_t kMinMatch = 4;

// The rules of a block's end, as liblz4 has them.
constexpr size_t kLastLiterals = 5;     // literals after the last match
constexpr size_t kLastMatchBytes = 12;  // from the last match to the end
constexpr size_t kLastInput = 8;        // offset, token, last literals
// A sequence without long lengths is exempt if it has this much input after its
// token, and this much output.
constexpr size_t kShortInput = 17;
constexpr size_t kShortOutput = 32;

// What FastSequences needs from the start of a sequence, in the input: token, a
// copy of 16 bytes, offset, and a byte of length before the last literals. In
// the output: literals, and a match copied in pieces. Long lengths are checked.
constexpr size_t kInputMargin = 1 + 16 + 2 + 1 + kLastLiterals;
constexpr size_t kOutputMargin = 14 + 18 + 16;

size_t Between(const char* begin, const char* end) {
  return static_cast<size_t>(end - begin);
}

// Adds to *length the bytes at *p up to the first that is not 255. Returns
// false if one of them is among the last `reserved` bytes of the input.
bool AddLength(const char** p, const char* in_end, size_t reserved,
               size_t* length) {
  uint32_t byte;
  do {
    if (Between(*p, in_end) <= reserved) return false;
    byte = ReadByteOnce((*p)++);
    *length += byte;
  } while (byte == 255);
  return true;
}

// Decodes one sequence, also near the ends. REQUIRES: at->in is not the end.
bool AnySequence(DecodePosition* at, const DecodeLimits& limits) {
  const char* const in_end = limits.in_end;
  const char* const out_end = limits.out_end;
  const char* p = at->in;
  char* out = at->out;
  const uint32_t token = ReadByteOnce(p++);
  size_t literals = token >> 4;
  const bool is_short = literals != kLong &&
                        Between(p, in_end) >= kShortInput &&
                        Between(out, out_end) >= kShortOutput;
  if (literals == kLong && !AddLength(&p, in_end, 0, &literals)) return false;
  if (literals > Between(p, in_end) || literals > Between(out, out_end)) {
    return false;
  }
  CopyShort(out, p, literals,
            std::min(Between(p, in_end), Between(out, out_end)));
  p += literals;
  out += literals;
  if (!is_short && (Between(p, in_end) < kLastInput ||
                    Between(out, out_end) < kLastMatchBytes)) {
    // Then the sequence must be the last one, which has no match. The token of
    // an empty block must be 0.
    if (p != in_end || (limits.begin == out_end && token != 0)) return false;
    *at = {p, out};
    return true;
  }
  const size_t offset = ReadOnce<uint16_t>(p);
  p += 2;
  size_t n = token & 15;
  const bool ends_anywhere = is_short && n != kLong && offset >= 8;
  if (n == kLong && !AddLength(&p, in_end, kLastLiterals - 1, &n)) return false;
  n += kMinMatch;
  if (offset > Between(limits.begin, out) ||
      n + (ends_anywhere ? 0 : kLastLiterals) > Between(out, out_end)) {
    return false;
  }
  if (offset == 0) {
    std::memset(out, 0, n);  // as liblz4 does
  } else if (offset >= n) {
    CopyShort(out, out - offset, n, Between(out, out_end));
  } else {
    CopyBack(out, offset, n);
  }
  *at = {p, out + n};
  return true;
}

// Decodes sequences while they begin before the limits for wide copies. Stops
// at one that comes near the ends. Returns false at a malformed one.
bool FastSequences(DecodePosition* at, const DecodeLimits& limits) {
  const char* const in_end = limits.in_end;
  const char* const out_end = limits.out_end;
  const char* next = at->in;
  char* end = at->out;
  while (next < limits.in_stop && end < limits.out_stop) {
    const char* p = next;
    char* out = end;
    const uint32_t token = ReadByteOnce(p++);
    size_t literals = token >> 4;
    if (literals != kLong) {
      Copy16(out, p);
    } else {
      const uint32_t more = ReadByteOnce(p++);
      literals += more;
      if (more == 255 && !AddLength(&p, in_end, kLong, &literals)) return false;
      if (literals + 64 > Between(p, in_end) ||
          literals + 64 > Between(out, out_end)) {
        break;
      }
      for (size_t i = 0; i < literals; i += 64) Copy64(out + i, p + i);
    }
    p += literals;
    out += literals;
    const size_t offset = ReadOnce<uint16_t>(p);
    p += 2;
    if (offset > Between(limits.begin, out)) return false;
    const char* const from = out - offset;
    size_t n = token & 15;
    if (n != kLong) {
      n += kMinMatch;
      if (offset >= n) {
        Copy16(out, from);
        std::memcpy(out + 16, from + 16, 2);
      } else if (offset != 0) {
        RepeatShort(out, offset, n);
      } else {
        std::memset(out, 0, n);
      }
    } else {
      const uint32_t more = ReadByteOnce(p++);
      n += kMinMatch + more;
      if (more == 255 && !AddLength(&p, in_end, kLastLiterals - 1, &n))
        return false;
      if (n + 64 > Between(out, out_end)) break;
      if (offset >= std::min<size_t>(n, 64)) {
        for (size_t i = 0; i < n; i += 64) Copy64(out + i, from + i);
      } else if (offset == 0) {
        std::memset(out, 0, n);
      } else if (n <= 512) {
        RepeatShort(out, offset, n);
      } else {
        CopyBack(out, offset, n);
      }
    }
    next = p;
    end = out + n;
  }
  *at = {next, end};
  return true;
}

}  // namespace

bool DecodeLz4(DecodeCursor* cursor, size_t target) {
  return DecodeElements(cursor, target, kInputMargin, kOutputMargin,
                        FastSequences, AnySequence);
}

}  // namespace tamis
