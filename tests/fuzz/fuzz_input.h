// SPDX-License-Identifier: Apache-2.0
//
// Shared by fuzz targets: the input, whose bytes are taken from the front,
// files in memory, and a check that ends the process if it fails.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "tamis/file_system.h"
#include "tamis/slice.h"

namespace tamis {

inline void Claim(bool holds) {
  if (!holds) std::abort();
}

// Returns zeros after its end. Borrows the bytes.
class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  bool empty() const { return size_ == 0; }
  uint8_t Byte() {
    if (size_ == 0) return 0;
    size_--;
    return *data_++;
  }
  uint16_t Short() {
    const unsigned low = Byte();
    return static_cast<uint16_t>(low | static_cast<unsigned>(Byte()) << 8);
  }
  // Up to n bytes.
  std::string Bytes(size_t n) {
    n = std::min(n, size_);
    std::string out(n, '\0');
    if (n != 0) std::memcpy(out.data(), data_, n);
    data_ += n;
    size_ -= n;
    return out;
  }
  std::string Rest() { return Bytes(size_); }

 private:
  const uint8_t* data_;
  size_t size_;
};

class FuzzRandomFile : public RandomAccessFile {
 public:
  explicit FuzzRandomFile(std::string bytes) : bytes_(std::move(bytes)) {}
  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    const size_t begin = std::min<uint64_t>(offset, bytes_.size());
    const size_t take = std::min(n, bytes_.size() - begin);
    // Copied to scratch, so that sanitizers see a read beyond its end.
    if (take != 0) std::memcpy(scratch, bytes_.data() + begin, take);
    *result = Slice(scratch, take);
    return Status::OK();
  }

 private:
  const std::string bytes_;
};

class FuzzSequentialFile : public SequentialFile {
 public:
  explicit FuzzSequentialFile(std::string bytes) : bytes_(std::move(bytes)) {}
  Status Read(size_t n, Slice* result, char* scratch) override {
    const size_t take = std::min(n, bytes_.size() - position_);
    if (take != 0) std::memcpy(scratch, bytes_.data() + position_, take);
    position_ += take;
    *result = Slice(scratch, take);
    return Status::OK();
  }
  Status Skip(uint64_t n) override {
    position_ +=
        static_cast<size_t>(std::min<uint64_t>(n, bytes_.size() - position_));
    return Status::OK();
  }

 private:
  const std::string bytes_;
  size_t position_ = 0;
};

class FuzzWritableFile : public WritableFile {
 public:
  explicit FuzzWritableFile(std::string* bytes) : bytes_(bytes) {}
  Status Append(const Slice& data) override {
    bytes_->append(data.data(), data.size());
    return Status::OK();
  }
  Status Flush() override { return Status::OK(); }
  Status Sync() override { return Status::OK(); }
  Status Close() override { return Status::OK(); }
  uint64_t GetFileSize() const override { return bytes_->size(); }

 private:
  std::string* const bytes_;
};

}  // namespace tamis
