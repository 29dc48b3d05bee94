// SPDX-License-Identifier: Apache-2.0
//
// What a memtable has charged to its database's WriteBufferManager.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "tamis/write_buffer_manager.h"

namespace tamis {

// The destructor may run on any thread. Each other call: one thread at a time.
class WriteBufferCharge {
 public:
  // Charges nothing if `manager` is nullptr.
  explicit WriteBufferCharge(std::shared_ptr<WriteBufferManager> manager)
      : manager_(std::move(manager)) {}
  ~WriteBufferCharge() {
    if (manager_ == nullptr) return;
    EndWrites();
    manager_->FreeMem(bytes_);
  }
  WriteBufferCharge(const WriteBufferCharge&) = delete;
  WriteBufferCharge& operator=(const WriteBufferCharge&) = delete;

  // Charges `bytes` instead, if that is more.
  void Raise(size_t bytes) {
    if (manager_ == nullptr || bytes <= bytes_) [[likely]]
      return;
    manager_->ReserveMem(bytes - bytes_);
    bytes_ = bytes;
  }
  // Must be called when no Raise follows. Throws nothing.
  void EndWrites() noexcept {
    if (manager_ == nullptr || std::exchange(ended_, true)) return;
    manager_->ScheduleFreeMem(bytes_);
  }

 private:
  const std::shared_ptr<WriteBufferManager> manager_;
  size_t bytes_ = 0;
  bool ended_ = false;
};

}  // namespace tamis
