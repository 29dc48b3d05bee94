// SPDX-License-Identifier: Apache-2.0
#include "util/readahead_file.h"

#include <cstring>
#include <utility>

namespace tamis {

Status ReadaheadFile::Read(uint64_t offset, size_t n, Slice* result,
                           char* scratch) const {
  const uint64_t window_end = window_begin_ + window_.size();
  const bool goes_on =
      (offset >= window_begin_ && offset <= window_end) || offset == last_end_;
  if (!IsInWindow(offset, n) && goes_on && n < window_bytes_) {
    if (buffer_ == nullptr) {
      buffer_ = std::make_unique_for_overwrite<char[]>(window_bytes_);
    }
    // An error may be of bytes that nobody asked for: the read below tells.
    if (!file_->Read(offset, window_bytes_, &window_, buffer_.get()).ok()) {
      window_ = Slice();
    }
    window_begin_ = offset;
  }
  if (IsInWindow(offset, n)) {
    std::memcpy(scratch, window_.data() + (offset - window_begin_), n);
    *result = Slice(scratch, n);
    return Status::OK();
  }
  last_end_ = offset + n;
  return file_->Read(offset, n, result, scratch);
}

}  // namespace tamis
