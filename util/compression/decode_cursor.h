// SPDX-License-Identifier: Apache-2.0
//
// A DecodeCursor is the state of a block that is being decoded. The decoders of
// snappy and lz4 blocks share it, the loop over elements, and helpers that read
// a byte only once and that copy in wide steps.
//
// The input may change while it is decoded. A byte that controls the decoding
// is therefore read by ReadOnce into a variable, which is checked and then
// used. Bytes that are only copied may be read any number of times.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "util/coding/coding.h"

namespace tamis {

struct DecodeCursor {
  const char* in = nullptr;  // the next element
  const char* in_end = nullptr;
  char* out = nullptr;  // the decoded block, with room for `size` bytes
  size_t size = 0;      // the length that the payload declares
  size_t done = 0;      // bytes decoded
};

// Where an element begins, in the input and in the decoded block.
struct DecodePosition {
  const char* in;
  char* out;
};

struct DecodeLimits {
  const char* begin;  // of the decoded block
  const char* in_end;
  const char* out_end;
  // An element that begins before both has room for wide copies.
  const char* in_stop;
  const char* out_stop;
};

// Decodes until `target` bytes are decoded or the input ends. A target above
// cursor->size decodes all input. Returns false, and leaves *cursor unchanged,
// if an element is malformed.
//
// fast(position, limits) decodes elements while they begin before in_stop and
// out_stop; it may stop earlier, at an element that it leaves to `any`.
// any(position, limits) decodes any one element, also near the ends. Both
// return false at a malformed element. in_margin and out_margin are the
// smallest distances of in_stop and out_stop from in_end and out_end, in bytes.
template <typename Fast, typename Any>
inline bool DecodeElements(DecodeCursor* cursor, size_t target,
                           size_t in_margin, size_t out_margin, Fast fast,
                           Any any) {
  const char* const begin = cursor->out;
  const size_t wanted = std::min(target, cursor->size);
  const bool all = target > cursor->size;
  const auto in_left = static_cast<size_t>(cursor->in_end - cursor->in);
  const size_t fast_in = in_left - std::min(in_left, in_margin);
  const size_t fast_out =
      std::min(wanted, cursor->size - std::min(cursor->size, out_margin));
  const DecodeLimits limits{begin, cursor->in_end, begin + cursor->size,
                            cursor->in + fast_in, begin + fast_out};
  const char* const stop = begin + wanted;
  DecodePosition at{cursor->in, cursor->out + cursor->done};
  const auto finished = [&] {
    return at.in == limits.in_end || (at.out >= stop && !all);
  };
  while (!finished()) {
    if (!fast(&at, limits)) return false;
    if (finished()) break;
    if (!any(&at, limits)) return false;
  }
  cursor->in = at.in;
  cursor->done = static_cast<size_t>(at.out - begin);
  return true;
}

template <typename T>
struct __attribute__((packed)) Unaligned {
  T value;
};

// Returns the little-endian integer at p. The compiler neither repeats nor
// omits the read. REQUIRES: sizeof(T) readable bytes at p.
template <typename T>
inline T ReadOnce(const char* p) {
  return reinterpret_cast<const volatile Unaligned<T>*>(p)->value;
}
// Does the same for a byte, and returns it as a wider integer.
inline uint32_t ReadByteOnce(const char* p) { return ReadOnce<uint8_t>(p); }

// Copy16 and Copy64 copy that many bytes. They load all of them before they
// store the first, so that no load waits for a store of the same copy.
inline void Copy16(char* to, const char* from) {
  typedef char Piece __attribute__((vector_size(16)));
  Piece piece;
  std::memcpy(&piece, from, sizeof(piece));
  std::memcpy(to, &piece, sizeof(piece));
}
inline void Copy64(char* to, const char* from) {
  typedef char Piece __attribute__((vector_size(16)));
  Piece a, b, c, d;
  std::memcpy(&a, from, sizeof(a));
  std::memcpy(&b, from + 16, sizeof(b));
  std::memcpy(&c, from + 32, sizeof(c));
  std::memcpy(&d, from + 48, sizeof(d));
  std::memcpy(to, &a, sizeof(a));
  std::memcpy(to + 16, &b, sizeof(b));
  std::memcpy(to + 32, &c, sizeof(c));
  std::memcpy(to + 48, &d, sizeof(d));
}

// Copies n bytes. If n <= 16 and `room` allows, always copies 16. REQUIRES: the
// n bytes at `from` and at `to` do not overlap; `room` >= n bytes can be read
// at `from` and written at `to`
inline void CopyShort(char* to, const char* from, size_t n, size_t room) {
  if (n <= 16 && room >= 16) {
    Copy16(to, from);
  } else {
    std::memcpy(to, from, n);
  }
}

// Copies n bytes from to - back to `to`, as if byte by byte. If n > back, the
// `back` bytes before `to` are thus repeated. REQUIRES: back > 0
inline void CopyBack(char* to, size_t back, size_t n) {
  const char* const from = to - back;
  // Each round doubles the number of bytes that the next one can copy.
  for (; n > back; back *= 2) {
    std::memcpy(to, from, back);
    to += back;
    n -= back;
  }
  std::memcpy(to, from, n);
}

// Does the same, faster if n or `back` is small. Stores a pattern from
// registers, because a load waits for earlier stores that overlap it in part.
// REQUIRES: back > 0; the 16 bytes after to + n can be read and written
inline void RepeatShort(char* to, size_t back, size_t n) {
  const auto low_bytes = [](size_t bytes) {
    return (uint64_t{1} << (8 * bytes)) - 1;
  };
  const char* const from = to - back;
  if (back >= 16) {
    for (size_t i = 0; i < n; i += 16) Copy16(to + i, from + i);
  } else if (back >= 8) {
    const uint64_t low = DecodeFixed64(from);
    const size_t more = back - 8;
    const uint64_t high =
        (DecodeFixed64(from + 8) & low_bytes(more)) | low << (8 * more);
    for (size_t i = 0; i < n; i += back) {
      EncodeFixed64(to + i, low);
      EncodeFixed64(to + i + 8, high);
    }
  } else {
    uint64_t pattern = DecodeFixed64(from) & low_bytes(back);
    for (size_t bytes = back; bytes < 8; bytes *= 2) {
      pattern |= pattern << (8 * bytes);
    }
    const size_t step = 8 - 8 % back;  // whole repetitions
    for (size_t i = 0; i < n; i += step) EncodeFixed64(to + i, pattern);
  }
}

}  // namespace tamis
