// SPDX-License-Identifier: Apache-2.0
//
// Codec 7 (zstd), and LevelDB's codec 2.
#include "util/compression/codec.h"

#ifdef TAMIS_HAVE_ZSTD

#include <algorithm>
#include <climits>
#include <memory>
#include <utility>

#include <zdict.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "util/coding/coding.h"

namespace tamis {

namespace {

constexpr char kName[] = "zstd";
// A block of a frame holds at most 128 KiB and takes at least 4 bytes.
constexpr uint64_t kExpansion = 128 * 1024 / 4;
// RocksDB's default level.
constexpr int kLevel = 3;

struct ContextDeleter {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

struct DictionaryDeleter {
  void operator()(ZSTD_CDict* digested) const { ZSTD_freeCDict(digested); }
  void operator()(ZSTD_DDict* digested) const { ZSTD_freeDDict(digested); }
};

}  // namespace

struct ZstdDictionary {
  std::unique_ptr<ZSTD_DDict, DictionaryDeleter> digested;
};

namespace {

// A context holds about 100 KiB of tables, too much to allocate per block of a
// few KiB: one is kept per thread. It carries no state between blocks.
ZSTD_CCtx* CompressionContext() {
  thread_local const std::unique_ptr<ZSTD_CCtx, ContextDeleter> context(
      ZSTD_createCCtx());
  return context.get();
}

ZSTD_DCtx* UncompressionContext() {
  thread_local const std::unique_ptr<ZSTD_DCtx, ContextDeleter> context(
      ZSTD_createDCtx());
  return context.get();
}

int LevelOf(int level) {
  return level == kDefaultCompressionLevel ? kLevel : level;
}

// compress(to, room) returns what zstd returned.
template <typename F>
bool CompressWith(const Slice& raw, std::string* out, F compress) {
  out->clear();
  PutVarint32(out, static_cast<uint32_t>(raw.size()));
  const size_t header = out->size();
  out->resize(header + ZSTD_compressBound(raw.size()));
  const size_t packed = compress(out->data() + header, out->size() - header);
  if (ZSTD_isError(packed) != 0) return false;
  out->resize(header + packed);
  return true;
}

bool ZstdCompress(const Slice& raw, PayloadForm /*form*/, int level,
                  std::string* out) {
  return CompressWith(raw, out, [&](char* to, size_t room) {
    return ZSTD_compressCCtx(CompressionContext(), to, room, raw.data(),
                             raw.size(), LevelOf(level));
  });
}

class ZstdDictionaryCompressor final : public DictionaryCompressor {
 public:
  static std::unique_ptr<DictionaryCompressor> New(const Slice& dictionary,
                                                   int level) {
    auto made = std::make_unique<ZstdDictionaryCompressor>();
    made->context_.reset(ZSTD_createCCtx());
    made->digested_.reset(
        ZSTD_createCDict(dictionary.data(), dictionary.size(), LevelOf(level)));
    ZSTD_CCtx* const context = made->context_.get();
    if (context == nullptr || made->digested_ == nullptr) return nullptr;
    // The table names the dictionary: no need to do so in every block.
    if (ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, 0)) !=
            0 ||
        ZSTD_isError(ZSTD_CCtx_refCDict(context, made->digested_.get())) != 0) {
      return nullptr;
    }
    return made;
  }

  bool Compress(const Slice& raw, PayloadForm /*form*/,
                std::string* out) override {
    return CompressWith(raw, out, [&](char* to, size_t room) {
      return ZSTD_compress2(context_.get(), to, room, raw.data(), raw.size());
    });
  }

 private:
  std::unique_ptr<ZSTD_CDict, DictionaryDeleter> digested_;
  std::unique_ptr<ZSTD_CCtx, ContextDeleter> context_;
};

Status UncompressFrame(const Slice& frame, uint64_t declared,
                       const ZSTD_DDict* dictionary, uint64_t cap,
                       ByteBuffer* out) {
  TAMIS_RETURN_IF_ERROR(
      BoundsOf(frame.size(), kExpansion, cap).Check(kName, declared));
  const auto size = static_cast<size_t>(declared);
  out->Clear();
  // One byte, so that an empty block has an address.
  char* const to = out->Room(std::max(size, size_t{1}));
  // With a null dictionary: same as ZSTD_decompressDCtx.
  const size_t got = ZSTD_decompress_usingDDict(
      UncompressionContext(), to, size, frame.data(), frame.size(), dictionary);
  if (ZSTD_isError(got) != 0 || got != declared) {
    Status status = NotAStream(kName, frame.size(), declared);
    return Status::Corruption(status.message(),
                              ZSTD_isError(got) != 0
                                  ? ZSTD_getErrorName(got)
                                  : "got " + std::to_string(got));
  }
  out->Advance(got);
  return Status::OK();
}

Status ZstdUncompress(const Slice& payload, PayloadForm /*form*/,
                      const UncompressionDictionary* dictionary, uint64_t cap,
                      ByteBuffer* out) {
  Decoder in(payload);
  const uint64_t declared = in.Varint32();
  if (!in.ok()) return NoLength(kName);
  if (dictionary != nullptr && dictionary->zstd() == nullptr) {
    return Status::Corruption("zstd: the dictionary of " +
                              std::to_string(dictionary->raw().size()) +
                              " bytes is malformed");
  }
  return UncompressFrame(
      in.rest(), declared,
      dictionary == nullptr ? nullptr : dictionary->zstd()->digested.get(), cap,
      out);
}

}  // namespace

