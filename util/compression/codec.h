// SPDX-License-Identifier: Apache-2.0
//
// What a codec of util/compression/compression.cc consists of: one codec_*.cc
// for each library. A build that lacks the library holds null functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tamis/slice.h"

#include "util/base/result.h"
#include "util/compression/compression.h"

namespace tamis {

struct CodecFunctions {
  bool (*compress)(const Slice& raw, PayloadForm form, std::string* out);
  // `dictionary` is nullptr or not empty.
  Result<ByteBuffer> (*uncompress)(const Slice& payload, PayloadForm form,
                                   const UncompressionDictionary* dictionary,
                                   uint64_t cap);
};

extern const CodecFunctions kSnappyFunctions;
extern const CodecFunctions kLz4Functions;
extern const CodecFunctions kLz4HcFunctions;
extern const CodecFunctions kZstdFunctions;
extern const CodecFunctions kZlibFunctions;
extern const CodecFunctions kBzip2Functions;

// A bare zstd frame, which tells its length itself: LevelDB's.
Result<ByteBuffer> UncompressZstdFrame(const Slice& frame, uint64_t cap);

// zstd's digested dictionary. nullptr: the build lacks zstd, or zstd refuses
// the bytes.
struct ZstdDictionary;
struct ZstdDictionaryDeleter {
  void operator()(ZstdDictionary* dictionary) const;
};
using ZstdDictionaryPtr =
    std::unique_ptr<ZstdDictionary, ZstdDictionaryDeleter>;
ZstdDictionaryPtr NewZstdDictionary(const Slice& raw);

// How long a block may be that a payload holds.
struct BlockBounds {
  size_t size;        // of the payload
  uint64_t possible;  // the most that the codec can make of it
  uint64_t cap;       // the reader's

  uint64_t most() const {
    return std::min({possible, cap, kMaxUncompressedBytes});
  }
  // Of one that is `claimed` bytes long, or longer: it is beyond one of them.
  Status TooLong(const char* codec, uint64_t claimed) const {
    const std::string what = std::string(codec) + ": " + std::to_string(size) +
                             " bytes claim to hold " + std::to_string(claimed);
    if (claimed > std::min(possible, kMaxUncompressedBytes)) {
      return Status::Corruption(
          what + ", expected at most " +
          std::to_string(std::min(possible, kMaxUncompressedBytes)));
    }
    return Status::Corruption(
        what +
        ", BlockBasedTableOptions::max_decompressed_block_bytes allows " +
        std::to_string(cap));
  }
  // Of a length that the payload declares.
  Status Check(const char* codec, uint64_t declared) const {
    return declared <= most() ? Status::OK() : TooLong(codec, declared);
  }
};

// For a codec that makes at most `expansion` bytes of one.
inline BlockBounds BoundsOf(size_t size, uint64_t expansion, uint64_t cap) {
  // The smallest streams, which are mostly headers.
  constexpr uint64_t kSlack = 64;
  return {size, size * expansion + kSlack, cap};
}

inline Status NoLength(const char* codec) {
  return Status::Corruption(std::string(codec) +
                            ": the length is cut or too long");
}

inline Status NotAStream(const char* codec, size_t size, uint64_t expected) {
  return Status::Corruption(std::string(codec) + ": " + std::to_string(size) +
                            " bytes are not a stream of " +
                            std::to_string(expected));
}

}  // namespace tamis
