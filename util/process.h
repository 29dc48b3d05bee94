// SPDX-License-Identifier: Apache-2.0
//
// Which process made an object. fork() gives the child a copy of the memory,
// but none of the threads, and descriptors, locks and shared mappings that
// still belong to the parent's work: what owns any of these belongs to the
// process that made it.
//
//   OwnerProcess           remembers that process
//   DeleteInOwnerProcess   a deleter: elsewhere the object is left as it is
//   ProcessOwned<T>        a member that is destroyed in that process alone
//
// Left as it is: no destructor runs, no lock is taken (a thread that the child
// lacks may hold it), no file, mapping or thread is touched.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

class OwnerProcess {
 public:
  // The calling process.
  OwnerProcess();

  // False in a process that was forked since, and in those forked from it.
  // (Not between vfork and exec, where memory is shared.) Costs a load.
  bool IsCurrent() const {
    return current_->load(std::memory_order_relaxed) == generation_;
  }
  // As getpid() said in that process.
  int64_t pid() const { return pid_; }

 private:
  // 0 in a new process, until an OwnerProcess is made there.
  const std::atomic<uint64_t>* current_;
  uint64_t generation_;
  int64_t pid_;
};

// NotSupported, with both processes: for a call on `what` in one that was
// forked from its owner.
Status OfOtherProcess(const Slice& what, const OwnerProcess& owner);

// Tells a leak checker that the object is not lost but left.
void IgnoreLeakOf(const void* object);

struct DeleteInOwnerProcess {
  OwnerProcess owner;

  template <typename T>
  void operator()(T* object) const {
    if (owner.IsCurrent()) {
      delete object;
    } else {
      IgnoreLeakOf(object);
    }
  }
};

template <typename T, typename... Args>
std::shared_ptr<T> MakeSharedInProcess(Args&&... args) {
  return std::shared_ptr<T>(new T(std::forward<Args>(args)...),
                            DeleteInOwnerProcess());
}

// Stands in place. T is not moved out of one that another process made.
template <typename T>
class ProcessOwned {
 public:
  explicit ProcessOwned(T value) : value_(std::move(value)) {}
  ~ProcessOwned() {
    if (owner_.IsCurrent()) value_.~T();
  }
  ProcessOwned(const ProcessOwned&) = delete;
  ProcessOwned& operator=(const ProcessOwned&) = delete;

  const OwnerProcess& owner() const { return owner_; }
  T& operator*() { return value_; }
  const T& operator*() const { return value_; }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }

 private:
  const OwnerProcess owner_;
  union {
    T value_;
  };
};

}  // namespace tamis
