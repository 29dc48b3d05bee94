// SPDX-License-Identifier: Apache-2.0
//
// The codec table: name and functions per type.
#include "util/compression/compression.h"

#include <array>
#include <utility>

#include "util/compression/codec.h"

namespace tamis {

namespace {

// The type that old RocksDB builds wrote before zstd became number 7.
constexpr uint8_t kZstdNotFinal = 0x40;
constexpr CodecFunctions kNothing = {nullptr, nullptr};

struct Codec {
  CompressionType type;
  const char* name;
  const CodecFunctions* functions;
};

constexpr std::array kCodecs = {
    Codec{kNoCompression, "NoCompression", &kNothing},
    Codec{kSnappyCompression, "Snappy", &kSnappyFunctions},
    Codec{kZlibCompression, "Zlib", &kZlibFunctions},
    Codec{kBZip2Compression, "BZip2", &kBzip2Functions},
    Codec{kLZ4Compression, "LZ4", &kLz4Functions},
    Codec{kLZ4HCCompression, "LZ4HC", &kLz4HcFunctions},
    Codec{kXpressCompression, "Xpress", &kNothing},
    Codec{kZSTD, "ZSTD", &kZstdFunctions},
};

constexpr bool RowsStandAtTheirNumbers() {
  for (size_t i = 0; i < kCodecs.size(); ++i) {
    if (kCodecs[i].type != i) return false;
  }
  return true;
}
static_assert(RowsStandAtTheirNumbers());

// Returns nullptr for an unknown type. Types come from block trailers, so any
// value occurs.
const Codec* CodecOf(CompressionType type) {
  if (type == kZstdNotFinal) return &kCodecs[kZSTD];
  return type < kCodecs.size() ? &kCodecs[type] : nullptr;
}

}  // namespace

const CodecFunctions* FunctionsOf(CompressionType type) {
  const Codec* codec = CodecOf(type);
  return codec == nullptr ? nullptr : codec->functions;
}

struct UncompressionDictionary::Digested {
  ZstdDictionaryPtr zstd;
};

UncompressionDictionary::UncompressionDictionary(std::string raw)
    : raw_(std::move(raw)),
      digested_(std::make_unique<Digested>(Digested{NewZstdDictionary(raw_)})) {
}

UncompressionDictionary::~UncompressionDictionary() = default;

size_t UncompressionDictionary::memory_usage() const {
  return sizeof(*this) + raw_.capacity() + ZstdDictionaryBytes(zstd());
}

const ZstdDictionary* UncompressionDictionary::zstd() const {
  return digested_->zstd.get();
}

const char* CompressionTypeName(CompressionType type) {
  const Codec* codec = CodecOf(type);
  return codec == nullptr ? "unknown" : codec->name;
}

bool CompressionSupported(CompressionType type) {
  const Codec* codec = CodecOf(type);
  return type == kNoCompression ||
         (codec != nullptr && codec->functions->compress != nullptr);
}

bool UncompressionSupported(CompressionType type) {
  const Codec* codec = CodecOf(type);
  return type == kNoCompression ||
         (codec != nullptr && codec->functions->uncompress != nullptr);
}

std::vector<CompressionType> SupportedCompressions() {
  std::vector<CompressionType> types;
  for (const Codec& codec : kCodecs) {
    if (CompressionSupported(codec.type)) types.push_back(codec.type);
  }
  return types;
}

bool Compress(CompressionType type, const Slice& raw, std::string* out,
              PayloadForm form, int level) {
  const Codec* codec = CodecOf(type);
  if (codec == nullptr || codec->functions->compress == nullptr) return false;
  if (raw.size() > kMaxCompressibleBytes) return false;
  if (form == PayloadForm::kLevelDB && type == kZlibCompression) return false;
  return codec->functions->compress(raw, form, level, out);
}

Status UncompressInto(CompressionType type, const Slice& compressed,
                      PayloadForm form,
                      const UncompressionDictionary* dictionary, uint64_t cap,
                      ByteBuffer* out) {
  if (form == PayloadForm::kLevelDB && type == kZlibCompression) {
    return UncompressZstdFrame(compressed, cap, out);
  }
  const Codec* codec = CodecOf(type);
  if (codec == nullptr) {
    return Status::Corruption("no codec has the number " +
                              std::to_string(unsigned{type}));
  }
  if (codec->functions->uncompress == nullptr) {
    return Status::NotSupported(std::string("this build has no codec for ") +
                                codec->name);
  }
  const bool with_dictionary =
      dictionary != nullptr && !dictionary->raw().empty();
  return codec->functions->uncompress(
      compressed, form, with_dictionary ? dictionary : nullptr, cap, out);
}

Result<ByteBuffer> Uncompress(CompressionType type, const Slice& compressed,
                              PayloadForm form,
                              const UncompressionDictionary* dictionary,
                              uint64_t cap) {
  ByteBuffer raw;
  TAMIS_RETURN_IF_ERROR(
      UncompressInto(type, compressed, form, dictionary, cap, &raw));
  return raw;
}

}  // namespace tamis
