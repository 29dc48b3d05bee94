// SPDX-License-Identifier: Apache-2.0
//
// Codecs 4 and 5 (LZ4, LZ4HC): two compressors of the library for one format.
// StepDecoder decompresses it, which is faster
// (docs/decisions/block_decoders.md), except with a dictionary.
#include "util/compression/codec.h"

#ifdef TAMIS_HAVE_LZ4

#include <algorithm>
#include <climits>

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

bool Lz4Compress(const Slice& raw, PayloadForm form, int level,
                 std::string* out) {
  const int speed = level < 0 ? -std::max(level, -INT_MAX) : 1;
  return CompressWith(raw, form, out,
                      [speed](const char* from, char* to, int size, int room) {
                        return LZ4_compress_fast(from, to, size, room, speed);
                      });
}

bool Lz4HcCompress(const Slice& raw, PayloadForm form, int level,
                   std::string* out) {
  if (level == kDefaultCompressionLevel) level = LZ4HC_CLEVEL_DEFAULT;
  return CompressWith(
      raw, form, out, [level](const char* from, char* to, int size, int room) {
        return LZ4_compress_HC(from, to, size, room, std::max(level, 1));
      });
}

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
  // LZ4 can only reference the last 64 KiB.
  constexpr size_t kWindow = 64 * 1024;
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

const CodecFunctions kLz4Functions = {Lz4Compress, Lz4Uncompress};
const CodecFunctions kLz4HcFunctions = {Lz4HcCompress, Lz4Uncompress};

}  // namespace tamis

#else

namespace tamis {

const CodecFunctions kLz4Functions = {nullptr, nullptr};
const CodecFunctions kLz4HcFunctions = {nullptr, nullptr};

}  // namespace tamis

#endif
