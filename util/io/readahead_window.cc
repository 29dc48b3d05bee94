// SPDX-License-Identifier: Apache-2.0
#include "util/io/readahead_window.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "util/base/check.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

constexpr size_t kAutomaticMin = 8 << 10;
constexpr size_t kAutomaticMax = 256 << 10;
// A seek and a few steps fetch no more than they need.
constexpr int kBlocksReadAlone = 2;
// What an asynchronous window can keep of a block that ends in the bytes ahead.
// A multiple of every alignment.
constexpr size_t kTailMax = 64 << 10;

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
    return data_ + (offset - begin_);
  }
  const size_t readahead = NextReadahead(sequential);
  if (touches && TakeAhead(offset, n)) {
    StartAhead(file, file_size, readahead, n);
    return data_ + (offset - begin_);
  }
  DropAhead();
  const size_t behind =
      static_cast<size_t>(std::min<uint64_t>(readahead, file_size - last_end_));
  if (behind > 0 && Fetch(file, offset, n, n + behind)) {
    if (is_async_) StartAhead(file, file_size, readahead, n);
    return data_ + (offset - begin_);
  }
  size_ = 0;
  return nullptr;
}

void ReadaheadWindow::Forget() {
  DropAhead();
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
  const char* const from = data_ + (overlaps ? begin - begin_ : 0);
  const size_t kept =
      overlaps ? static_cast<size_t>(begin_ + size_ - begin) : 0;
  TAMIS_DCHECK(kept <= wanted);
  if (wanted > capacity_) {
    AlignedBuffer larger = NewBuffer(wanted, alignment);
    if (kept > 0) std::memcpy(larger.data(), from, kept);
    buffer_ = std::move(larger);
    capacity_ = wanted;
  } else if (kept > 0) {
    std::memmove(buffer_.data(), from, kept);
  }
  data_ = buffer_.data();
  char* const rest = buffer_.data() + kept;
  Slice got;
  size_ = 0;  // Read may throw
  const Status status =
      file_io::Read(file, begin + kept, wanted - kept, &got, rest);
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

void ReadaheadWindow::DropAhead() noexcept {
  if (ahead_ == nullptr) return;
  if (std::exchange(ahead_->state, Ahead::State::kNone) ==
      Ahead::State::kUnderWay) {
    ahead_->reads.Drop(&ahead_->request);
  }
}

// What is read ahead must be in pages of its own (WholePages). A buffer of the
// window is of the next read ahead, once.
AlignedBuffer ReadaheadWindow::NewBuffer(size_t bytes, size_t alignment) const {
  return is_async_ && alignment > 1 ? WholePages(bytes, alignment)
                                    : AlignedBuffer(bytes, alignment);
}

void ReadaheadWindow::StartAhead(const RandomAccessFile& file,
                                 uint64_t file_size, size_t bytes,
                                 size_t block_bytes) {
  const size_t alignment = file.GetRequiredBufferAlignment();
  const uint64_t begin = begin_ + size_;
  if (bytes < block_bytes || block_bytes > kTailMax || begin >= file_size ||
      alignment > kTailMax) {
    return;
  }
  const auto n = static_cast<size_t>(
      std::min(AlignUp(begin + bytes, alignment), file_size) - begin);
  if (ahead_ == nullptr) ahead_ = std::make_unique<Ahead>();
  if (ahead_->capacity < kTailMax + n) {
    ahead_->buffer = NewBuffer(kTailMax + n, alignment);
    ahead_->capacity = kTailMax + n;
  }
  ahead_->request = {.offset = begin,
                     .len = n,
                     .scratch = ahead_->buffer.data() + kTailMax,
                     .result = {},
                     .status = {}};
  ahead_->state = file_io::ReadAsync(file, &ahead_->request, &ahead_->reads)
                      ? Ahead::State::kDone
                      : Ahead::State::kUnderWay;
}

bool ReadaheadWindow::TakeAhead(uint64_t offset, size_t n) {
  if (ahead_ == nullptr || ahead_->state == Ahead::State::kNone) return false;
  const uint64_t end = begin_ + size_;
  const auto tail = static_cast<size_t>(end - offset);
  FSReadRequest& request = ahead_->request;
  if (tail > kTailMax || tail + request.len < n) return false;
  TAMIS_DCHECK(request.offset == end);
  // The read may throw; nothing is ahead then, too.
  if (std::exchange(ahead_->state, Ahead::State::kNone) ==
      Ahead::State::kUnderWay) {
    ahead_->reads.Finish(&request);
  }
  const Slice& got = request.result;
  if (!request.status.ok() || tail + got.size() < n) return false;
  if (got.data() != request.scratch) {
    std::memcpy(request.scratch, got.data(), got.size());
  }
  char* const data = request.scratch - tail;
  if (tail > 0) std::memcpy(data, data_ + (offset - begin_), tail);
  std::swap(buffer_, ahead_->buffer);
  std::swap(capacity_, ahead_->capacity);
  data_ = data;
  begin_ = offset;
  size_ = tail + got.size();
  return true;
}

}  // namespace tamis
