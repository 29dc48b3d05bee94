// SPDX-License-Identifier: Apache-2.0
#include "tests/process/failures.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <stdexcept>

namespace tamis::process {

namespace {

constexpr uint64_t kOff = 0;

std::atomic<Failures::Kind> kind_armed{Failures::Kind::kAllocation};
std::atomic<uint64_t> left{kOff};  // 1: the next one
std::atomic<bool> fired{false};
constinit thread_local int paused = 0;

// Whether this one is to fail.
bool Count(bool all_after) {
  uint64_t n = left.load(std::memory_order_relaxed);
  do {
    if (n == kOff) return false;
    if (n == 1 && all_after) break;
  } while (!left.compare_exchange_weak(n, n - 1, std::memory_order_relaxed));
  if (n != 1) return false;
  fired.store(true);
  return true;
}

bool AllocationFails() {
  if (left.load(std::memory_order_relaxed) == kOff || paused > 0) return false;
  const Failures::Kind kind = kind_armed.load(std::memory_order_relaxed);
  return kind != Failures::Kind::kCallback &&
         Count(kind == Failures::Kind::kAllocationsOn);
}

}  // namespace

void Failures::Arm(Kind kind, uint64_t n) {
  kind_armed = kind;
  fired = false;
  left = n;
}

bool Failures::Disarm() {
  left = kOff;
  return fired;
}

void Failures::Callback() {
  if (kind_armed != Kind::kCallback || left == kOff || paused > 0) return;
  if (Count(/*all_after=*/false)) {
    const Pause pause;
    throw std::runtime_error("thrown on purpose");
  }
}

Failures::Pause::Pause() { ++paused; }
Failures::Pause::~Pause() { --paused; }

namespace {

void* AllocateOrNull(size_t bytes, size_t alignment) noexcept {
  if (AllocationFails()) return nullptr;
  if (bytes == 0) bytes = 1;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes);
  return std::aligned_alloc(alignment,
                            (bytes + alignment - 1) / alignment * alignment);
}

void* Allocate(size_t bytes, size_t alignment) {
  void* const memory = AllocateOrNull(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

}  // namespace tamis::process

using tamis::process::Allocate;
using tamis::process::AllocateOrNull;

void* operator new(size_t n) { return Allocate(n, 1); }
void* operator new[](size_t n) { return Allocate(n, 1); }
void* operator new(size_t n, std::align_val_t a) {
  return Allocate(n, static_cast<size_t>(a));
}
void* operator new[](size_t n, std::align_val_t a) {
  return Allocate(n, static_cast<size_t>(a));
}
void* operator new(size_t n, const std::nothrow_t&) noexcept {
  return AllocateOrNull(n, 1);
}
void* operator new[](size_t n, const std::nothrow_t&) noexcept {
  return AllocateOrNull(n, 1);
}
void* operator new(size_t n, std::align_val_t a,
                   const std::nothrow_t&) noexcept {
  return AllocateOrNull(n, static_cast<size_t>(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete[](void* p, size_t, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
