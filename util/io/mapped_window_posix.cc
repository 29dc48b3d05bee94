// SPDX-License-Identifier: Apache-2.0
//
// The handler may interrupt any thread at any point, so it takes no lock and
// reads a fixed-size table. A slot is filled in the order begin, failed, end,
// and cleared starting with end: a slot with end != 0 is complete.
#include <array>
#include <sys/mman.h>
#include <unistd.h>

#include "util/io/bus_error.h"
#include "util/io/mapped_window.h"
#include "util/io/zero_mapping.h"

namespace tamis {

namespace {

struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<uintptr_t> begin{0};
  std::atomic<uintptr_t> end{0};
  std::atomic<std::atomic<bool>*> failed{nullptr};
};

// Each open database maps one log at a time.
constexpr size_t kWindowsMax = 1024;

std::array<Slot, kWindowsMax> slots;
// Upper bound on the slots in use, for the handler's scan.
std::atomic<size_t> slots_used{0};

std::atomic<uintptr_t> page_bytes{0};

// Returns kWindowsMax if all slots are taken.
size_t TakeSlot() {
  for (size_t i = 0; i < kWindowsMax; ++i) {
    if (slots[i].taken.exchange(true)) continue;
    size_t used = slots_used.load();
    while (used <= i && !slots_used.compare_exchange_weak(used, i + 1)) {
    }
    return i;
  }
  return kWindowsMax;
}

}  // namespace

bool MappedWindow::HandleBusError(uintptr_t address) {
  const size_t used = slots_used.load(std::memory_order_acquire);
  for (size_t i = 0; i < used; ++i) {
    Slot& slot = slots[i];
    const uintptr_t end = slot.end.load(std::memory_order_acquire);
    const uintptr_t begin = slot.begin.load();
    // If the slot was filled anew meanwhile, `begin` is not of this window.
    if (address >= end || address < begin || slot.end.load() != end) continue;
    // A page in the middle of the window splits it, which the system refuses at
    // its limit of mappings. All of the window is replaced then.
    const uintptr_t bytes = page_bytes.load();
    void* const page = reinterpret_cast<void*>(address / bytes * bytes);
    if (!MapZeros(page, bytes, /*writable=*/true) &&
        !MapZerosAtTheLimit(reinterpret_cast<void*>(begin), end - begin,
                            /*writable=*/true)) {
      return false;
    }
    slot.failed.load()->store(true);
    return true;
  }
  return false;
}

bool MappedWindow::Map(int fd, uint64_t offset, size_t bytes) {
  page_bytes = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  if (!InstallBusErrorHandler() || !ReserveSpareMapping()) return false;
  const size_t taken = TakeSlot();
  if (taken == kWindowsMax) return false;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_SHARED, fd, static_cast<off_t>(offset));
  Slot& slot = slots[taken];
  if (memory == MAP_FAILED) {
    slot.taken.store(false);
    return false;
  }
  data_ = static_cast<char*>(memory);
  size_ = bytes;
  slot_ = taken;
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  slot.begin.store(begin);
  slot.failed.store(&failed_);
  slot.end.store(begin + bytes, std::memory_order_release);
  return true;
}

void MappedWindow::Unmap() {
  if (data_ == nullptr) return;
  Slot& slot = slots[slot_];
  slot.end.store(0);
  ::munmap(data_, size_);
  slot.taken.store(false);
  data_ = nullptr;
  size_ = 0;
}

}  // namespace tamis