const CodecFunctions kZstdFunctions = {ZstdCompress, ZstdUncompress,
                                       ZstdDictionaryCompressor::New, UINT_MAX};

std::string TrainDictionary(const DictionarySamples& samples,
                            size_t bytes_max) {
  std::string dictionary(bytes_max, '\0');
  const size_t size = ZDICT_trainFromBuffer(
      dictionary.data(), dictionary.size(), samples.bytes.data(),
      samples.sizes.data(), static_cast<unsigned>(samples.sizes.size()));
  dictionary.resize(ZDICT_isError(size) != 0 ? 0 : size);
  return dictionary;
}

std::string FinalizeDictionary(const DictionarySamples& samples,
                               size_t bytes_max, int level) {
  std::string dictionary(bytes_max, '\0');
  const Slice all = samples.bytes;
  const size_t content = std::min(all.size(), bytes_max);
  ZDICT_params_t params = {};
  params.compressionLevel = LevelOf(level);
  const size_t size = ZDICT_finalizeDictionary(
      dictionary.data(), dictionary.size(), all.end() - content, content,
      all.data(), samples.sizes.data(),
      static_cast<unsigned>(samples.sizes.size()), params);
  dictionary.resize(ZDICT_isError(size) != 0 ? 0 : size);
  return dictionary;
}

Status UncompressZstdFrame(const Slice& frame, uint64_t cap, ByteBuffer* out) {
  const unsigned long long declared =
      ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (declared == ZSTD_CONTENTSIZE_ERROR ||
      declared == ZSTD_CONTENTSIZE_UNKNOWN) {
    return Status::Corruption("zstd: " + std::to_string(frame.size()) +
                              " bytes are not a frame with a content size");
  }
  return UncompressFrame(frame, declared, nullptr, cap, out);
}

// Decompresses in one call, into a growing buffer. zstd's streaming API would
// allocate the window that the frame declares, whatever it contains.
Result<ByteBuffer> UncompressZstdRecord(const Slice& frame, uint64_t limit) {
  const uint64_t most = BoundsOf(frame.size(), kExpansion, limit).most();
  const unsigned long long declared =
      ZSTD_getFrameContentSize(frame.data(), frame.size());
  const std::string what = "zstd: " + std::to_string(frame.size()) + " bytes";
  if (declared == ZSTD_CONTENTSIZE_ERROR) {
    return Status::Corruption(what + " are not a frame");
  }
  const bool is_declared = declared != ZSTD_CONTENTSIZE_UNKNOWN;
  if (is_declared && declared > most) {
    return Status::Corruption(what + " claim to hold " +
                              std::to_string(declared) + ", expected at most " +
                              std::to_string(most));
  }
  uint64_t room = is_declared
                      ? uint64_t{declared}
                      : std::min(most, uint64_t{4} * frame.size() + 512);
  for (;;) {
    ByteBuffer raw = ByteBuffer::WithRoom(static_cast<size_t>(room));
    const size_t got = ZSTD_decompressDCtx(UncompressionContext(), raw.data(),
                                           static_cast<size_t>(room),
                                           frame.data(), frame.size());
    if (ZSTD_isError(got) == 0) {
      raw.Advance(got);
      return raw;
    }
    if (ZSTD_getErrorCode(got) != ZSTD_error_dstSize_tooSmall || is_declared ||
        room == most) {
      return Status::Corruption(
          what + " are not a frame of at most " + std::to_string(room),
          ZSTD_getErrorName(got));
    }
    room = std::min(most, 4 * room);
  }
}

ZstdDictionaryPtr NewZstdDictionary(const Slice& raw) {
  // Owned from here: allocations below may throw.
  std::unique_ptr<ZSTD_DDict, DictionaryDeleter> digested(
      ZSTD_createDDict(raw.data(), raw.size()));
  if (digested == nullptr) return nullptr;
  return ZstdDictionaryPtr(new ZstdDictionary{std::move(digested)});
}

size_t ZstdDictionaryBytes(const ZstdDictionary* dictionary) {
  return dictionary == nullptr ? 0
                               : ZSTD_sizeof_DDict(dictionary->digested.get());
}

void ZstdDictionaryDeleter::operator()(ZstdDictionary* dictionary) const {
  delete dictionary;
}

}  // namespace tamis

#else

namespace tamis {

const CodecFunctions kZstdFunctions = {nullptr, nullptr};

Status UncompressZstdFrame(const Slice& /*frame*/, uint64_t /*cap*/,
                           ByteBuffer* /*out*/) {
  return Status::NotSupported("this build has no ZSTD codec");
}

Result<ByteBuffer> UncompressZstdRecord(const Slice& /*frame*/,
                                        uint64_t /*limit*/) {
  return Status::NotSupported("this build has no ZSTD codec");
}

struct ZstdDictionary {};

ZstdDictionaryPtr NewZstdDictionary(const Slice& /*raw*/) { return nullptr; }
size_t ZstdDictionaryBytes(const ZstdDictionary* /*dictionary*/) { return 0; }

std::string TrainDictionary(const DictionarySamples& /*samples*/,
                            size_t /*bytes_max*/) {
  return {};
}

std::string FinalizeDictionary(const DictionarySamples& /*samples*/,
                               size_t /*bytes_max*/, int /*level*/) {
  return {};
}

void ZstdDictionaryDeleter::operator()(ZstdDictionary* dictionary) const {
  delete dictionary;
}

}  // namespace tamis

#endif
