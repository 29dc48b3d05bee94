// SPDX-License-Identifier: Apache-2.0
//
// Tracks which process created an object. fork() copies the memory but not the
// threads; descriptors, file locks and shared mappings are shared with the
// parent, which still uses them. An object that owns any of these therefore
// belongs to the process that created it.
//
//   OwnerProcess           remembers that process
//   DeleteInOwnerProcess   a deleter that leaks the object in other processes
//   ProcessOwned<T>        a member that is destroyed in that process only
//
// In another process, the destructor of such an object does not run: it takes
// no lock, which a thread that does not exist there may hold, and touches no
// file, mapping or thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

// Of the calling process. 0 in a forked child, until an OwnerProcess is created
// there.
struct ProcessRecord {
  std::atomic<uint64_t> generation{0};
  std::atomic<int64_t> pid{0};
};

class OwnerProcess {
 public:
  // Records the calling process.
  OwnerProcess();

  // Returns whether the calling process is the owner: false in every process
  // forked from it after this object was created, and in their descendants.
  // (True between vfork and exec, where memory is shared.) Costs one load.
  bool IsCurrent() const {
    return current_->generation.load(std::memory_order_relaxed) == generation_;
  }
  // Returns the owner's getpid().
  int64_t pid() const { return pid_; }

 private:
  const ProcessRecord* current_;
  uint64_t generation_;
  int64_t pid_;
};

// Returns NotSupported, which names both processes, for a call on `what` in a
// process forked from its owner.
Status OfOtherProcess(const Slice& what, const OwnerProcess& owner);

// Returns the number of cores that the calling thread may run on now, which may
// be fewer than the machine has (taskset, containers); 0 if it is unknown. Does
// not know limits of CPU time.
unsigned UsableCores();

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

// Holds a T inline and destroys it in the owner process only. REQUIRES: other
// processes do not move the T out.
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
