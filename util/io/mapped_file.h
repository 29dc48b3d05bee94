// SPDX-License-Identifier: Apache-2.0
//
// A MappedFile copies bytes out of a read-only mapping of a file. That saves
// the system call of a read, and the copy cannot change between the check of a
// block's checksum and its use, whatever other processes do to the file.
//
// A page that cannot be read (another process truncated the file, or the device
// failed) raises SIGBUS. The handler (util/io/bus_error.h) marks the file as
// failed and replaces its mapping by zeros. The interrupted copy continues, and
// Copy then returns false, in this thread and in any that copied at the same
// time. The handler knows by a thread_local that a copy is under way: other
// accesses to the mapping are not protected, and there are none.
//
//   Copy   in_copy = this | memcpy | in_copy = outer | failed?
//                             ^ SIGBUS: failed = true, then zeros
//
// Nothing is jumped over, so that a copy costs two stores and a load more than
// memcpy, and sanitizers see an ordinary program.
//
// A fault in a thread that blocks SIGBUS ends the process: such a thread does
// not copy. It must not block the signal after its first copy.
//
// Threads: Map first; then any.
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

  // Maps the first `bytes` bytes of the file for reads at random offsets: a
  // page that is not in memory is read alone. Returns false if the system
  // refuses the mapping or the handler, as it does when address space or
  // mappings run out.
  // REQUIRES: nothing is mapped; bytes > 0.
  bool Map(int fd, size_t bytes);

  // The number of bytes mapped.
  size_t size() const { return size_; }
  // Returns whether a copy has failed. All later ones then fail.
  bool failed() const { return failed_.load(std::memory_order_relaxed); }

  // Copies the n bytes at `offset` to `out`. Returns false if they could not be
  // read, or if the calling thread blocks SIGBUS; `out` then has unspecified
  // contents.
  // REQUIRES: the bytes are mapped.
  bool Copy(size_t offset, size_t n, char* out) const;

  // If the calling thread copies out of a mapping that contains `address`,
  // marks the file as failed and replaces the mapping. Returns false otherwise,
  // or if the system refuses. For the handler of SIGBUS.
  static bool HandleBusError(uintptr_t address);

 private:
  char* data_ = nullptr;
  size_t size_ = 0;
  mutable std::atomic<bool> failed_{false};
};

}  // namespace tamis
