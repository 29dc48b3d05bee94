// SPDX-License-Identifier: Apache-2.0
//
// Codec 3 (bzip2).
#include "util/compression/codec.h"

#ifdef TAMIS_HAVE_BZIP2

#include <bzlib.h>
#include <climits>

#include "util/coding/coding.h"
#include "util/compression/codec_stream.h"

namespace tamis {

namespace {

constexpr char kName[] = "bzip2";
// A stream has 4 bytes before its blocks and 10 after them. A block takes at
// least 173 bits and holds at most 900,000 bytes, in which 5 can encode a run
// of up to 259.
constexpr size_t kStreamBytes = 14;
constexpr size_t kBlockBytesMin = 21;
constexpr uint64_t kBlockHoldsMax = uint64_t{900'000} / 5 * 259;

BlockBounds Bounds(size_t size, uint64_t cap) {
  const size_t blocks =
      size < kStreamBytes ? 0 : (size - kStreamBytes) / kBlockBytesMin;
  return {size, blocks * kBlockHoldsMax, cap};
}

class Bunzipper {
 public:
  explicit Bunzipper(const Slice& in) {
    // The library only reads, but its pointer is not const.
    stream_.next_in = const_cast<char*>(in.data());
    stream_.avail_in = static_cast<unsigned>(in.size());
    ready_ = BZ2_bzDecompressInit(&stream_, 0, 0) == BZ_OK;
  }
  ~Bunzipper() {
    if (ready_) BZ2_bzDecompressEnd(&stream_);
  }
  Bunzipper(const Bunzipper&) = delete;
  Bunzipper& operator=(const Bunzipper&) = delete;

  StreamState Step(char* to, size_t room, size_t* written) {
    if (!ready_) return StreamState::kBad;
    const auto most = static_cast<unsigned>(std::min<size_t>(room, UINT_MAX));
    stream_.next_out = to;
    stream_.avail_out = most;
    const int result = BZ2_bzDecompress(&stream_);
    *written = most - stream_.avail_out;
    if (result == BZ_STREAM_END) return StreamState::kEnd;
    // With space left, only more input could help.
    const bool full = stream_.avail_out == 0;
    return result == BZ_OK && full ? StreamState::kMore : StreamState::kBad;
  }

 private:
  bz_stream stream_ = {};
  bool ready_ = false;
};

// bzip2 has no dictionaries.
Status Bzip2Uncompress(const Slice& payload, PayloadForm form,
                       const UncompressionDictionary* /*dictionary*/,
                       uint64_t cap, ByteBuffer* out) {
  const Result<StreamPayload> in = ParseStreamPayload(kName, payload, form);
  if (!in.ok()) return in.status();
  Bunzipper bunzipper(in->stream);
  return UncompressStream(kName, in->declared, Bounds(in->stream.size(), cap),
                          out, [&](char* to, size_t room, size_t* written) {
                            return bunzipper.Step(to, room, written);
                          });
}

// bzip2 sorts parts of 100,000 bytes for themselves, times the first number.
constexpr int kBlockSize = 1;
constexpr int kWorkFactor = 30;

// There are no levels.
bool Bzip2Compress(const Slice& raw, PayloadForm form, int /*level*/,
                   std::string* out) {
  BeginStreamPayload(raw, form, out);
  const size_t header = out->size();
  // The library's documentation: this is enough.
  auto room = static_cast<unsigned>(raw.size() + raw.size() / 100 + 600);
  out->resize(header + room);
  // The library only reads, but its pointer is not const.
  if (BZ2_bzBuffToBuffCompress(out->data() + header, &room,
                               const_cast<char*>(raw.data()),
                               static_cast<unsigned>(raw.size()), kBlockSize,
                               /*verbosity=*/0, kWorkFactor) != BZ_OK) {
    return false;
  }
  out->resize(header + room);
  return true;
}

}  // namespace

const CodecFunctions kBzip2Functions = {Bzip2Compress, Bzip2Uncompress};

}  // namespace tamis

#else

namespace tamis {

const CodecFunctions kBzip2Functions = {nullptr, nullptr};

}  // namespace tamis

#endif
