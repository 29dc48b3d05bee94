// SPDX-License-Identifier: Apache-2.0
#include "db/base/open_tables.h"

#include "util/base/check.h"

namespace tamis {

TableSlot::~TableSlot() {
  if (ring_ != nullptr) ring_->Forget(this);
}

void OpenTables::Reserve() {
  for (;;) {
    // Let go of without the mutex: it is I/O.
    std::shared_ptr<const TableReader> closed;
    MutexLock lock(&mutex_);
    if (!ring_.empty() && ring_.size() + reserved_ >= limit_) {
      closed = CloseOne();
      continue;
    }
    const size_t needed = ring_.size() + reserved_ + 1;
    if (ring_.capacity() < needed) ring_.reserve(2 * needed);
    ++reserved_;
    return;
  }
}

void OpenTables::Join(TableSlot* table) noexcept {
  for (;;) {
    std::shared_ptr<const TableReader> closed;
    MutexLock lock(&mutex_);
    // More threads than the limit may open tables at once.
    if (!ring_.empty() && ring_.size() >= limit_) {
      closed = CloseOne();
      continue;
    }
    TAMIS_CHECK(!table->in_ring_ && ring_.size() < ring_.capacity());
    --reserved_;
    table->ring_ = this;
    table->in_ring_ = true;
    table->slot_ = ring_.size();
    table->used_.store(true, std::memory_order_relaxed);
    ring_.push_back(table);
    return;
  }
}

void OpenTables::GiveUp() noexcept {
  MutexLock lock(&mutex_);
  --reserved_;
}

void OpenTables::Forget(TableSlot* table) {
  MutexLock lock(&mutex_);
  if (table->in_ring_) Leave(table);
}

std::shared_ptr<const TableReader> OpenTables::CloseOne() {
  const size_t round = ring_.size();
  for (size_t step = 0;; ++step, ++hand_) {
    if (hand_ >= ring_.size()) hand_ = 0;
    TableSlot* const table = ring_[hand_];
    const bool used = table->used_.exchange(false, std::memory_order_relaxed);
    if (step < round && used) continue;
    if (step < 2 * round && table->InUse()) continue;
    Leave(table);
    return table->Take();
  }
}

void OpenTables::Leave(TableSlot* table) {
  TAMIS_CHECK(table->slot_ < ring_.size() && ring_[table->slot_] == table);
  TableSlot* const last = ring_.back();
  ring_[table->slot_] = last;
  last->slot_ = table->slot_;
  ring_.pop_back();
  table->in_ring_ = false;
}

}  // namespace tamis
