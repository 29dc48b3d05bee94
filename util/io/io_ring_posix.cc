// SPDX-License-Identifier: Apache-2.0
//
// The system calls of io_uring, without liburing: of that, reads need only what
// is here.
#include "util/io/io_ring.h"

#if defined(__linux__) && __has_include(<linux/io_uring.h>)
#include <linux/io_uring.h>
#include <sys/syscall.h>
#endif

#include "util/base/check.h"

// Headers of Linux before 5.6 do not have all of it.
#if defined(IORING_FEAT_RW_CUR_POS) && defined(__NR_io_uring_enter)

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <new>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/io/posix_io.h"

namespace tamis {

namespace {

// Linux 5.6, the first with IORING_OP_READ, has all of them.
constexpr uint32_t kFeaturesNeeded =
    IORING_FEAT_SINGLE_MMAP | IORING_FEAT_NODROP | IORING_FEAT_RW_CUR_POS;

long Enter(int fd, uint32_t to_submit, uint32_t to_wait_for) {
  return ::syscall(__NR_io_uring_enter, fd, to_submit, to_wait_for,
                   to_wait_for > 0 ? IORING_ENTER_GETEVENTS : 0, nullptr, 0);
}

uint32_t Load(uint32_t& shared) {
  return std::atomic_ref(shared).load(std::memory_order_acquire);
}
void Store(uint32_t& shared, uint32_t value) {
  std::atomic_ref(shared).store(value, std::memory_order_release);
}

template <typename T>
T* At(void* base, size_t offset) {
  void* const place = static_cast<char*>(base) + offset;
  return static_cast<T*>(place);
}

void* MapRing(int fd, size_t bytes, uint64_t offset) {
  void* const mapped =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
             fd, static_cast<off_t>(offset));
  return mapped == MAP_FAILED ? nullptr : mapped;
}

}  // namespace

std::unique_ptr<IoRing> IoRing::New(bool* refused) {
  *refused = false;
  std::unique_ptr<IoRing> ring(new (std::nothrow) IoRing);
  if (ring == nullptr) return nullptr;
  io_uring_params params = {};
  // The kernel sets close-on-exec.
  ring->fd_ = static_cast<int>(::syscall(__NR_io_uring_setup, kDepth, &params));
  if (ring->fd_ < 0) {
    // Others, such as ENOMEM and EMFILE, may go away.
    *refused = errno == ENOSYS || errno == EPERM || errno == EACCES ||
               errno == EINVAL || errno == EOPNOTSUPP;
    return nullptr;
  }
  if ((params.features & kFeaturesNeeded) != kFeaturesNeeded) {
    *refused = true;
    return nullptr;
  }
  if (!ring->Map(&params)) return nullptr;
  return ring;
}

bool IoRing::Map(const void* setup) {
  const auto& params = *static_cast<const io_uring_params*>(setup);
  queues_.bytes =
      std::max(params.sq_off.array + params.sq_entries * sizeof(uint32_t),
               params.cq_off.cqes + params.cq_entries * sizeof(io_uring_cqe));
  queues_.data = MapRing(fd_, queues_.bytes, IORING_OFF_SQ_RING);
  entries_.bytes = params.sq_entries * sizeof(io_uring_sqe);
  entries_.data = MapRing(fd_, entries_.bytes, IORING_OFF_SQES);
  if (queues_.data == nullptr || entries_.data == nullptr) return false;
  submissions_ = {.head = At<uint32_t>(queues_.data, params.sq_off.head),
                  .tail = At<uint32_t>(queues_.data, params.sq_off.tail),
                  .mask = *At<uint32_t>(queues_.data, params.sq_off.ring_mask)};
  order_ = At<uint32_t>(queues_.data, params.sq_off.array);
  completions_ = {.head = At<uint32_t>(queues_.data, params.cq_off.head),
                  .tail = At<uint32_t>(queues_.data, params.cq_off.tail),
                  .mask = *At<uint32_t>(queues_.data, params.cq_off.ring_mask)};
  completed_ = At<io_uring_cqe>(queues_.data, params.cq_off.cqes);
  return true;
}

IoRing::~IoRing() {
  TAMIS_CHECK(under_way_ == 0);
  for (const Mapping& mapping : {queues_, entries_}) {
    if (mapping.data != nullptr) ::munmap(mapping.data, mapping.bytes);
  }
  const NoCancellation guard;  // close would end the thread, and the process
  if (fd_ >= 0) ::close(fd_);
}

IoRing::Answer IoRing::Start(int fd, std::span<char> memory, uint64_t offset,
                             uint64_t id) noexcept {
  TAMIS_DCHECK(under_way_ < kDepth);
  const uint32_t tail = *submissions_.tail;  // only this thread writes it
  const uint32_t place = tail & submissions_.mask;
  io_uring_sqe* const entry = &static_cast<io_uring_sqe*>(entries_.data)[place];
  *entry = {};
  entry->opcode = IORING_OP_READ;
  entry->fd = fd;
  entry->addr = reinterpret_cast<uintptr_t>(memory.data());
  entry->len = static_cast<uint32_t>(memory.size());
  entry->off = offset;
  entry->user_data = id;
  order_[place] = place;
  Store(*submissions_.tail, tail + 1);
  long accepted;
  do {
    accepted = Enter(fd_, /*to_submit=*/1, /*to_wait_for=*/0);
  } while (accepted < 0 && errno == EINTR);
  if (accepted != 1) {
    // The kernel reads the queue in that call only, so the entry can be taken
    // back.
    Store(*submissions_.tail, tail);
    const bool is_refused =
        accepted < 0 && (errno == EPERM || errno == ENOSYS || errno == EACCES);
    return is_refused ? Answer::kRefused : Answer::kNotNow;
  }
  ++under_way_;
  return Answer::kAccepted;
}

IoRing::Completion IoRing::Wait() noexcept {
  TAMIS_DCHECK(under_way_ > 0);
  const uint32_t head = *completions_.head;  // only this thread writes it
  while (Load(*completions_.tail) == head) {
    // If the call fails, the read still ends, and its completion is written
    // here.
    if (Enter(fd_, /*to_submit=*/0, /*to_wait_for=*/1) < 0 && errno != EINTR) {
      ::sched_yield();
    }
  }
  const auto& entry =
      static_cast<const io_uring_cqe*>(completed_)[head & completions_.mask];
  const Completion completion{.id = entry.user_data, .result = entry.res};
  Store(*completions_.head, head + 1);
  --under_way_;
  return completion;
}

}  // namespace tamis

#else

namespace tamis {

std::unique_ptr<IoRing> IoRing::New(bool* refused) {
  *refused = true;
  return nullptr;
}
bool IoRing::Map(const void*) { return false; }
IoRing::~IoRing() = default;
IoRing::Answer IoRing::Start(int, std::span<char>, uint64_t,
                             uint64_t) noexcept {
  return Answer::kRefused;
}
// No read can be under way.
IoRing::Completion IoRing::Wait() noexcept { TAMIS_CHECK(false); }

}  // namespace tamis

#endif
