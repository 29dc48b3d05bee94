// SPDX-License-Identifier: Apache-2.0
//
// A MemFile is the bytes of a file in memory, in chunks: a file that grows
// moves none of its bytes, and takes little more memory than it has.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tamis/clock.h"
#include "tamis/slice.h"

#include "util/base/mutex.h"

namespace tamis {

class MemFile {
 public:
  MemFile() = default;
  MemFile(const MemFile&) = delete;
  MemFile& operator=(const MemFile&) = delete;

  // Copies up to n bytes to `to`. Returns how many; fewer mean the end.
  size_t Read(uint64_t offset, size_t n, char* to) const EXCLUDES(mutex_);
  void Append(const Slice& data) EXCLUDES(mutex_);
  // Keeps the first bytes. Returns false if there are not as many.
  bool Truncate(uint64_t size) EXCLUDES(mutex_);

  uint64_t size() const EXCLUDES(mutex_);
  // Returns when the bytes last changed, in microseconds since 1970.
  uint64_t modified_at() const EXCLUDES(mutex_);

 private:
  static constexpr size_t kChunkBytes = 64 << 10;

  const std::shared_ptr<Clock> clock_ = NewSystemClock();
  mutable Mutex mutex_;
  std::vector<std::unique_ptr<char[]>> chunks_ GUARDED_BY(mutex_);
  uint64_t size_ GUARDED_BY(mutex_) = 0;
  uint64_t modified_at_ GUARDED_BY(mutex_) = 0;
};

}  // namespace tamis
