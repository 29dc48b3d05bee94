// SPDX-License-Identifier: Apache-2.0
//
// Codec 2 (zlib): raw deflate without zlib's header.
#include "util/compression/codec.h"

#ifdef TAMIS_HAVE_ZLIB

#include <algorithm>
#include <climits>
#include <memory>

#define ZLIB_CONST
#include <zlib.h>

#include "util/coding/coding.h"
#include "util/compression/codec_stream.h"

namespace tamis {

namespace {

constexpr char kName[] = "zlib";
// At best, two bits of a stream encode a match of 258 bytes.
constexpr uint64_t kExpansion = 1032;
// Raw deflate. Any window is read. RocksDB reads windows of up to 2^14 bytes.
constexpr int kReadWindowBits = -15;
constexpr int kWriteWindowBits = -14;
constexpr size_t kWriteWindow = 1 << 14;

class Inflater {
 public:
  explicit Inflater(const Slice& in) {
    stream_.next_in = reinterpret_cast<const Bytef*>(in.data());
    stream_.avail_in = static_cast<uInt>(in.size());
    ready_ = inflateInit2(&stream_, kReadWindowBits) == Z_OK;
  }
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  bool ready() const { return ready_; }
  bool Use(const Slice& dictionary) {
    return dictionary.size() <= UINT_MAX &&
           inflateSetDictionary(
               &stream_, reinterpret_cast<const Bytef*>(dictionary.data()),
               static_cast<uInt>(dictionary.size())) == Z_OK;
  }
  StreamState Step(char* to, size_t room, size_t* written) {
    const auto most = static_cast<uInt>(std::min<size_t>(room, UINT_MAX));
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = most;
    const int result = inflate(&stream_, Z_NO_FLUSH);
    *written = most - stream_.avail_out;
    if (result == Z_STREAM_END) return StreamState::kEnd;
    // With space left, only more input could help.
    const bool full = stream_.avail_out == 0;
    return result == Z_OK && full ? StreamState::kMore : StreamState::kBad;
  }

 private:
  z_stream stream_ = {};
  bool ready_ = false;
};

Status ZlibUncompress(const Slice& payload, PayloadForm form,
                      const UncompressionDictionary* dictionary, uint64_t cap,
                      ByteBuffer* out) {
  const Result<StreamPayload> in = ParseStreamPayload(kName, payload, form);
  if (!in.ok()) return in.status();
  Inflater inflater(in->stream);
  if (!inflater.ready() ||
      (dictionary != nullptr && !inflater.Use(dictionary->raw()))) {
    return Status::Corruption("zlib: the dictionary is rejected");
  }
  return UncompressStream(kName, in->declared,
                          BoundsOf(in->stream.size(), kExpansion, cap), out,
                          [&](char* to, size_t room, size_t* written) {
                            return inflater.Step(to, room, written);
                          });
}

// -1 is zlib's default. Any other negative level is the fastest one.
int LevelOf(int level) {
  if (level == kDefaultCompressionLevel || level == Z_DEFAULT_COMPRESSION) {
    return Z_DEFAULT_COMPRESSION;
  }
  return level < 0 ? Z_BEST_SPEED : std::min(level, Z_BEST_COMPRESSION);
}

// Compresses blocks, each with the same dictionary, if there is one.
class Deflater final : public DictionaryCompressor {
 public:
  static std::unique_ptr<DictionaryCompressor> New(const Slice& dictionary,
                                                   int level) {
    auto made = std::make_unique<Deflater>(dictionary, level);
    return made->ready_ ? std::move(made) : nullptr;
  }
  // `dictionary` must outlive *this.
  Deflater(const Slice& dictionary, int level) : dictionary_(dictionary) {
    ready_ =
        deflateInit2(&stream_, LevelOf(level), Z_DEFLATED, kWriteWindowBits,
                     /*memLevel=*/8, Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~Deflater() override {
    if (ready_) deflateEnd(&stream_);
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  bool Compress(const Slice& raw, PayloadForm form, std::string* out) override {
    if (!ready_ || deflateReset(&stream_) != Z_OK || !UseDictionary()) {
      return false;
    }
    BeginStreamPayload(raw, form, out);
    const size_t header = out->size();
    const uLong room = deflateBound(&stream_, static_cast<uLong>(raw.size()));
    out->resize(header + room);
    stream_.next_in = reinterpret_cast<const Bytef*>(raw.data());
    stream_.avail_in = static_cast<uInt>(raw.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out->data() + header);
    stream_.avail_out = static_cast<uInt>(room);
    if (deflate(&stream_, Z_FINISH) != Z_STREAM_END) return false;
    out->resize(header + (room - stream_.avail_out));
    return true;
  }

 private:
  bool UseDictionary() {
    return dictionary_.empty() ||
           deflateSetDictionary(
               &stream_, reinterpret_cast<const Bytef*>(dictionary_.data()),
               static_cast<uInt>(dictionary_.size())) == Z_OK;
  }

  const Slice dictionary_;
  z_stream stream_ = {};
  bool ready_ = false;
};

bool ZlibCompress(const Slice& raw, PayloadForm form, int level,
                  std::string* out) {
  return Deflater(Slice(), level).Compress(raw, form, out);
}

}  // namespace

const CodecFunctions kZlibFunctions = {ZlibCompress, ZlibUncompress,
                                       Deflater::New, kWriteWindow};

}  // namespace tamis

#else

namespace tamis {

const CodecFunctions kZlibFunctions = {nullptr, nullptr};

}  // namespace tamis

#endif
