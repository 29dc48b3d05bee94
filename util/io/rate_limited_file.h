// SPDX-License-Identifier: Apache-2.0
//
// Files whose bytes a RateLimiter grants before they are written or read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "tamis/file_system.h"
#include "tamis/rate_limiter.h"

namespace tamis {

// The limiter outlives each file. Statistics may be nullptr.
class RateLimitedWrites final : public WritableFile {
 public:
  RateLimitedWrites(std::unique_ptr<WritableFile> base, RateLimiter* limiter,
                    IOPriority priority, Statistics* statistics)
      : base_(std::move(base)),
        limiter_(limiter),
        priority_(priority),
        statistics_(statistics) {}

  Status Append(const Slice& data) override;
  Status Flush() override;
  Status Sync() override;
  void RangeSync(uint64_t offset, uint64_t n) override;
  Status Close() override;
  uint64_t GetFileSize() const override { return base_->GetFileSize(); }

 private:
  // Waits for the limiter; not as a part of *io_time, which an IOTimer counts.
  void Charge(uint64_t* io_time);

  const std::unique_ptr<WritableFile> base_;
  RateLimiter* const limiter_;
  const IOPriority priority_;
  Statistics* const statistics_;
  int64_t uncharged_ = 0;  // bytes appended that no request has named
};

class RateLimitedReads final : public RandomAccessFile {
 public:
  // A read is charged the bytes that it asks for, up to `file_bytes`.
  RateLimitedReads(std::unique_ptr<RandomAccessFile> base, uint64_t file_bytes,
                   RateLimiter* limiter, IOPriority priority,
                   Statistics* statistics)
      : base_(std::move(base)),
        file_bytes_(file_bytes),
        limiter_(limiter),
        priority_(priority),
        statistics_(statistics) {}

  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override;
  size_t GetRequiredBufferAlignment() const override {
    return base_->GetRequiredBufferAlignment();
  }
  bool ReadAsync(FSReadRequest* request, AsyncReads* reads) const override;

 private:
  void Charge(uint64_t offset, size_t n) const;

  const std::unique_ptr<RandomAccessFile> base_;
  const uint64_t file_bytes_;
  RateLimiter* const limiter_;
  const IOPriority priority_;
  Statistics* const statistics_;
};

}  // namespace tamis
