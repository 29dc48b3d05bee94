// SPDX-License-Identifier: Apache-2.0
#include "rados/local_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <unistd.h>
#include <utility>

#include "rados/page_hash.h"

namespace tamis::rados {

namespace {

// Slots that are read or written by one call.
constexpr uint64_t kSlotsAtOnce = 64;

// Room for that many, without an allocation for those of a block of a table.
class SlotRoom {
 public:
  explicit SlotRoom(uint64_t slots)
      : more_(slots > kFew ? new char[slots * kSlotBytes] : nullptr) {}
  char* get() { return more_ != nullptr ? more_.get() : few_; }

 private:
  static constexpr uint64_t kFew = 3;
  char few_[kFew * kSlotBytes];
  const std::unique_ptr<char[]> more_;
};

// Reads up to n bytes; fewer at the end of the file.
bool ReadAt(int descriptor, uint64_t offset, size_t n, char* to, size_t* got) {
  *got = 0;
  while (*got < n) {
    const ssize_t some = ::pread(descriptor, to + *got, n - *got,
                                 static_cast<off_t>(offset + *got));
    if (some < 0 && errno == EINTR) continue;
    if (some < 0) return false;
    if (some == 0) break;
    *got += static_cast<size_t>(some);
  }
  return true;
}

bool WriteAt(int descriptor, uint64_t offset, size_t n, const char* from) {
  for (size_t done = 0; done < n;) {
    const ssize_t some = ::pwrite(descriptor, from + done, n - done,
                                  static_cast<off_t>(offset + done));
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return false;
    done += static_cast<size_t>(some);
  }
  return true;
}

size_t BytesOfPage(uint64_t size, uint64_t page) {
  return static_cast<size_t>(
      std::min<uint64_t>(kPageBytes, size - page * kPageBytes));
}

}  // namespace

// The file's descriptor, or one for the time of a call.
class LocalFile::Opened {
 public:
  explicit Opened(const LocalFile& file)
      : kept_(file.descriptor_ >= 0),
        descriptor_(kept_ ? file.descriptor_
                          : ::open(file.path_.c_str(), O_RDWR | O_CLOEXEC)) {}
  ~Opened() {
    if (!kept_ && descriptor_ >= 0) ::close(descriptor_);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  const bool kept_;
  const int descriptor_;
};

LocalFile::LocalFile(std::string path, const std::string& key, bool stays_open)
    : path_(std::move(path)), seed_(PageHash(0, key.data(), key.size())) {
  const int descriptor =
      ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  exists_ = descriptor >= 0;
  if (stays_open) {
    descriptor_ = descriptor;
  } else if (exists_) {
    ::close(descriptor);
  }
}

LocalFile::~LocalFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

uint64_t LocalFile::HashOf(uint64_t page, const char* bytes, size_t n) const {
  return PageHash(seed_ + page, bytes, n);
}

LocalFile::Outcome LocalFile::Read(uint64_t size, uint64_t offset, size_t n,
                                   char* to) const {
  Outcome outcome;
  const Opened opened(*this);
  const uint64_t end = (offset + n - 1) / kPageBytes + 1;
  const uint64_t first = offset / kPageBytes;
  SlotRoom slots(std::min(end - first, kSlotsAtOnce));
  for (uint64_t begin = first; begin < end; begin += kSlotsAtOnce) {
    const uint64_t count = std::min(end - begin, kSlotsAtOnce);
    size_t got = 0;
    if (!ReadAt(opened.descriptor(), begin * kSlotBytes, count * kSlotBytes,
                slots.get(), &got)) {
      outcome.failed = true;
      return outcome;
    }
    for (uint64_t page = begin; page < begin + count; ++page) {
      const size_t slot = (page - begin) * kSlotBytes;
      const size_t bytes = BytesOfPage(size, page);
      if (slot + sizeof(uint64_t) + bytes > got) return outcome;
      const char* const content = slots.get() + slot + sizeof(uint64_t);
      uint64_t hash = 0;
      std::memcpy(&hash, slots.get() + slot, sizeof(hash));
      if (hash != HashOf(page, content, bytes)) {
        if (hash != 0) ++outcome.damaged;
        return outcome;
      }
      const uint64_t page_begin = page * kPageBytes;
      const uint64_t from = std::max(offset, page_begin);
      const uint64_t until = std::min(offset + n, page_begin + bytes);
      std::memcpy(to + (from - offset), content + (from - page_begin),
                  until - from);
    }
  }
  outcome.done = true;
  return outcome;
}

LocalFile::Outcome LocalFile::Write(uint64_t size, uint64_t offset, size_t n,
                                    const char* from) {
  Outcome outcome;
  const uint64_t first = (offset + kPageBytes - 1) / kPageBytes;
  uint64_t end = (offset + n) / kPageBytes;
  if (offset + n == size) end = (size + kPageBytes - 1) / kPageBytes;
  if (first >= end) {
    outcome.done = true;
    return outcome;
  }
  const Opened opened(*this);
  SlotRoom slots(std::min(end - first, kSlotsAtOnce));
  for (uint64_t begin = first; begin < end; begin += kSlotsAtOnce) {
    const uint64_t count = std::min(end - begin, kSlotsAtOnce);
    size_t filled = 0;
    for (uint64_t page = begin; page < begin + count; ++page) {
      const size_t bytes = BytesOfPage(size, page);
      const char* const content = from + (page * kPageBytes - offset);
      const uint64_t hash = HashOf(page, content, bytes);
      std::memcpy(slots.get() + filled, &hash, sizeof(hash));
      std::memcpy(slots.get() + filled + sizeof(hash), content, bytes);
      filled += sizeof(hash) + bytes;
    }
    if (!WriteAt(opened.descriptor(), begin * kSlotBytes, filled,
                 slots.get())) {
      outcome.failed = true;
      return outcome;
    }
    outcome.slots += count;
  }
  outcome.done = true;
  return outcome;
}

// A page that is written meanwhile stays, or is cut off and not here.
void LocalFile::Clear() {
  // If that fails, the pages stay where they are, and are right.
  const Opened opened(*this);
  const int cleared = ::ftruncate(opened.descriptor(), 0);
  static_cast<void>(cleared);
}

void WidenToPages(uint64_t size, uint64_t* offset, size_t* n) {
  const uint64_t begin = *offset - *offset % kPageBytes;
  const uint64_t last = (*offset + *n - 1) / kPageBytes;
  const uint64_t end = std::min(size, (last + 1) * kPageBytes);
  *offset = begin;
  *n = static_cast<size_t>(end - begin);
}

}  // namespace tamis::rados
