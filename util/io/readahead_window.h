// SPDX-License-Identifier: Apache-2.0
//
// A ReadaheadWindow prefetches for one forward iteration over a file. The
// caller requests blocks one at a time. From the third block of a sequence on,
// a block is fetched together with the bytes after it, twice as many each time:
//
//   requested |a|b|c|d|e|f|g|h|i|j| ...
//   fetched   |a|b|c . . .|. . . . . . . .| ...
//                  8 KiB       16 KiB   ... up to 256 KiB beyond the block
//
// If the file requires an alignment (direct reads), the window begins and ends
// at multiples of the alignment, and still reads no byte twice.
//
// A size set by the user applies from the first block on. A block elsewhere
// restarts the sequence; the window is kept until the next fetch. Cached blocks
// are not requested here: the sequence continues after them if the next block
// starts within the window.
//
// One thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tamis/file_system.h"

#include "util/io/aligned_buffer.h"

namespace tamis {

class ReadaheadWindow {
 public:
  // 0 means automatic.
  explicit ReadaheadWindow(size_t readahead_bytes)
      : readahead_bytes_(readahead_bytes) {}

  // Sets the direction. Backward, nothing is prefetched.
  void set_forward(bool forward) { forward_ = forward; }

  // Returns the block of n bytes at `offset`, valid until the next call.
  // Returns nullptr if the caller must read the block alone, because no
  // prefetching is due or the fetch failed; the caller's read then reports the
  // error.
  // REQUIRES: the block is within the file; the same file every time.
  const char* Find(const RandomAccessFile& file, uint64_t file_size,
                   uint64_t offset, size_t n);

  // Discards a window whose contents were bad. The next blocks are read alone.
  void Forget();

 private:
  // Returns the bytes to fetch beyond a block that is not in the window.
  size_t NextReadahead(bool sequential);
  bool Fetch(const RandomAccessFile& file, uint64_t offset, size_t n,
             size_t bytes);

  const size_t readahead_bytes_;
  bool forward_ = true;
  int in_a_row_ = 0;       // sequential blocks requested
  size_t automatic_ = 0;   // bytes prefetched last
  uint64_t last_end_ = 0;  // end of the last block requested
  uint64_t begin_ = 0;     // file offset of the window
  size_t size_ = 0;        // bytes in the window
  size_t capacity_ = 0;    // of buffer_
  AlignedBuffer buffer_;
};

}  // namespace tamis
