// SPDX-License-Identifier: Apache-2.0
#include "util/io/readahead_window.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "util/base/check.h"

namespace tamis {

namespace {

constexpr size_t kAutomaticMin = 8 << 10;
constexpr size_t kAutomaticMax = 256 << 10;
// A seek and a few steps fetch no more than they need.
constexpr int kBlocksReadAlone = 2;

}  // namespace

const char* ReadaheadWindow::Find(const RandomAccessFile& file,
                                  uint64_t file_size, uint64_t offset,
                                  size_t n) {
  TAMIS_DCHECK(offset <= file_size);
  TAMIS_DCHECK(n <= file_size - offset);
  if (!forward_) return nullptr;
  const uint64_t window_end = begin_ + size_;
  const bool touches = offset >= begin_ && offset <= window_end;
  const bool sequential = offset == last_end_ || (size_ > 0 && touches);
  last_end_ = offset + n;
  if (touches && last_end_ <= window_end) {
    return buffer_.data() + (offset - begin_);
  }
  const size_t behind = static_cast<size_t>(
      std::min<uint64_t>(NextReadahead(sequential), file_size - last_end_));
  if (behind > 0 && Fetch(file, offset, n, n + behind)) {
    return buffer_.data() + (offset - begin_);
  }
  size_ = 0;
  return nullptr;
}

void ReadaheadWindow::Forget() {
  size_ = 0;
  in_a_row_ = 0;
  automatic_ = 0;
}

size_t ReadaheadWindow::NextReadahead(bool sequential) {
  if (readahead_bytes_ != 0) return readahead_bytes_;
  if (!sequential) {
    in_a_row_ = 0;
    automatic_ = 0;
  }
  if (in_a_row_ < kBlocksReadAlone) {
    ++in_a_row_;
    return 0;
  }
  automatic_ = std::clamp(2 * automatic_, kAutomaticMin, kAutomaticMax);
  return automatic_;
}

// Keeps the overlap with the current window and reads only the rest. The window
// begins and ends at multiples of the alignment, unless the file ends before.
bool ReadaheadWindow::Fetch(const RandomAccessFile& file, uint64_t offset,
                            size_t n, size_t bytes) {
  TAMIS_DCHECK(n <= bytes);
  const size_t alignment = file.GetRequiredBufferAlignment();
  const uint64_t begin = AlignDown(offset, alignment);
  const auto wanted =
      static_cast<size_t>(AlignUp(offset + bytes, alignment) - begin);
  const bool overlaps = begin >= begin_ && begin < begin_ + size_;
  const char* const from = buffer_.data() + (overlaps ? begin - begin_ : 0);
  const size_t kept =
      overlaps ? static_cast<size_t>(begin_ + size_ - begin) : 0;
  TAMIS_DCHECK(kept <= wanted);
  if (wanted > capacity_) {
    AlignedBuffer larger(wanted, alignment);
    if (kept > 0) std::memcpy(larger.data(), from, kept);
    buffer_ = std::move(larger);
    capacity_ = wanted;
  } else if (kept > 0) {
    std::memmove(buffer_.data(), from, kept);
  }
  char* const rest = buffer_.data() + kept;
  Slice got;
  const Status status = file.Read(begin + kept, wanted - kept, &got, rest);
  const auto before = static_cast<size_t>(offset - begin);
  if (!status.ok() || kept + got.size() < before + n) {
    Forget();
    return false;
  }
  if (got.data() != rest) std::memcpy(rest, got.data(), got.size());
  begin_ = begin;
  size_ = kept + got.size();
  return true;
}

}  // namespace tamis
