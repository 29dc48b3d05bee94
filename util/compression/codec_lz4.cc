// SPDX-License-Identifier: Apache-2.0
//
// Codecs 4 and 5 (LZ4, LZ4HC): two compressors of the library for one format.
// StepDecoder decompresses it, which is faster
// (docs/decisions/block_decoders.md), except with a dictionary.
#include "util/compression/codec.h"

#ifdef TAMIS_HAVE_LZ4

#include <algorithm>
#include <climits>
#include <memory>

#include <lz4.h>
#include <lz4hc.h>

#include "util/coding/coding.h"
#include "util/compression/step_decoder.h"

namespace tamis {

namespace {

static_assert(kMaxCompressibleBytes <= LZ4_MAX_INPUT_SIZE);

// compress(from, to, size, room) returns 0 on failure.
template <typename F>
bool CompressWith(const Slice& raw, PayloadForm form, std::string* out,
                  F compress) {
  out->clear();
  if (form == PayloadForm::kVersion2) {
    PutVarint32(out, static_cast<uint32_t>(raw.size()));
  } else {
    PutFixed64(out, raw.size());
  }
  const size_t header = out->size();
  const auto size = static_cast<int>(raw.size());
  const int room = LZ4_compressBound(size);
  out->resize(header + static_cast<size_t>(room));
  const int packed = compress(raw.data(), out->data() + header, size, room);
  if (packed <= 0) return false;
  out->resize(header + static_cast<size_t>(packed));
  return true;
}

int SpeedOf(int level) { return level < 0 ? -std::max(level, -INT_MAX) : 1; }

int HcLevelOf(int level) {
  return level == kDefaultCompressionLevel ? LZ4HC_CLEVEL_DEFAULT
                                           : std::max(level, 1);
}

bool Lz4Compress(const Slice& raw, PayloadForm form, int level,
                 std::string* out) {
  const int speed = SpeedOf(level);
  return CompressWith(raw, form, out,
                      [speed](const char* from, char* to, int size, int room) {
                        return LZ4_compress_fast(from, to, size, room, speed);
                      });
}

bool Lz4HcCompress(const Slice& raw, PayloadForm form, int level,
                   std::string* out) {
  const int hc_level = HcLevelOf(level);
  return CompressWith(
      raw, form, out,
      [hc_level](const char* from, char* to, int size, int room) {
        return LZ4_compress_HC(from, to, size, room, hc_level);
      });
}

// A block can refer to the last 64 KiB before it.
constexpr size_t kWindow = 64 * 1024;

void FreeStream(LZ4_stream_t* stream) { LZ4_freeStream(stream); }
void FreeStream(LZ4_streamHC_t* stream) { LZ4_freeStreamHC(stream); }

// A stream that has loaded the dictionary, and a copy of it for each block:
// copying is cheaper than loading.
template <typename Stream>
class Lz4Dictionary : public DictionaryCompressor {
 protected:
  struct Deleter {
    void operator()(Stream* stream) const { FreeStream(stream); }
  };
  Lz4Dictionary(Stream* loaded, Stream* scratch)
      : loaded_(loaded), scratch_(scratch) {}

  bool has_memory() const { return loaded_ != nullptr && scratch_ != nullptr; }
  Stream* loaded() { return loaded_.get(); }
  Stream* Fresh() {
    *scratch_ = *loaded_;
    return scratch_.get();
  }

 private:
  const std::unique_ptr<Stream, Deleter> loaded_;
  const std::unique_ptr<Stream, Deleter> scratch_;
};

class FastDictionary final : public Lz4Dictionary<LZ4_stream_t> {
 public:
  static std::unique_ptr<DictionaryCompressor> New(const Slice& dictionary,
                                                   int level) {
    auto made = std::make_unique<FastDictionary>(level);
    if (!made->has_memory()) return nullptr;
    LZ4_loadDict(made->loaded(), dictionary.data(),
                 static_cast<int>(dictionary.size()));
    return made;
  }
  explicit FastDictionary(int level)
      : Lz4Dictionary(LZ4_createStream(), LZ4_createStream()),
        speed_(SpeedOf(level)) {}

  bool Compress(const Slice& raw, PayloadForm form, std::string* out) override {
    return CompressWith(raw, form, out,
                        [this](const char* from, char* to, int size, int room) {
                          return LZ4_compress_fast_continue(Fresh(), from, to,
                                                            size, room, speed_);
                        });
  }

 private:
  const int speed_;
};

class HcDictionary final : public Lz4Dictionary<LZ4_streamHC_t> {
 public:
  static std::unique_ptr<DictionaryCompressor> New(const Slice& dictionary,
                                                   int level) {
    auto made = std::make_unique<HcDictionary>();
    if (!made->has_memory()) return nullptr;
    LZ4_resetStreamHC_fast(made->loaded(), HcLevelOf(level));
    LZ4_loadDictHC(made->loaded(), dictionary.data(),
                   static_cast<int>(dictionary.size()));
    return made;
  }
  HcDictionary() : Lz4Dictionary(LZ4_createStreamHC(), LZ4_createStreamHC()) {}

  bool Compress(const Slice& raw, PayloadForm form, std::string* out) override {
    return CompressWith(
        raw, form, out, [this](const char* from, char* to, int size, int room) {
          return LZ4_compress_HC_continue(Fresh(), from, to, size, room);
        });
  }
};

Status UncompressWithDictionary(const Slice& payload, PayloadForm form,
                                const UncompressionDictionary& dictionary,
                                uint64_t cap, ByteBuffer* out) {
  Decoder in(payload);
  const uint64_t declared =
      form == PayloadForm::kVersion2 ? in.Varint32() : in.Fixed64();
  if (!in.ok()) return NoLength(kLz4Name);
  const Slice block = in.rest();
  TAMIS_RETURN_IF_ERROR(
      BoundsOf(block.size(), kLz4Expansion, cap).Check(kLz4Name, declared));
  if (declared > INT_MAX || block.size() > INT_MAX) {
    return NotAStream(kLz4Name, block.size(), declared);
  }
  out->Clear();
  // One byte, so that an empty block has an address.
  char* const to =
      out->Room(std::max(static_cast<size_t>(declared), size_t{1}));
  const auto room = static_cast<int>(declared);
  const Slice all = dictionary.raw();
  const size_t used = std::min(all.size(), kWindow);
  const int got = LZ4_decompress_safe_usingDict(
      block.data(), to, static_cast<int>(block.size()), room, all.end() - used,
      static_cast<int>(used));
  if (got != room) return NotAStream(kLz4Name, block.size(), declared);
  out->Advance(static_cast<size_t>(declared));
  return Status::OK();
}

Status Lz4Uncompress(const Slice& payload, PayloadForm form,
                     const UncompressionDictionary* dictionary, uint64_t cap,
                     ByteBuffer* out) {
  return dictionary == nullptr
             ? StepDecoder::DecodeAll(kLZ4Compression, payload, form, cap, out)
             : UncompressWithDictionary(payload, form, *dictionary, cap, out);
}

}  // namespace

const CodecFunctions kLz4Functions = {Lz4Compress, Lz4Uncompress,
                                      FastDictionary::New, kWindow};
const CodecFunctions kLz4HcFunctions = {Lz4HcCompress, Lz4Uncompress,
                                        HcDictionary::New, kWindow};

}  // namespace tamis

#else

namespace tamis {

const CodecFunctions kLz4Functions = {nullptr, nullptr};
const CodecFunctions kLz4HcFunctions = {nullptr, nullptr};

}  // namespace tamis

#endif
