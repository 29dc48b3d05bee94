// SPDX-License-Identifier: Apache-2.0
#include "rados/cached_table.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace tamis::rados {

namespace {

// A read of more bytes adds no pages.
constexpr size_t kLongRead = 64 << 10;
// Appended bytes that wait for being written to pages at once.
constexpr size_t kWriterBytes = 64 * kPageBytes;

// A read that was done when it was begun.
class DoneRead final : public PendingRead {
 public:
  void Finish() override {}
};

// A read of whole pages around those bytes that were asked for.
class WideRead {
 public:
  WideRead(uint64_t size, uint64_t offset, size_t n)
      : size_(size), offset_(offset), n_(n) {
    request_.offset = offset;
    request_.len = n;
    WidenToPages(size, &request_.offset, &request_.len);
    buffer_.reset(new char[request_.len]);
    request_.scratch = buffer_.get();
  }

  FSReadRequest* request() { return &request_; }
  // What was read: adds it to the pages, and copies what was asked for.
  Status Take(LocalCache::File* pages, Slice* result, char* scratch) const {
    *result = Slice(scratch, 0);
    if (!request_.status.ok()) return request_.status;
    const Slice& bytes = request_.result;
    const size_t skipped = static_cast<size_t>(offset_ - request_.offset);
    if (bytes.size() == request_.len) {
      pages->Write(size_, request_.offset, bytes.size(), bytes.data());
    }
    if (bytes.size() <= skipped) return Status::OK();
    *result = Slice(scratch, std::min(n_, bytes.size() - skipped));
    std::memcpy(scratch, bytes.data() + skipped, result->size());
    return Status::OK();
  }

 private:
  const uint64_t size_;
  const uint64_t offset_;
  const size_t n_;
  FSReadRequest request_;
  std::unique_ptr<char[]> buffer_;
};

class PendingWideRead final : public PendingRead {
 public:
  PendingWideRead(WideRead read, LocalCache::File* pages,
                  FSReadRequest* request)
      : read_(std::move(read)), pages_(pages), request_(request) {}

  // Returns whether the table began it.
  bool Start(const RandomAccessFile& table) {
    pending_ = table.StartRead(read_.request());
    return pending_ != nullptr;
  }
  void Finish() override {
    pending_->Finish();
    request_->status = read_.Take(pages_, &request_->result, request_->scratch);
  }

 private:
  WideRead read_;
  LocalCache::File* const pages_;
  FSReadRequest* const request_;
  std::unique_ptr<PendingRead> pending_;  // ends before the buffer
};

class CachedReader final : public RandomAccessFile {
 public:
  CachedReader(std::unique_ptr<RandomAccessFile> table, std::string path,
               uint64_t size, std::shared_ptr<LocalCache::File> pages,
               const Ownership* ownership)
      : table_(std::move(table)),
        path_(std::move(path)),
        size_(size),
        pages_(std::move(pages)),
        ownership_(ownership) {}

  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    *result = Slice(scratch, 0);
    if (offset >= size_ || n == 0) return Status::OK();
    n = static_cast<size_t>(std::min<uint64_t>(n, size_ - offset));
    bool done = false;
    const Status status = ReadHere(offset, n, scratch, &done);
    if (!status.ok()) return status;
    if (done) {
      *result = Slice(scratch, n);
      return status;
    }
    if (n > kLongRead) return table_->Read(offset, n, result, scratch);
    WideRead wide(size_, offset, n);
    FSReadRequest* const request = wide.request();
    request->status = table_->Read(request->offset, request->len,
                                   &request->result, request->scratch);
    return wide.Take(pages_.get(), result, scratch);
  }

  std::unique_ptr<PendingRead> StartRead(
      FSReadRequest* request) const override {
    const size_t n = request->len;
    if (n == 0 || n > size_ || request->offset > size_ - n) return nullptr;
    bool done = false;
    request->status = ReadHere(request->offset, n, request->scratch, &done);
    request->result = Slice(request->scratch, done ? n : 0);
    if (done || !request->status.ok()) return std::make_unique<DoneRead>();
    if (n > kLongRead) return table_->StartRead(request);
    auto pending = std::make_unique<PendingWideRead>(
        WideRead(size_, request->offset, n), pages_.get(), request);
    if (!pending->Start(*table_)) return nullptr;
    return pending;
  }

 private:
  // What is here does not serve a client that was replaced.
  Status ReadHere(uint64_t offset, size_t n, char* to, bool* done) const {
    *done = false;
    if (ownership_->lost()) return ownership_->Check(path_, "read");
    *done = pages_->Read(size_, offset, n, to);
    return Status::OK();
  }

  const std::unique_ptr<RandomAccessFile> table_;
  const std::string path_;
  const uint64_t size_;
  const std::shared_ptr<LocalCache::File> pages_;
  const Ownership* const ownership_;
};

class CachingWriter final : public WritableFile {
 public:
  CachingWriter(std::unique_ptr<WritableFile> table,
                std::shared_ptr<LocalCache::File> pages)
      : table_(std::move(table)), pages_(std::move(pages)) {}

  Status Append(const Slice& data) override {
    const Status status = table_->Append(data);
    if (!status.ok()) return status;
    buffer_.append(data.data(), data.size());
    if (buffer_.size() >= kWriterBytes) WritePages(UINT64_MAX);
    return status;
  }
  Status Flush() override { return table_->Flush(); }
  Status Sync() override { return table_->Sync(); }
  Status Close() override {
    WritePages(written_ + buffer_.size());
    return table_->Close();
  }
  uint64_t GetFileSize() const override { return table_->GetFileSize(); }

 private:
  // Writes what is buffered of whole pages; of a file of `size` bytes, all.
  void WritePages(uint64_t size) {
    pages_->Write(size, written_, buffer_.size(), buffer_.data());
    const size_t whole = buffer_.size() - buffer_.size() % kPageBytes;
    written_ += whole;
    buffer_.erase(0, whole);
  }

  const std::unique_ptr<WritableFile> table_;
  const std::shared_ptr<LocalCache::File> pages_;
  std::string buffer_;    // begins with a page
  uint64_t written_ = 0;  // bytes before it
};

}  // namespace

std::unique_ptr<RandomAccessFile> NewCachedReader(
    std::unique_ptr<RandomAccessFile> table, std::string path, uint64_t size,
    std::shared_ptr<LocalCache::File> pages, const Ownership* ownership) {
  return std::make_unique<CachedReader>(std::move(table), std::move(path), size,
                                        std::move(pages), ownership);
}

std::unique_ptr<WritableFile> NewCachingWriter(
    std::unique_ptr<WritableFile> table,
    std::shared_ptr<LocalCache::File> pages) {
  return std::make_unique<CachingWriter>(std::move(table), std::move(pages));
}

}  // namespace tamis::rados
