// SPDX-License-Identifier: Apache-2.0
#include "util/io/rate_limited_file.h"

#include <algorithm>

#include "util/io/file_io.h"

namespace tamis {

namespace {

// Requests of this size keep the limiter's lock out of the way of small blocks.
constexpr int64_t kChargedBytesMin = 64 << 10;

}  // namespace

void RateLimitedWrites::Charge(uint64_t* io_time) {
  const IOTimerPause pause(io_time);
  const int64_t bytes = std::exchange(uncharged_, 0);
  if (bytes == 0) return;
  limiter_->Request(bytes, priority_, statistics_, RateLimiter::OpType::kWrite);
}

Status RateLimitedWrites::Append(const Slice& data) {
  uncharged_ += static_cast<int64_t>(data.size());
  if (uncharged_ >= kChargedBytesMin) Charge(&tls_iostats_context.write_nanos);
  return base_->Append(data);
}

Status RateLimitedWrites::Flush() {
  Charge(&tls_iostats_context.write_nanos);
  return base_->Flush();
}

Status RateLimitedWrites::Sync() {
  Charge(&tls_iostats_context.fsync_nanos);
  return base_->Sync();
}

void RateLimitedWrites::RangeSync(uint64_t offset, uint64_t n) {
  base_->RangeSync(offset, n);
}

Status RateLimitedWrites::Close() {
  uint64_t untimed = 0;
  Charge(&untimed);
  return base_->Close();
}

void RateLimitedReads::Charge(uint64_t offset, size_t n) const {
  if (offset >= file_bytes_) return;
  const IOTimerPause pause(&tls_iostats_context.read_nanos);
  limiter_->Request(
      static_cast<int64_t>(std::min<uint64_t>(n, file_bytes_ - offset)),
      priority_, statistics_, RateLimiter::OpType::kRead);
}

Status RateLimitedReads::Read(uint64_t offset, size_t n, Slice* result,
                              char* scratch) const {
  Charge(offset, n);
  return base_->Read(offset, n, result, scratch);
}

bool RateLimitedReads::ReadAsync(FSReadRequest* request,
                                 AsyncReads* reads) const {
  Charge(request->offset, request->len);
  return base_->ReadAsync(request, reads);
}

}  // namespace tamis
