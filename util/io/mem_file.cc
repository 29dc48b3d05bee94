// SPDX-License-Identifier: Apache-2.0
#include "util/io/mem_file.h"

#include <algorithm>
#include <cstring>

namespace tamis {

size_t MemFile::Read(uint64_t offset, size_t n, char* to) const {
  MutexLock lock(&mutex_);
  if (offset >= size_) return 0;
  n = static_cast<size_t>(std::min<uint64_t>(n, size_ - offset));
  for (size_t done = 0; done < n;) {
    const size_t at = (offset + done) % kChunkBytes;
    const size_t some = std::min(n - done, kChunkBytes - at);
    std::memcpy(to + done, chunks_[(offset + done) / kChunkBytes].get() + at,
                some);
    done += some;
  }
  return n;
}

void MemFile::Append(const Slice& data) {
  MutexLock lock(&mutex_);
  // First all memory: if there is too little, nothing has changed.
  const size_t chunks = (size_ + data.size() + kChunkBytes - 1) / kChunkBytes;
  while (chunks_.size() < chunks) {
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(kChunkBytes));
  }
  for (Slice left = data; !left.empty();) {
    const size_t at = size_ % kChunkBytes;
    const size_t some = std::min(left.size(), kChunkBytes - at);
    std::memcpy(chunks_[size_ / kChunkBytes].get() + at, left.data(), some);
    left.remove_prefix(some);
    size_ += some;
  }
  modified_at_ = clock_->NowMicros();
}

bool MemFile::Truncate(uint64_t size) {
  MutexLock lock(&mutex_);
  if (size > size_) return false;
  size_ = size;
  chunks_.resize((size + kChunkBytes - 1) / kChunkBytes);
  modified_at_ = clock_->NowMicros();
  return true;
}

uint64_t MemFile::size() const {
  MutexLock lock(&mutex_);
  return size_;
}

uint64_t MemFile::modified_at() const {
  MutexLock lock(&mutex_);
  return modified_at_;
}

}  // namespace tamis
