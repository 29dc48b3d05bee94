// SPDX-License-Identifier: Apache-2.0
//
// Codec 7 (zstd), and LevelDB's codec 2.
#include "util/compression/codec.h"

#ifdef TAMIS_HAVE_ZSTD

#include <algorithm>
#include <memory>

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

bool ZstdCompress(const Slice& raw, PayloadForm /*form*/, int level,
                  std::string* out) {
  if (level == kDefaultCompressionLevel) level = kLevel;
  out->clear();
  PutVarint32(out, static_cast<uint32_t>(raw.size()));
  const size_t header = out->size();
  out->resize(header + ZSTD_compressBound(raw.size()));
  const size_t packed =
      ZSTD_compressCCtx(CompressionContext(), out->data() + header,
                        out->size() - header, raw.data(), raw.size(), level);
  if (ZSTD_isError(packed) != 0) return false;
  out->resize(header + packed);
  return true;
}

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

const CodecFunctions kZstdFunctions = {ZstdCompress, ZstdUncompress};

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
  ZSTD_DDict* const digested = ZSTD_createDDict(raw.data(), raw.size());
  if (digested == nullptr) return nullptr;
  auto* const dictionary = new ZstdDictionary;
  dictionary->digested.reset(digested);
  return ZstdDictionaryPtr(dictionary);
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

void ZstdDictionaryDeleter::operator()(ZstdDictionary* dictionary) const {
  delete dictionary;
}

}  // namespace tamis

#endif
