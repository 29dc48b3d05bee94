// SPDX-License-Identifier: Apache-2.0
#include "util/compression/codec_zstd_records.h"

#ifdef TAMIS_HAVE_ZSTD

#include <new>

#include <zstd.h>

namespace tamis {

namespace {

// Writers wait for it.
constexpr int kFastLevel = 1;

struct ContextDeleter {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

class ZstdRecordCompressor final : public RecordCompressor {
 public:
  ZstdRecordCompressor() : context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kFastLevel);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  Status Compress(std::span<const Slice> parts, std::string* frame) override {
    size_t total = 0;
    for (const Slice& part : parts) total += part.size();
    frame->resize(ZSTD_compressBound(total));
    ZSTD_outBuffer out = {frame->data(), frame->size(), 0};
    size_t result = ZSTD_CCtx_reset(context_.get(), ZSTD_reset_session_only);
    if (ZSTD_isError(result) == 0) {
      result = ZSTD_CCtx_setPledgedSrcSize(context_.get(), total);
    }
    for (const Slice& part : parts) {
      if (ZSTD_isError(result) == 0) result = Step(part, ZSTD_e_continue, &out);
    }
    if (ZSTD_isError(result) == 0) result = Step(Slice(), ZSTD_e_end, &out);
    if (ZSTD_isError(result) != 0) {
      return Status::IOError("zstd cannot compress a record of " +
                                 std::to_string(total) + " bytes",
                             ZSTD_getErrorName(result));
    }
    frame->resize(out.pos);
    return Status::OK();
  }

 private:
  // Returns what zstd returned last. *out has room for all.
  size_t Step(const Slice& part, ZSTD_EndDirective directive,
              ZSTD_outBuffer* out) {
    ZSTD_inBuffer in = {part.data(), part.size(), 0};
    size_t result = 0;
    do {
      result = ZSTD_compressStream2(context_.get(), out, &in, directive);
      if (ZSTD_isError(result) != 0) break;
    } while (in.pos < in.size || (directive == ZSTD_e_end && result != 0));
    return result;
  }

  const std::unique_ptr<ZSTD_CCtx, ContextDeleter> context_;
};

}  // namespace

std::unique_ptr<RecordCompressor> RecordCompressor::New() {
  return std::make_unique<ZstdRecordCompressor>();
}

}  // namespace tamis

#else

namespace tamis {

std::unique_ptr<RecordCompressor> RecordCompressor::New() { return nullptr; }

}  // namespace tamis

#endif
