// SPDX-License-Identifier: Apache-2.0
//
// A window into a file, mapped for writing, that survives what takes the file
// away below it. Where a page cannot be written any more (another process cut
// the file, the device failed), a store there raises SIGBUS, which would end
// the process. Here the page is replaced by one of the process's own, the store
// goes there, and failed() says so.
//
// The handler is installed with the first window, for the whole process, and
// passes on what is not of a window to the one that was there before. One that
// a program installs later takes its place: then such a store ends the process.
//
// Map and Unmap: one thread at a time. failed(): as who stores.
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

  // False: it cannot be mapped, or too many windows are.
  // REQUIRES: nothing is mapped; the offset is a multiple of the page size.
  bool Map(int fd, uint64_t offset, size_t bytes);
  // Keeps failed().
  void Unmap();

  char* data() const { return data_; }
  size_t size() const { return size_; }
  // Whether a store since the first Map went nowhere.
  bool failed() const { return failed_.load(std::memory_order_relaxed); }

 private:
  char* data_ = nullptr;  // nullptr: nothing is mapped
  size_t size_ = 0;
  size_t slot_ = 0;  // of the handler's list
  std::atomic<bool> failed_{false};
};

}  // namespace tamis
