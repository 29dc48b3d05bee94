// SPDX-License-Identifier: Apache-2.0
//
// A file whose reads are timed: TimedReads passes the microseconds of each to a
// function. Not those of ReadAsync, which go on while the caller does other
// things.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "tamis/file_system.h"

namespace tamis {

// As thread-safe as the base and the function.
class TimedReads final : public RandomAccessFile {
 public:
  using Record = std::function<void(uint64_t micros)>;

  // `record` must not throw.
  TimedReads(std::unique_ptr<RandomAccessFile> base, Record record)
      : base_(std::move(base)), record_(std::move(record)) {}

  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    const auto start = std::chrono::steady_clock::now();
    Status status = base_->Read(offset, n, result, scratch);
    record_(static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now() - start)
            .count()));
    return status;
  }
  size_t GetRequiredBufferAlignment() const override {
    return base_->GetRequiredBufferAlignment();
  }
  bool ReadAsync(FSReadRequest* request, AsyncReads* reads) const override {
    return base_->ReadAsync(request, reads);
  }

 private:
  const std::unique_ptr<RandomAccessFile> base_;
  const Record record_;
};

}  // namespace tamis
