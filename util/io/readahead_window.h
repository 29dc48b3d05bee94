// SPDX-License-Identifier: Apache-2.0
//
// What one walk forward over a file has read ahead. Blocks are asked for one
// by one; those that go on where the last one ended are fetched together with
// what follows them, more of it each time:
//
//   asked     |a|b|c|d|e|f|g|h|i|j| ...
//   fetched   |a|b|c . . .|. . . . . . . .| ...
//                  8 KiB       16 KiB   ... up to 256 KiB behind the block
//
// or, when the user said how much, that much from the first block on. A block
// elsewhere begins anew; the window of before goes when something else is
// fetched. Blocks that the walk has from the cache are not asked for here: it
// goes on behind them as long as they stand in the window.
//
// One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tamis/file_system.h"

namespace tamis {

class ReadaheadWindow {
 public:
  // 0: automatic.
  explicit ReadaheadWindow(size_t readahead_bytes)
      : readahead_bytes_(readahead_bytes) {}

  // A walk that turns backward wants nothing of what follows.
  void set_forward(bool forward) { forward_ = forward; }

  // The block of n bytes at `offset`, until the next call. nullptr: it is to be
  // read by itself: nothing is known to follow, or it could not be fetched, and
  // then the read that asks for no more than the block tells what is wrong.
  // REQUIRES: it lies within the file; the same file every time.
  const char* Find(const RandomAccessFile& file, uint64_t file_size,
                   uint64_t offset, size_t n);

  // What it holds did not do: the next reads are of the file, block by block.
  void Forget();

 private:
  // How much to fetch behind a block that is not in the window.
  size_t NextReadahead(bool goes_on);
  bool Fetch(const RandomAccessFile& file, uint64_t offset, size_t n,
             size_t bytes);

  const size_t readahead_bytes_;
  bool forward_ = true;
  int in_a_row_ = 0;       // blocks asked for, each where the last one ended
  size_t automatic_ = 0;   // bytes fetched behind the last block
  uint64_t last_end_ = 0;  // of the last block asked for
  uint64_t begin_ = 0;     // of the window in the file
  size_t size_ = 0;        // of the window
  size_t capacity_ = 0;    // of buffer_
  std::unique_ptr<char[]> buffer_;
};

}  // namespace tamis
