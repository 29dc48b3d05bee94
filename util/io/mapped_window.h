// SPDX-License-Identifier: Apache-2.0
//
// A MappedWindow is a writable mapping of a range of a file. Stores to it do
// not crash the process if the file fails. A store to a page that can no longer
// be written (another process truncated the file, or the device failed) raises
// SIGBUS. The handler (util/io/bus_error.h) then replaces the page with private
// memory, or the whole window if the process has no mapping left for a page of
// its own: the store succeeds but never reaches the file, and failed() returns
// true.
//
// Threads: Map, Unmap, failed() and stores from one thread at a time.
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

  // Returns false if the system refused the mapping, the handler or the spare
  // mapping (util/io/zero_mapping.h), or if the process has too many windows.
  // REQUIRES: nothing is mapped; the offset is a multiple of the page size.
  bool Map(int fd, uint64_t offset, size_t bytes);
  // Does not reset failed().
  void Unmap();

  char* data() const { return data_; }
  size_t size() const { return size_; }
  // Returns whether any store since the first Map did not reach the file.
  bool failed() const { return failed_.load(std::memory_order_relaxed); }

  // Replaces the page at `address`, or its window, by private memory. Returns
  // false if it is in no window, or if the system refuses. For the handler of
  // SIGBUS.
  static bool HandleBusError(uintptr_t address);

 private:
  char* data_ = nullptr;  // nullptr if nothing is mapped
  size_t size_ = 0;
  size_t slot_ = 0;  // in the handler's table
  std::atomic<bool> failed_{false};
};

}  // namespace tamis
