// SPDX-License-Identifier: Apache-2.0
//
// An IoRing runs reads of files at the same time, through Linux's io_uring. The
// caller starts reads, up to kDepth at once, and takes their completions in any
// order:
//
//   Start(id 0)  Start(id 1)  Start(id 2)  ...  Wait() = id 1  Wait() = id 0
//
// The kernel writes into the memory of a read until its completion was taken.
// The caller that starts a read must therefore take its completion before it
// frees the memory, even after an error or an exception.
//
// Each Start is a system call of its own. One call for a whole batch takes less
// CPU time, but the first read begins later (docs/decisions/async_reads.md).
//
// One thread at a time. Only the process that created it may use or destroy it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace tamis {

class IoRing {
 public:
  static constexpr uint32_t kDepth = 32;

  // A read that ended. `result` is the number of bytes, or -errno.
  struct Completion {
    uint64_t id = 0;
    int64_t result = 0;
  };

  // Returns nullptr if the system has no io_uring, or does not let this process
  // use it; *refused then says whether it will refuse next time, too.
  static std::unique_ptr<IoRing> New(bool* refused);
  // REQUIRES: no read is under way.
  ~IoRing();
  IoRing(const IoRing&) = delete;
  IoRing& operator=(const IoRing&) = delete;

  // Starts a read of `memory.size()` bytes at `offset`. If the kernel does not
  // accept it, the memory is the caller's again. kRefused says that it will
  // accept none: this process may not make the call.
  // REQUIRES: fewer than kDepth reads are under way.
  enum class Answer : uint8_t { kAccepted, kNotNow, kRefused };
  Answer Start(int fd, std::span<char> memory, uint64_t offset,
               uint64_t id) noexcept;
  // Waits until a read has ended, and returns its completion. REQUIRES: a read
  // is under way.
  Completion Wait() noexcept;

  // The number of reads whose completion was not taken yet.
  uint32_t under_way() const { return under_way_; }

 private:
  IoRing() = default;
  bool Map(const void* setup);

  // The queues are memory that the kernel shares. Each index counts up, and is
  // masked when it is used.
  struct Queue {
    uint32_t* head = nullptr;  // the next entry to take
    uint32_t* tail = nullptr;  // the next entry to fill
    uint32_t mask = 0;
  };
  struct Mapping {
    void* data = nullptr;
    size_t bytes = 0;
  };

  int fd_ = -1;
  uint32_t under_way_ = 0;
  Mapping queues_;
  Mapping entries_;
  Queue submissions_;
  uint32_t* order_ = nullptr;  // of submissions: indices of entries_
  Queue completions_;
  const void* completed_ = nullptr;  // the entries of completions_
};

}  // namespace tamis
