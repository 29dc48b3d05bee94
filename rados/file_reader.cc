// SPDX-License-Identifier: Apache-2.0
#include "rados/file_reader.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

namespace tamis::rados {

namespace {

// Reads the bytes of one file.
class FileBytes {
 public:
  FileBytes(std::shared_ptr<Volume> volume, std::string path, FileEntry entry,
            std::unique_ptr<ReaderPin::Hold> hold)
      : volume_(std::move(volume)),
        path_(std::move(path)),
        entry_(std::move(entry)),
        hold_(std::move(hold)) {}

  Status Read(uint64_t offset, size_t n, char* to, size_t* got) const;
  // The stripe that has all of these bytes, or none: if there is no such one,
  // or the file may grow.
  std::optional<ObjectName> StripeWith(uint64_t offset, size_t n) const;
  Volume* volume() const { return volume_.get(); }

 private:
  const std::shared_ptr<Volume> volume_;
  const std::string path_;
  const FileEntry entry_;
  std::unique_ptr<ReaderPin::Hold> hold_;  // ends before the volume
};

Status FileBytes::Read(uint64_t offset, size_t n, char* to, size_t* got) const {
  *got = 0;
  const bool open = entry_.is_open();
  if (!open) {
    if (offset >= entry_.size) return Status::OK();
    n = static_cast<size_t>(std::min<uint64_t>(n, entry_.size - offset));
  }
  Ownership* const ownership = volume_->ownership();
  if (ownership->lost()) return ownership->Check(path_, "read");
  ObjectStore* const store = volume_->store();
  while (*got < n) {
    const uint64_t at = offset + *got;
    const uint64_t in_stripe = at % kStripeBytes;
    const size_t want = static_cast<size_t>(
        std::min<uint64_t>(n - *got, kStripeBytes - in_stripe));
    const ObjectName stripe = StripeObject(volume_->name(), entry_.pool,
                                           entry_.id, at / kStripeBytes);
    size_t some = 0;
    const StoreResult read = RetryUntilKnown(
        store,
        [&] { return store->Read(stripe, in_stripe, want, to + *got, &some); },
        [ownership] { return ownership->lost(); });
    if (!read.ok() && read.code != StoreCode::kNotFound) {
      return ownership->held() ? ownership->ErrorOf(path_, "read", read)
                               : StatusOf(path_, "read", read);
    }
    if (read.code == StoreCode::kNotFound) some = 0;
    *got += some;
    if (some == want) continue;
    if (open) break;
    return Status::IOError(
        path_,
        "read: " + stripe.name + " has " + std::to_string(in_stripe + some) +
            " bytes, and should have " + std::to_string(in_stripe + want) +
            ": the file was removed " + "while it was read");
  }
  return Status::OK();
}

std::optional<ObjectName> FileBytes::StripeWith(uint64_t offset,
                                                size_t n) const {
  if (entry_.is_open() || n == 0 || offset + n > entry_.size ||
      offset % kStripeBytes + n > kStripeBytes) {
    return std::nullopt;
  }
  return StripeObject(volume_->name(), entry_.pool, entry_.id,
                      offset / kStripeBytes);
}

// A read within a stripe. If it does not get all bytes, FileBytes reads again,
// and says why.
class StripeRead final : public PendingRead {
 public:
  StripeRead(const FileBytes* bytes, FSReadRequest* request)
      : bytes_(bytes), request_(request) {}
  ~StripeRead() override { Wait(); }
  StripeRead(const StripeRead&) = delete;
  StripeRead& operator=(const StripeRead&) = delete;

  void Start(const ObjectName& stripe) {
    under_way_ = true;
    try {
      bytes_->volume()->store()->ReadAsync(
          stripe, request_->offset % kStripeBytes, request_->len,
          request_->scratch, [this](const StoreResult& result, size_t got) {
            const std::lock_guard lock(mutex_);
            has_all_ = result.ok() && got == request_->len;
            under_way_ = false;
            changed_.notify_all();
          });
    } catch (...) {  // no memory
      under_way_ = false;
      throw;
    }
  }

  void Finish() override {
    Wait();
    size_t got = request_->len;
    request_->status = has_all_ && !bytes_->volume()->ownership()->lost()
                           ? Status::OK()
                           : bytes_->Read(request_->offset, request_->len,
                                          request_->scratch, &got);
    request_->result =
        Slice(request_->scratch, request_->status.ok() ? got : 0);
  }

