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

std::atomic<uint64_t> allocations_seen{0};
std::atomic<uint64_t> callbacks_seen{0};
std::atomic<uint64_t> threads_seen{0};

enum class Mode : uint8_t { kOff, kNth, kRandom };
std::atomic<Mode> mode{Mode::kOff};
// Written while the mode is kOff.
std::atomic<Kind> kind_armed{Kind::kAllocation};
std::atomic<uint64_t> target{0};  // the number of the one to fail
std::atomic<uint64_t> luck{0};
std::atomic<uint64_t> one_in[3] = {};  // allocations, callbacks, threads
std::atomic<uint64_t> in_a_row{1};
std::atomic<bool> only_marked{false};

std::atomic<bool> has_fired{false};
constinit thread_local int paused = 0;
constinit thread_local int marked = 0;

bool FailsAtRandom(Kind kind, uint64_t n) {
  if (only_marked && marked == 0) return false;
  const size_t which = kind == Kind::kCallback ? 1
                       : kind == Kind::kThread ? 2
                                               : 0;
  const uint64_t row = in_a_row;
  const uint64_t chance = one_in[which] * row;
  if (chance == 0) return false;
  // A mix of all bits (splitmix64).
  uint64_t x = luck + (n / row * 3 + which) * 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return (x ^ (x >> 31)) % chance == 0;
}

// Counts it. Whether it is to fail.
bool Fails(Kind kind, std::atomic<uint64_t>* seen) {
  if (paused > 0) return false;
  const uint64_t n = ++*seen;
  bool fails = false;
  if (mode == Mode::kRandom) {
    fails = FailsAtRandom(kind, n);
  } else if (mode == Mode::kNth) {
    const Kind armed = kind_armed;
    fails = armed == kind ? n == target
                          : armed == Kind::kAllocationsOn &&
                                kind == Kind::kAllocation && n >= target;
  }
  if (fails) has_fired = true;
  return fails;
}

const std::atomic<uint64_t>& Counter(Kind kind) {
  return kind == Kind::kCallback ? callbacks_seen
         : kind == Kind::kThread ? threads_seen
                                 : allocations_seen;
}

}  // namespace

void Failures::Arm(Kind kind, uint64_t n) {
  mode = Mode::kOff;
  kind_armed = kind;
  has_fired = false;
  target = Counter(kind) + n;
  mode = Mode::kNth;
}

void Failures::ArmAtRandom(uint64_t seed, const Chances& chances) {
  mode = Mode::kOff;
  has_fired = false;
  luck = seed;
  one_in[0] = chances.allocations;
  one_in[1] = chances.callbacks;
  one_in[2] = chances.threads;
  in_a_row = chances.in_a_row;
  only_marked = chances.only_marked;
  mode = Mode::kRandom;
}

bool Failures::Disarm() {
  mode = Mode::kOff;
  return has_fired;
}

bool Failures::fired() { return has_fired; }

void Failures::Callback() {
  if (!Fails(Kind::kCallback, &callbacks_seen)) return;
  const Pause pause;
  throw std::runtime_error("thrown on purpose");
}

bool Failures::ThreadFails() { return Fails(Kind::kThread, &threads_seen); }

Failures::Counts Failures::Seen() {
  return {allocations_seen, callbacks_seen, threads_seen};
}

Failures::Mark::Mark() { ++marked; }
Failures::Mark::~Mark() { --marked; }
Failures::Pause::Pause() { ++paused; }
Failures::Pause::~Pause() { --paused; }
Failures::Unpause::Unpause() { --paused; }
Failures::Unpause::~Unpause() { ++paused; }

namespace {

void* AllocateOrNull(size_t bytes, size_t alignment) noexcept {
  if (Fails(Kind::kAllocation, &allocations_seen)) return nullptr;
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

// For LeakSanitizer. Where there is no memory even to remember what is to be
// freed once no reader uses it (EpochDomain::Retire), an evicted block stays as
// long as the process.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:tamis::BlockBuffer::NewOnHeap\n";
}
