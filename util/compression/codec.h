// SPDX-License-Identifier: Apache-2.0
//
// The functions of each codec, for util/compression/compression.cc. There is
// one codec_*.cc per library; its functions are null in a build without the
// library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tamis/slice.h"

#include "util/compression/compression.h"
#include "util/compression/dictionary.h"

namespace tamis {

struct CodecFunctions {
  // `level` is as in Compress.
  bool (*compress)(const Slice& raw, PayloadForm form, int level,
                   std::string* out);
  // Replaces *out by the uncompressed payload; undefined on failure. Allocates
  // only if *out has too little memory. `dictionary` is nullptr or non-empty.
  Status (*uncompress)(const Slice& payload, PayloadForm form,
                       const UncompressionDictionary* dictionary, uint64_t cap,
                       ByteBuffer* out);
  // Returns nullptr if the library refuses the dictionary, which must outlive
  // the result.
  std::unique_ptr<DictionaryCompressor> (*with_dictionary)(
      const Slice& dictionary, int level) = nullptr;
  // Of `dictionary`; 0 if with_dictionary is null.
  size_t dictionary_bytes_max = 0;
};

// Returns nullptr for an unknown type.
const CodecFunctions* FunctionsOf(CompressionType type);

extern const CodecFunctions kSnappyFunctions;
extern const CodecFunctions kLz4Functions;
extern const CodecFunctions kLz4HcFunctions;
extern const CodecFunctions kZstdFunctions;
extern const CodecFunctions kZlibFunctions;
extern const CodecFunctions kBzip2Functions;

// Replaces *out by the content of a bare zstd frame that declares its own
// length, as LevelDB writes it.
Status UncompressZstdFrame(const Slice& frame, uint64_t cap, ByteBuffer* out);

// zstd's preprocessed dictionary. NewZstdDictionary returns nullptr if the
// build lacks zstd, or zstd rejects the bytes.
struct ZstdDictionary;
struct ZstdDictionaryDeleter {
  void operator()(ZstdDictionary* dictionary) const;
};
using ZstdDictionaryPtr =
    std::unique_ptr<ZstdDictionary, ZstdDictionaryDeleter>;
ZstdDictionaryPtr NewZstdDictionary(const Slice& raw);
// Returns the bytes that it occupies; 0 for nullptr.
size_t ZstdDictionaryBytes(const ZstdDictionary* dictionary);

// The names of snappy and lz4 in error messages, and the most bytes that one
// byte of their input can yield. StepDecoder uses them, too.
inline constexpr char kSnappyName[] = "snappy";
// At best, a 3-byte copy element yields 64 bytes.
inline constexpr uint64_t kSnappyExpansion = 22;
inline constexpr char kLz4Name[] = "lz4";
// At best, one byte of a block adds 255 to a match length.
inline constexpr uint64_t kLz4Expansion = 255;

// Limits on the decompressed size of a payload.
struct BlockBounds {
  size_t size;        // of the payload
  uint64_t possible;  // the most that the codec can expand it to
  uint64_t cap;       // the reader's limit

  uint64_t most() const {
    return std::min({possible, cap, kMaxUncompressedBytes});
  }
  // Returns the error for a payload of `claimed` or more decompressed bytes,
  // which is beyond a limit.
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
  // Returns Corruption if the length that the payload declares is beyond a
  // limit.
  Status Check(const char* codec, uint64_t declared) const {
    return declared <= most() ? Status::OK() : TooLong(codec, declared);
  }
};

// Returns the limits for a codec that expands one byte to at most `expansion`
// bytes.
inline BlockBounds BoundsOf(size_t size, uint64_t expansion, uint64_t cap) {
  // Allows for tiny streams, which are mostly headers.
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
