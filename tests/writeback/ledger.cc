// SPDX-License-Identifier: Apache-2.0
#include "tests/writeback/ledger.h"

#include <new>
#include <sys/mman.h>

namespace tamis::writeback {

Ledger* Ledger::New() {
  static_assert(std::atomic<uint32_t>::is_always_lock_free);
  void* const memory = ::mmap(nullptr, sizeof(Ledger), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : new (memory) Ledger();
}

void Ledger::Reset() {
  for (Thread& thread : threads) {
    thread.begun = thread.acknowledged = thread.durable = 0;
    for (auto& count : thread.wrote) count = 0;
  }
  for (Copy& copy : copies) copy.made = false;
  copies_begun = 0;
  opened = closed = false;
}

Counts Ledger::Acknowledged() const {
  Counts counts;
  for (size_t t = 0; t < kThreads; ++t) counts[t] = threads[t].acknowledged;
  return counts;
}

Counts Ledger::Wrote(size_t family) const {
  Counts counts;
  for (size_t t = 0; t < kThreads; ++t) counts[t] = threads[t].wrote[family];
  return counts;
}

void Ledger::Promise(const Counts& counts) {
  for (size_t t = 0; t < kThreads; ++t) {
    uint32_t before = threads[t].durable;
    while (before < counts[t] &&
           !threads[t].durable.compare_exchange_weak(before, counts[t])) {
    }
  }
}

}  // namespace tamis::writeback
