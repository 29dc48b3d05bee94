// SPDX-License-Identifier: Apache-2.0
//
// Files in strings, for tests of reading and writing.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "tamis/file_system.h"

namespace tamis {

class StringSequentialFile : public SequentialFile {
 public:
  explicit StringSequentialFile(std::string contents)
      : contents_(std::move(contents)) {}

  Status Read(size_t n, Slice* result, char*) override {
    const size_t take = std::min(n, contents_.size() - position_);
    *result = Slice(contents_.data() + position_, take);
    position_ += take;
    return {};
  }
  Status Skip(uint64_t n) override {
    const uint64_t left = contents_.size() - position_;
    position_ += static_cast<size_t>(std::min(n, left));
    return {};
  }

 private:
  const std::string contents_;
  size_t position_ = 0;
};

class StringRandomAccessFile : public RandomAccessFile {
 public:
  explicit StringRandomAccessFile(std::string contents)
      : contents_(std::move(contents)) {}

  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    reads_.fetch_add(1, std::memory_order_relaxed);
    const auto begin =
        static_cast<size_t>(std::min<uint64_t>(offset, contents_.size()));
    const size_t take = std::min(n, contents_.size() - begin);
    std::memcpy(scratch, contents_.data() + begin, take);
    *result = Slice(scratch, take);
    return {};
  }
  int reads() const { return reads_.load(std::memory_order_relaxed); }

 private:
  const std::string contents_;
  mutable std::atomic<int> reads_{0};
};

// Fails call number `fail_at` and all later ones; 0: none.
class StringWritableFile : public WritableFile {
 public:
  explicit StringWritableFile(std::string* contents, int fail_at = 0)
      : contents_(contents), fail_at_(fail_at) {}

  Status Append(const Slice& data) override {
    Status s = Call();
    if (s.ok()) contents_->append(data.data(), data.size());
    return s;
  }
  Status Flush() override { return Call(); }
  Status Sync() override { return Call(); }
  Status Close() override { return Call(); }
  uint64_t GetFileSize() const override { return contents_->size(); }

 private:
  Status Call() {
    ++calls_;
    if (fail_at_ != 0 && calls_ >= fail_at_) {
      return Status::IOError("call " + std::to_string(calls_));
    }
    return {};
  }

  std::string* const contents_;
  const int fail_at_;
  int calls_ = 0;
};

}  // namespace tamis
