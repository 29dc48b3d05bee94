// SPDX-License-Identifier: Apache-2.0
//
// One row a codec: its name, and the two functions when the build has them.
#include "util/compression.h"

#include <algorithm>
#include <array>

#include <snappy.h>

namespace tamis {

namespace {

// The densest element of a snappy stream is a copy of 64 bytes in 3.
constexpr uint64_t kSnappyExpansionMax = 22;
constexpr uint64_t kSnappyExpansionSlack = 64;

bool SnappyCompress(const Slice& raw, std::string* out) {
  snappy::Compress(raw.data(), raw.size(), out);
  return true;
}

Result<std::string> SnappyUncompress(const Slice& compressed) {
  size_t declared = 0;
  if (!snappy::GetUncompressedLength(compressed.data(), compressed.size(),
                                     &declared)) {
    return Status::Corruption("snappy: the length is cut or too long");
  }
  const uint64_t limit =
      std::min(kMaxUncompressedBytes,
               compressed.size() * kSnappyExpansionMax + kSnappyExpansionSlack);
  if (declared > limit) {
    return Status::Corruption("snappy: " + std::to_string(compressed.size()) +
                              " bytes claim to hold " +
                              std::to_string(declared) + ", expected at most " +
                              std::to_string(limit));
  }
  std::string raw(declared, '\0');
  if (!snappy::RawUncompress(compressed.data(), compressed.size(),
                             raw.data())) {
    return Status::Corruption("snappy: " + std::to_string(compressed.size()) +
                              " bytes are not a stream of " +
                              std::to_string(declared));
  }
  return raw;
}

struct Codec {
  CompressionType type;
  const char* name;
  bool (*compress)(const Slice& raw, std::string* out);  // nullptr: not built
  Result<std::string> (*uncompress)(const Slice& compressed);
};

constexpr std::array kCodecs = {
    Codec{kNoCompression, "NoCompression", nullptr, nullptr},
    Codec{kSnappyCompression, "Snappy", SnappyCompress, SnappyUncompress},
    Codec{kZlibCompression, "Zlib", nullptr, nullptr},
    Codec{kBZip2Compression, "BZip2", nullptr, nullptr},
    Codec{kLZ4Compression, "LZ4", nullptr, nullptr},
    Codec{kLZ4HCCompression, "LZ4HC", nullptr, nullptr},
    Codec{kXpressCompression, "Xpress", nullptr, nullptr},
    Codec{kZSTD, "ZSTD", nullptr, nullptr},
};

constexpr bool RowsStandAtTheirNumbers() {
  for (size_t i = 0; i < kCodecs.size(); ++i) {
    if (kCodecs[i].type != i) return false;
  }
  return true;
}
static_assert(RowsStandAtTheirNumbers());

// nullptr for a number that no codec has: types come from block trailers.
const Codec* CodecOf(CompressionType type) {
  return type < kCodecs.size() ? &kCodecs[type] : nullptr;
}

}  // namespace

const char* CompressionTypeName(CompressionType type) {
  const Codec* codec = CodecOf(type);
  return codec == nullptr ? "unknown" : codec->name;
}

bool CompressionSupported(CompressionType type) {
  const Codec* codec = CodecOf(type);
  return type == kNoCompression ||
         (codec != nullptr && codec->compress != nullptr);
}

std::vector<CompressionType> SupportedCompressions() {
  std::vector<CompressionType> types;
  for (const Codec& codec : kCodecs) {
    if (CompressionSupported(codec.type)) types.push_back(codec.type);
  }
  return types;
}

bool Compress(CompressionType type, const Slice& raw, std::string* out) {
  const Codec* codec = CodecOf(type);
  if (codec == nullptr || codec->compress == nullptr) return false;
  if (raw.size() > kMaxCompressibleBytes) return false;
  return codec->compress(raw, out);
}

Result<std::string> Uncompress(CompressionType type, const Slice& compressed) {
  const Codec* codec = CodecOf(type);
  if (codec == nullptr) {
    return Status::Corruption("no codec has the number " +
                              std::to_string(unsigned{type}));
  }
  if (codec->uncompress == nullptr) {
    return Status::NotSupported(std::string("this build lacks the codec ") +
                                codec->name);
  }
  return codec->uncompress(compressed);
}

}  // namespace tamis
