// SPDX-License-Identifier: Apache-2.0
//
// Which process made an object. fork() gives the child a copy of the memory but
// none of the threads. Descriptors, file locks and shared mappings are shared
// with the parent, which still uses them. So an object that owns any of these
// belongs to the process that made it.
//
//   OwnerProcess           remembers that process
//   DeleteInOwnerProcess   a deleter that leaks the object in other processes
//   ProcessOwned<T>        a member that is destroyed in that process only
//
// In another process no destructor runs, no lock is taken (it may be held by a
// thread that the child does not have), and no file, mapping or thread is
// touched.
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

  // False in every process that was forked from the owner after this object was
  // made, and in its descendants. (True between vfork and exec, where memory is
  // shared.) Costs one load.
  bool IsCurrent() const {
    return current_->load(std::memory_order_relaxed) == generation_;
  }
  // What getpid() returned in the owner.
  int64_t pid() const { return pid_; }

 private:
  // Reads 0 in a new process, until an OwnerProcess is made there.
  const std::atomic<uint64_t>* current_;
  uint64_t generation_;
  int64_t pid_;
};

// NotSupported, naming both processes: the error of a call on `what` in a
// process forked from its owner.
Status OfOtherProcess(const Slice& what, const OwnerProcess& owner);

// Tells a leak checker that the object is leaked on purpose.
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

// Holds its T inline. The T is destroyed in the owner process only, and must
// not be moved out in another.
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
