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

// The GNU C library allocates other thread_locals of a library at their first
// use, which a handler must not do. It has room for some that need none.
#if defined(__GLIBC__)
#define TAMIS_NEVER_ALLOCATED [[gnu::tls_model("initial-exec")]]
#else
#define TAMIS_NEVER_ALLOCATED
#endif

// The file out of whose mapping this thread copies; nullptr if it does not. The
// handler reads it in any thread, so it must need neither a constructor nor
// memory that is allocated at the first use. Atomic only for the compiler.
TAMIS_NEVER_ALLOCATED constinit thread_local std::atomic<const MappedFile*>
    tls_in_copy{nullptr};
#undef TAMIS_NEVER_ALLOCATED

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
