// SPDX-License-Identifier: Apache-2.0
//
// A TrackedOperation is an operation of the calling thread that GetThreadList
// lists, from its construction to its destruction:
//
//   TrackedOperation ──▶ list of the process ◀── GetThreadList
//
// Without facts, it lists nothing and costs nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tamis/clock.h"
#include "tamis/thread_status.h"

namespace tamis {

class TrackedOperation {
 public:
  struct Facts {
    ThreadStatus::ThreadType thread;
    ThreadStatus::OperationType operation;
    std::string db_name;
    std::string family;
    std::shared_ptr<Clock> clock;
  };

  TrackedOperation() = default;
  explicit TrackedOperation(std::optional<Facts> facts);
  // In a forked child, does nothing.
  ~TrackedOperation();
  TrackedOperation(const TrackedOperation&) = delete;
  TrackedOperation& operator=(const TrackedOperation&) = delete;

  bool is_listed() const { return entry_ != nullptr; }

  // One thread at a time.
  void SetFamily(const std::string& family);
  // Any thread. `property` is of the operation's enumeration.
  void SetStage(ThreadStatus::OperationStage stage) noexcept;
  void Set(int property, uint64_t value) noexcept;
  void Add(int property, uint64_t value) noexcept;

  // Appends those of the process to *threads, the first that began first. Any
  // thread.
  static void AppendAll(std::vector<ThreadStatus>* threads);

 private:
  struct Entry;
  struct List;

  Entry* entry_ = nullptr;  // nullptr: is not listed
};

}  // namespace tamis
