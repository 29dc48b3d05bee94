// SPDX-License-Identifier: Apache-2.0
//
// A record distinguishes a process from its forked children: fork resets it to
// 0 in the child, by wiping its page (Linux) or by an atfork handler.
#include <new>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

#include "util/base/process.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TAMIS_HAVE_LSAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TAMIS_HAVE_LSAN
#endif
#if defined(TAMIS_HAVE_LSAN)
#include <sanitizer/lsan_interface.h>
#endif

namespace tamis {

namespace {

using Record = ProcessRecord;

// Returns a record that every kind of fork resets, including _Fork and clone;
// nullptr if that is unavailable.
Record* NewRecordOnWipedPage() {
#if defined(MADV_WIPEONFORK)
  void* const page = ::mmap(nullptr, sizeof(Record), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  if (::madvise(page, sizeof(Record), MADV_WIPEONFORK) == 0) {
    return new (page) Record();
  }
  ::munmap(page, sizeof(Record));
#endif
  return nullptr;
}

Record* NewRecord() {
  if (Record* const record = NewRecordOnWipedPage()) return record;
  static Record record;
  ::pthread_atfork(nullptr, nullptr, [] {
    record.generation.store(0, std::memory_order_relaxed);
    record.pid.store(0, std::memory_order_relaxed);
  });
  return &record;
}

// Never freed: an OwnerProcess may be used until the process ends. Threads that
// race here may each map a page; all use the same one. None waits (see
// util/base/immortal.h).
Record* CurrentRecord() {
  static constinit std::atomic<Record*> kept{nullptr};
  Record* record = kept.load(std::memory_order_acquire);
  if (record != nullptr) return record;
  Record* const made = NewRecord();
  return kept.compare_exchange_strong(record, made, std::memory_order_acq_rel,
                                      std::memory_order_acquire)
             ? made
             : record;
}

uint64_t GenerationIn(Record* current) {
  // fork copies the counter, so a child gets a generation that no ancestor had
  // at the time of the fork.
  static std::atomic<uint64_t> last{0};
  uint64_t generation = current->generation.load(std::memory_order_acquire);
  if (generation != 0) return generation;
  const uint64_t fresh = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return current->generation.compare_exchange_strong(generation, fresh)
             ? fresh
             : generation;
}

// Asks the system once in each process.
int64_t PidIn(Record* current) {
  int64_t pid = current->pid.load(std::memory_order_relaxed);
  if (pid == 0) {
    pid = ::getpid();
    current->pid.store(pid, std::memory_order_relaxed);
  }
  return pid;
}

}  // namespace

OwnerProcess::OwnerProcess()
    : current_(CurrentRecord()),
      generation_(GenerationIn(CurrentRecord())),
      pid_(PidIn(CurrentRecord())) {}

Status OfOtherProcess(const Slice& what, const OwnerProcess& owner) {
  return Status::NotSupported(
      what, "it belongs to process " + std::to_string(owner.pid()) +
                ", from which this process (" + std::to_string(::getpid()) +
                ") was forked; open it in this process");
}

void IgnoreLeakOf([[maybe_unused]] const void* object) {
#if defined(TAMIS_HAVE_LSAN)
  __lsan_ignore_object(object);
#endif
}

unsigned UsableCores() {
#if defined(__linux__)
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof(cores), &cores) == 0) {
    return static_cast<unsigned>(CPU_COUNT(&cores));
  }
#endif
  return std::thread::hardware_concurrency();
}

}  // namespace tamis
