// SPDX-License-Identifier: Apache-2.0
//
// What a compaction does to the SstFileManager, if the database has one: a
// SpaceReservation sets room aside before it starts, SpaceUse is what it has
// added, and whether that reached the limit. Only what SpaceUse records
// distinguishes the manager's SpaceLimit from the same status of a file system.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

#include "db/base/db_context.h"
#include "util/base/check.h"

namespace tamis {

// Without the message if memory runs out.
inline Status SpaceLimitReached() noexcept {
  try {
    return Status::SpaceLimit("Max allowed space was reached");
  } catch (const std::bad_alloc&) {
    return Status::SpaceLimit();
  }
}

// Room for a compaction, released by the destructor. One thread.
class SpaceReservation {
 public:
  SpaceReservation() = default;
  ~SpaceReservation() {
    if (bytes_ > 0) manager_->files().Release(bytes_);
  }
  SpaceReservation(SpaceReservation&& other) noexcept
      : manager_(other.manager_), bytes_(std::exchange(other.bytes_, 0)) {}
  SpaceReservation& operator=(SpaceReservation&& other) noexcept {
    std::swap(manager_, other.manager_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  // Returns whether there is room. 0 bytes need none. REQUIRES: once.
  bool Take(const DBContext& context, uint64_t bytes) {
    TAMIS_CHECK(bytes_ == 0);
    manager_ = context.sst_file_manager();
    if (manager_ == nullptr || bytes == 0) return true;
    if (!manager_->files().Reserve(bytes)) return false;
    bytes_ = bytes;
    return true;
  }

 private:
  SstFileManagerImpl* manager_ = nullptr;
  uint64_t bytes_ = 0;
};

// Any thread: parts of the compaction write at the same time.
class SpaceUse {
 public:
  // Must be called after a table was counted. Returns SpaceLimit if the limit
  // is then reached.
  Status Written(const DBContext& context, uint64_t bytes) {
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
    SstFileManagerImpl* const manager = context.sst_file_manager();
    if (manager == nullptr || !manager->IsMaxAllowedSpaceReached()) {
      return Status::OK();
    }
    limit_reached_.store(true, std::memory_order_relaxed);
    return SpaceLimitReached();
  }
  uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  bool limit_reached() const {
    return limit_reached_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<uint64_t> bytes_{0};
  std::atomic<bool> limit_reached_{false};
};

}  // namespace tamis
