// SPDX-License-Identifier: Apache-2.0
//
// A MappedFile copies bytes out of a read-only mapping of a file. A copy saves
// the system call of a read. Unlike the mapping, the copy cannot change between
// the check of a block's checksum and its use, whatever other processes do to
// the file.
//
// Access to a page that cannot be read raises SIGBUS. This happens if another
// process truncated the file, or if the device failed. The handler
// (util/io/bus_error.h) marks the file as failed and replaces its mapping by
// zeros. The interrupted copy continues. Copy then returns false, in this
// thread and in every thread that was copying at the same time. A thread_local
// tells the handler that its thread is in Copy. No other code accesses the
// mapping.
//
//   Copy   in_copy = this | memcpy | in_copy = outer | failed?
//                             ^ SIGBUS: failed = true, then zeros
//
// The handler returns to the copy instead of jumping out of it by siglongjmp.
// A copy therefore costs only two stores and four loads more than memcpy, and
// sanitizers see an ordinary program.
//
// The kernel ends a process in which a thread that blocks SIGBUS faults, so
// such a thread does not copy. The check is a system call; it is made at the
// first copy of a thread, and by CanCopy on request. A thread must not block
// SIGBUS in between.
//
// Threads: one thread calls Map; once it has returned, any thread may call the
// other functions.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tamis {

class MappedFile {
 public:
  MappedFile() = default;
  // Unmaps.
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Maps the first `bytes` bytes of the file. Returns false if the system
  // refuses the mapping, the handler or the spare mapping
  // (util/io/zero_mapping.h), as it does when address space or mappings run
  // out.
  // REQUIRES: nothing is mapped; bytes > 0.
  bool Map(int fd, size_t bytes);

  // Has each page that is not in memory read alone, not with its neighbours.
  // Linux then takes no access to the mapping for a recent use of the page.
  // REQUIRES: the file is mapped.
  void AdviseRandom() const;

  // The number of bytes mapped.
  size_t size() const { return size_; }
  // Returns whether a page could not be read. All later copies then fail.
  bool failed() const { return failed_.load(std::memory_order_relaxed); }

  // Returns false if a copy by the calling thread would fail for certain: one
  // has failed, or the thread blocks SIGBUS. If `checks_mask`, asks the system
  // for the thread's signal mask anew; else remembers that SIGBUS was once not
  // blocked.
  bool CanCopy(bool checks_mask) const;

  // Copies the n bytes at `offset` to `out`. Returns false if they could not be
  // read, or if the calling thread blocks SIGBUS; `out` then has unspecified
  // contents.
  // REQUIRES: the bytes are mapped.
  bool Copy(size_t offset, size_t n, char* out) const;

  // If the calling thread is copying out of a mapping that contains `address`,
  // marks the file as failed and replaces the mapping by zeros. Returns false
  // if it is not, or if the system refuses. Called by the handler of SIGBUS.
  static bool HandleBusError(uintptr_t address);

 private:
  char* data_ = nullptr;
  size_t size_ = 0;
  mutable std::atomic<bool> failed_{false};
};

}  // namespace tamis
