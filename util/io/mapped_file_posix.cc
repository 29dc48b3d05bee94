// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>

#include "util/io/bus_error.h"
#include "util/io/mapped_file.h"
#include "util/io/zero_mapping.h"

namespace tamis {

namespace {

// The file that this thread is copying from; nullptr if there is none. The
// handler may read the variable in any thread, so access to it must not run a
// constructor or allocate memory: hence initial-exec. It is atomic so that the
// compiler expects the handler to read it; no other thread does.
[[gnu::tls_model(
    "initial-exec")]] constinit thread_local std::atomic<const MappedFile*>
    tls_in_copy{nullptr};
// Whether this thread did not block SIGBUS when that was last checked.
constinit thread_local bool tls_gets_bus_errors = false;

bool GetsBusErrors() {
  sigset_t blocked;
  tls_gets_bus_errors =
      ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked) == 0 &&
      ::sigismember(&blocked, SIGBUS) == 0;
  return tls_gets_bus_errors;
}

}  // namespace

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

bool MappedFile::Map(int fd, size_t bytes) {
  if (!InstallBusErrorHandler() || !ReserveSpareMapping()) return false;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return false;
  data_ = static_cast<char*>(memory);
  size_ = bytes;
  return true;
}

void MappedFile::AdviseRandom() const {
  static_cast<void>(::madvise(data_, size_, MADV_RANDOM));
}

bool MappedFile::CanCopy(bool checks_mask) const {
  if (failed()) return false;
  return (tls_gets_bus_errors && !checks_mask) || GetsBusErrors();
}

bool MappedFile::Copy(size_t offset, size_t n, char* out) const {
  if (!CanCopy(/*checks_mask=*/false)) return false;
  const MappedFile* const outer = tls_in_copy.load(std::memory_order_relaxed);
  tls_in_copy.store(this, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  std::memcpy(out, data_ + offset, n);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  tls_in_copy.store(outer, std::memory_order_relaxed);
  // A copy of zeros that another thread's handler mapped happens after that
  // handler set failed_.
#if !defined(__SANITIZE_THREAD__)  // ThreadSanitizer does not support fences
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
  return !failed();
}

// All of the mapping is replaced: a page in its middle would split it, which
// takes two more mappings, and the process may have as many as it may have.
bool MappedFile::HandleBusError(uintptr_t address) {
  const MappedFile* const file = tls_in_copy.load(std::memory_order_relaxed);
  if (file == nullptr) return false;
  const auto begin = reinterpret_cast<uintptr_t>(file->data_);
  if (address < begin || address - begin >= file->size_) return false;
  file->failed_.store(true);
  return MapZerosAtTheLimit(file->data_, file->size_, /*writable=*/false);
}

}  // namespace tamis
