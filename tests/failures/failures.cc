// SPDX-License-Identifier: Apache-2.0
#include "tests/failures/failures.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <stdexcept>

namespace tamis {

namespace {

using Kind = Failures::Kind;

constexpr uint64_t kOff = 0;

std::atomic<uint64_t> allocations_seen{0};
std::atomic<uint64_t> callbacks_seen{0};
std::atomic<uint64_t> threads_seen{0};

std::atomic<Kind> kind_armed{Kind::kAllocation};
std::atomic<uint64_t> target{kOff};  // the number of the one to fail
std::atomic<bool> has_fired{false};
constinit thread_local int paused = 0;

bool Fires() {
  has_fired.store(true, std::memory_order_relaxed);
  return true;
}

// Counts it. Whether it is to fail.
bool AllocationFails() {
  if (paused > 0) return false;
  const uint64_t n = ++allocations_seen;
  const uint64_t at = target.load(std::memory_order_relaxed);
  if (at == kOff || n < at) return false;
  const Kind kind = kind_armed.load(std::memory_order_relaxed);
  if (kind == Kind::kAllocationsOn || (kind == Kind::kAllocation && n == at)) {
    return Fires();
  }
  return false;
}

// Of the others one fails.
bool OneFails(Kind kind, std::atomic<uint64_t>* seen) {
  if (paused > 0) return false;
  const uint64_t n = ++*seen;
  return kind_armed.load(std::memory_order_relaxed) == kind &&
         n == target.load(std::memory_order_relaxed) && Fires();
}

const std::atomic<uint64_t>& Counter(Kind kind) {
  return kind == Kind::kCallback ? callbacks_seen
         : kind == Kind::kThread ? threads_seen
                                 : allocations_seen;
}

}  // namespace

void Failures::Arm(Kind kind, uint64_t n) {
  target = kOff;
  kind_armed = kind;
  has_fired = false;
  target = Counter(kind) + n;
}

bool Failures::Disarm() {
  target = kOff;
  return has_fired;
}

bool Failures::fired() { return has_fired; }

void Failures::Callback() {
  if (!OneFails(Kind::kCallback, &callbacks_seen)) return;
  const Pause pause;
  throw std::runtime_error("thrown on purpose");
}

bool Failures::ThreadFails() { return OneFails(Kind::kThread, &threads_seen); }

Failures::Counts Failures::Seen() {
  return {allocations_seen, callbacks_seen, threads_seen};
}

Failures::Pause::Pause() { ++paused; }
Failures::Pause::~Pause() { --paused; }
Failures::Unpause::Unpause() { --paused; }
Failures::Unpause::~Unpause() { ++paused; }

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

}  // namespace tamis

using tamis::Allocate;
using tamis::AllocateOrNull;

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
