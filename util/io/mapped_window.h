// SPDX-License-Identifier: Apache-2.0
//
// A window into a file, mapped for writing, whose stores do not end the process
// when the file fails. A store to a page that cannot be written any more
// (another process truncated the file, or the device failed) raises SIGBUS. A
// handler then replaces the page by private memory, the store goes there and is
// lost to the file, and failed() returns true.
//
// The first window installs the handler, for the whole process. The handler
// passes faults outside windows to the handler that was installed before. A
// program that later installs its own handler, and does not call this one,
// loses the protection: such a store then ends the process.
//
// Threads: one at a time calls Map, Unmap and failed(), and stores.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tamis {

class MappedWindow {
 public:
  MappedWindow() = default;
  ~MappedWindow() { Unmap(); }
  MappedWindow(const MappedWindow&) = delete;
  MappedWindow& operator=(const MappedWindow&) = delete;

  // False: the system refused the mapping or the handler, or the process has
  // too many windows.
  // REQUIRES: nothing is mapped; the offset is a multiple of the page size.
  bool Map(int fd, uint64_t offset, size_t bytes);
  // Does not reset failed().
  void Unmap();

  char* data() const { return data_; }
  size_t size() const { return size_; }
  // Whether any store since the first Map did not reach the file.
  bool failed() const { return failed_.load(std::memory_order_relaxed); }

 private:
  char* data_ = nullptr;  // nullptr: nothing is mapped
  size_t size_ = 0;
  size_t slot_ = 0;  // in the handler's list
  std::atomic<bool> failed_{false};
};

}  // namespace tamis
