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
// An asynchronous window (ReadOptions::async_io) also has the next bytes read
// while the caller uses those that it has:
//
//   present  |tail of the last block|a|b|c|d|e|f|beginning of g|
//   ahead                                       | rest of g |h|i| ...
//
// The tail is copied in front of the bytes ahead, which then are the present.
// Nothing is read ahead if that may not complete the next block, judged by the
// last: if blocks are larger than what is prefetched, or than 64 KiB.
//
// One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tamis/file_system.h"

#include "util/io/aligned_buffer.h"
#include "util/io/async_reads.h"

namespace tamis {

class ReadaheadWindow {
 public:
  // 0 bytes means automatic.
  explicit ReadaheadWindow(size_t readahead_bytes, bool is_async = false)
      : readahead_bytes_(readahead_bytes), is_async_(is_async) {}

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

  // The bytes after those of the window, which may still be under way.
  struct Ahead {
    enum class State : uint8_t { kNone, kUnderWay, kDone };
    State state = State::kNone;
    FSReadRequest request;
    size_t capacity = 0;  // of buffer
    AlignedBuffer buffer;
    // Waits for the read before the buffer is freed. The read outlives the
    // iterator's Next.
    AsyncReads reads{ReadsEnd::kAnyTime};
  };
  // Begins to read up to `bytes` bytes after those of the window, which ends
  // with, or within, a block of `block_bytes`.
  void StartAhead(const RandomAccessFile& file, uint64_t file_size,
                  size_t bytes, size_t block_bytes);
  AlignedBuffer NewBuffer(size_t bytes, size_t alignment) const;
  // Makes the bytes ahead those of the window, with what it has of the block
  // before them. Returns false if they do not complete the block.
  bool TakeAhead(uint64_t offset, size_t n);
  void DropAhead() noexcept;

  const size_t readahead_bytes_;
  const bool is_async_;
  bool forward_ = true;
  int in_a_row_ = 0;       // sequential blocks requested
  size_t automatic_ = 0;   // bytes prefetched last
  uint64_t last_end_ = 0;  // end of the last block requested
  uint64_t begin_ = 0;     // file offset of the window
  size_t size_ = 0;        // bytes in the window
  char* data_ = nullptr;   // its bytes, in buffer_
  size_t capacity_ = 0;    // of buffer_
  AlignedBuffer buffer_;
  std::unique_ptr<Ahead> ahead_;  // nullptr until one is begun
};

}  // namespace tamis
