// SPDX-License-Identifier: Apache-2.0
//
// What a codec of util/compression.cc consists of: one codec_*.cc for each
// library. A build that lacks the library holds null functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tamis/slice.h"

#include "util/compression.h"
#include "util/result.h"

namespace tamis {

struct CodecFunctions {
  bool (*compress)(const Slice& raw, PayloadForm form, std::string* out);
  // `dictionary` is nullptr or not empty.
  Result<std::string> (*uncompress)(const Slice& payload, PayloadForm form,
                                    const UncompressionDictionary* dictionary);
};

extern const CodecFunctions kSnappyFunctions;
extern const CodecFunctions kLz4Functions;
extern const CodecFunctions kLz4HcFunctions;
extern const CodecFunctions kZstdFunctions;
extern const CodecFunctions kZlibFunctions;
extern const CodecFunctions kBzip2Functions;

// A bare zstd frame, which tells its length itself: LevelDB's.
Result<std::string> UncompressZstdFrame(const Slice& frame);

// zstd's digested dictionary. nullptr: the build lacks zstd, or zstd refuses
// the bytes.
struct ZstdDictionary;
struct ZstdDictionaryDeleter {
  void operator()(ZstdDictionary* dictionary) const;
};
using ZstdDictionaryPtr =
    std::unique_ptr<ZstdDictionary, ZstdDictionaryDeleter>;
ZstdDictionaryPtr NewZstdDictionary(const Slice& raw);

// What a payload of `size` bytes can hold at most. A codec makes at most
// `expansion` bytes of one; 0 when it has no such bound.
inline uint64_t ClaimLimit(size_t size, uint64_t expansion) {
  // The smallest streams, which are mostly headers.
  constexpr uint64_t kSlack = 64;
  return expansion == 0
             ? kMaxUncompressedBytes
             : std::min(kMaxUncompressedBytes, size * expansion + kSlack);
}

// Checks the length that a payload claims to hold, before anything is
// allocated for it.
inline Status CheckClaim(const char* codec, uint64_t claimed, size_t size,
                         uint64_t expansion) {
  const uint64_t limit = ClaimLimit(size, expansion);
  if (claimed <= limit) return Status::OK();
  return Status::Corruption(std::string(codec) + ": " + std::to_string(size) +
                            " bytes claim to hold " + std::to_string(claimed) +
                            ", expected at most " + std::to_string(limit));
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