 private:
  void Wait() {
    std::unique_lock lock(mutex_);
    while (under_way_) {
      lock.unlock();
      const bool finished = bytes_->volume()->store()->FinishOne();
      lock.lock();
      if (!finished && under_way_) changed_.wait(lock);
    }
  }

  const FileBytes* const bytes_;
  FSReadRequest* const request_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool under_way_ = false;
  bool has_all_ = false;
};

class RandomReader final : public RandomAccessFile {
 public:
  explicit RandomReader(FileBytes bytes) : bytes_(std::move(bytes)) {}

  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    size_t got = 0;
    const Status status = bytes_.Read(offset, n, scratch, &got);
    *result = Slice(scratch, status.ok() ? got : 0);
    return status;
  }

  std::unique_ptr<PendingRead> StartRead(
      FSReadRequest* request) const override {
    const std::optional<ObjectName> stripe =
        bytes_.StripeWith(request->offset, request->len);
    if (!stripe.has_value()) return nullptr;
    auto read = std::make_unique<StripeRead>(&bytes_, request);
    read->Start(*stripe);
    return read;
  }

 private:
  const FileBytes bytes_;
};

// Reads ahead: first a little, as only the end of a log may be read, then four
// times as much each time, up to the end of a stripe.
class SequentialReader final : public SequentialFile {
 public:
  explicit SequentialReader(FileBytes bytes) : bytes_(std::move(bytes)) {}

  Status Read(size_t n, Slice* result, char* scratch) override {
    size_t done = 0;
    Status status;
    bool at_end = false;
    while (done < n) {
      if (used_ == window_.size()) {
        if (at_end) break;
        status = FillWindow(&at_end);
        if (!status.ok() || window_.empty()) break;
      }
      const size_t some = std::min(n - done, window_.size() - used_);
      std::memcpy(scratch + done, window_.data() + used_, some);
      used_ += some;
      done += some;
    }
    *result = Slice(scratch, status.ok() ? done : 0);
    return status;
  }

  Status Skip(uint64_t n) override {
    const uint64_t here = std::min<uint64_t>(n, window_.size() - used_);
    used_ += static_cast<size_t>(here);
    if (n > here) {
      window_begin_ += used_ + (n - here);
      window_.clear();
      used_ = 0;
    }
    return Status::OK();
  }

  Status Seek(uint64_t offset) override {
    window_begin_ = offset;
    window_.clear();
    used_ = 0;
    ahead_ = kAheadMin;
    return Status::OK();
  }

 private:
  static constexpr uint64_t kAheadMin = 64 << 10;

  // Sets *at_end to whether the file ended with what was read.
  Status FillWindow(bool* at_end) {
    window_begin_ += used_;
    used_ = 0;
    window_.resize(static_cast<size_t>(
        std::min(ahead_, kStripeBytes - window_begin_ % kStripeBytes)));
    ahead_ = std::min(4 * ahead_, kStripeBytes);
    size_t got = 0;
    Status status =
        bytes_.Read(window_begin_, window_.size(), window_.data(), &got);
    *at_end = got < window_.size();
    window_.resize(status.ok() ? got : 0);
    return status;
  }

  const FileBytes bytes_;
  std::string window_;
  uint64_t window_begin_ = 0;
  uint64_t ahead_ = kAheadMin;
  size_t used_ = 0;
};

}  // namespace

std::unique_ptr<SequentialFile> NewSequentialReader(
    std::shared_ptr<Volume> volume, std::string path, FileEntry entry,
    std::unique_ptr<ReaderPin::Hold> hold) {
  return std::make_unique<SequentialReader>(FileBytes(
      std::move(volume), std::move(path), std::move(entry), std::move(hold)));
}

std::unique_ptr<RandomAccessFile> NewRandomReader(
    std::shared_ptr<Volume> volume, std::string path, FileEntry entry,
    std::unique_ptr<ReaderPin::Hold> hold) {
  return std::make_unique<RandomReader>(FileBytes(
      std::move(volume), std::move(path), std::move(entry), std::move(hold)));
}

}  // namespace tamis::rados
