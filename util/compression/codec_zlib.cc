// SPDX-License-Identifier: Apache-2.0
//
// Codec 2 (zlib), decompression only: raw deflate without zlib's header.
#include "util/compression/codec.h"

#ifdef TAMIS_HAVE_ZLIB

#include <climits>

#define ZLIB_CONST
#include <zlib.h>

#include "util/coding/coding.h"
#include "util/compression/codec_stream.h"

namespace tamis {

namespace {

constexpr char kName[] = "zlib";
// At best, two bits of a stream encode a match of 258 bytes.
constexpr uint64_t kExpansion = 1032;
// Raw deflate, largest window.
constexpr int kWindowBits = -15;

class Inflater {
 public:
  explicit Inflater(const Slice& in) {
    stream_.next_in = reinterpret_cast<const Bytef*>(in.data());
    stream_.avail_in = static_cast<uInt>(in.size());
    ready_ = inflateInit2(&stream_, kWindowBits) == Z_OK;
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

}  // namespace

const CodecFunctions kZlibFunctions = {nullptr, ZlibUncompress};

}  // namespace tamis

#else

namespace tamis {

const CodecFunctions kZlibFunctions = {nullptr, nullptr};

}  // namespace tamis

#endif
