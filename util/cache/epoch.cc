// SPDX-License-Identifier: Apache-2.0
//
// Each thread has one slot in each domain it enters, on cache lines of its own,
// from its first Guard there until it exits:
//
//   state    [ epoch | mutex: slots, waiting ]
//   slots    [ slot | slot | ... ]                     in no order
//   slot     [ 0, or the epoch at which its thread entered | depth ]
//   waiting  [ object, mark | object, mark | ... ]     marks never decrease
//
// Retire marks an object with the current epoch, then advances the epoch. The
// object may be freed when every slot is 0 or above its mark.
//
// Why that suffices. A reader inside with a later epoch read that epoch, with
// acquire, from the thread that advanced it after the Retire, so it sees the
// object unlinked. A reader outside at the time of the scan enters after it:
// the scan reads each slot by a read-modify-write, from which the reader's own
// exchange later reads, so it also sees everything unlinked before. (A seq_cst
// load would not order the reader's plain acquire loads; some ARM processors
// let these overtake the exchange.) A reader that has left did so by a release
// that the scan acquires, so its reads are done.
//
// Slots are added and removed under the mutex. A thread that takes a slot
// therefore sees everything unlinked before an earlier scan, and a scan that no
// longer finds a slot happens after all reads of its thread.
//
// The mutex orders marks and advances. Readers take it only for a thread's
// first Guard.
#include "util/cache/epoch.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <new>
#include <utility>
#include <vector>

#include "util/base/check.h"
#include "util/base/id_table.h"
#include "util/base/mutex.h"
#include "util/base/process.h"

namespace tamis {

namespace {

// With readers inside, Retire scans the slots only after this much was retired
// since the last scan, because a scan takes every thread's cache line.
constexpr size_t kLookBytes = 64 * 1024;
constexpr size_t kLookObjects = 64;

constexpr uint64_t kOutside = 0;

// Two cache lines, since processors prefetch lines in pairs.
struct alignas(128) Slot {
  std::atomic<uint64_t> entered{kOutside};
  uint32_t depth = 0;      // used by the slot's thread only
  void* lender = nullptr;  // the State to return it to when its Guard ends
  size_t place = 0;        // index in slots_, under the state's mutex
};

struct Waiting {
  void* object;
  void (*free)(void*);
  size_t bytes;
  uint64_t mark;
};

// Objects freed at a time. A fixed array, so that freeing memory needs none.
struct Batch {
  bool full() const { return size == objects.size(); }

  std::array<Waiting, 2 * kLookObjects> objects;
  size_t size = 0;
};

uint64_t NewDomainId() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

// Any thread.
struct EpochDomain::State {
 public:
  // May throw std::bad_alloc.
  Slot* TakeSlot() EXCLUDES(mutex_) {
    auto slot = std::make_unique<Slot>();
    MutexLock lock(&mutex_);
    slot->place = slots_.size();
    slots_.push_back(std::move(slot));
    return slots_.back().get();
  }

  // The thread may be inside, if a callback of its reader called exit(). That
  // reader never continues.
  void GiveBack(Slot* slot) EXCLUDES(mutex_) {
    if (!owner_.IsCurrent()) return;
    std::unique_ptr<Slot> gone;  // freed without the mutex
    MutexLock lock(&mutex_);
    TAMIS_CHECK(slot->place < slots_.size());
    std::unique_ptr<Slot>& place = slots_[slot->place];
    TAMIS_CHECK(place.get() == slot);
    gone = std::move(place);
    if (slots_.back() != nullptr) {
      place = std::move(slots_.back());
      place->place = gone->place;
    }
    slots_.pop_back();
  }

  size_t slots() const EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    return slots_.size();
  }

  uint64_t epoch() const { return epoch_.load(std::memory_order_acquire); }

  bool Retire(void* object, void (*free)(void*), size_t bytes) noexcept
      EXCLUDES(mutex_) {
    Batch ready;
    {
      MutexLock lock(&mutex_);
      TAMIS_DCHECK(waiting_.empty() ||
                   waiting_.back().mark <=
                       epoch_.load(std::memory_order_relaxed));
      try {
        waiting_.push_back(
            {object, free, bytes, epoch_.load(std::memory_order_relaxed)});
      } catch (const std::bad_alloc&) {
        return false;
      }
      waiting_bytes_.fetch_add(bytes, std::memory_order_relaxed);
      unseen_bytes_ += bytes;
      ++unseen_objects_;
      if (unseen_bytes_ >= kLookBytes || unseen_objects_ >= kLookObjects ||
          NobodyIsInside()) {
        TakeReady(&ready);
      }
    }
    Free(ready);
    return true;
  }

  void Reclaim() noexcept EXCLUDES(mutex_) {
    Batch ready;
    do {
      {
        MutexLock lock(&mutex_);
        TakeReady(&ready);
      }
      Free(ready);
    } while (ready.full());
  }

  // REQUIRES: no reader is inside or will enter.
  void Close() EXCLUDES(mutex_) {
    {
      MutexLock lock(&mutex_);
      TAMIS_CHECK(NobodyIsInside());
      TAMIS_CHECK(!closed());
    }
    // Freeing an object may retire more.
    while (HasWaiting()) Reclaim();
    closed_.store(true, std::memory_order_relaxed);
  }

  size_t waiting_bytes() const {
    return waiting_bytes_.load(std::memory_order_acquire);
  }
  bool closed() const { return closed_.load(std::memory_order_relaxed); }

  const uint64_t id = NewDomainId();

 private:
  static constexpr uint64_t kNobody = UINT64_MAX;

  bool HasWaiting() const EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    return !waiting_.empty();
  }

  bool NobodyIsInside() const REQUIRES(mutex_) {
    return std::all_of(slots_.begin(), slots_.end(), [](const auto& slot) {
      return slot->entered.load(std::memory_order_relaxed) == kOutside;
    });
  }

  // A cheap estimate: only reads the slots.
  uint64_t OldestInside() const REQUIRES(mutex_) {
    uint64_t oldest = kNobody;
    for (const auto& slot : slots_) {
      const uint64_t entered = slot->entered.load(std::memory_order_relaxed);
      if (entered != kOutside) oldest = std::min(oldest, entered);
    }
    return oldest;
  }

  // Exact, as required for freeing retired objects.
  uint64_t OldestInsideForSure() REQUIRES(mutex_) {
    uint64_t oldest = kNobody;
    for (const auto& slot : slots_) {
      const uint64_t entered =
          slot->entered.fetch_add(0, std::memory_order_acq_rel);
      if (entered != kOutside) oldest = std::min(oldest, entered);
    }
    return oldest;
  }

  // Takes as many as fit into the batch.
  void TakeReady(Batch* ready) REQUIRES(mutex_) {
    ready->size = 0;
    unseen_bytes_ = 0;
    unseen_objects_ = 0;
    if (waiting_.empty()) return;
    if (waiting_.back().mark == epoch_.load(std::memory_order_relaxed)) {
      epoch_.fetch_add(1, std::memory_order_release);
    }
    if (waiting_.front().mark >= OldestInside()) return;
    const uint64_t oldest = OldestInsideForSure();
    while (!waiting_.empty() && waiting_.front().mark < oldest &&
           !ready->full()) {
      TAMIS_DCHECK(ready->size == 0 || ready->objects[ready->size - 1].mark <=
                                           waiting_.front().mark);
      ready->objects[ready->size++] = waiting_.front();
      waiting_.pop_front();
    }
  }

  // Without the mutex, because a free function may call Retire.
  void Free(const Batch& ready) EXCLUDES(mutex_) {
    for (size_t i = 0; i < ready.size; ++i) {
      const Waiting& waiting = ready.objects[i];
      waiting.free(waiting.object);
      const size_t before =
          waiting_bytes_.fetch_sub(waiting.bytes, std::memory_order_relaxed);
      TAMIS_CHECK(before >= waiting.bytes);
    }
  }

  const OwnerProcess owner_;
  // Advanced under the mutex.
  std::atomic<uint64_t> epoch_{kOutside + 1};
  std::atomic<bool> closed_{false};

  // What readers do not use is on other cache lines.
  alignas(128) mutable Mutex mutex_;
  std::vector<std::unique_ptr<Slot>> slots_ GUARDED_BY(mutex_);
  std::deque<Waiting> waiting_ GUARDED_BY(mutex_);
  size_t unseen_bytes_ GUARDED_BY(mutex_) = 0;
  size_t unseen_objects_ GUARDED_BY(mutex_) = 0;
  std::atomic<size_t> waiting_bytes_{0};
};

namespace {

// The domain that the thread entered last; most processes have only one.
struct LastSlot {
  uint64_t domain_id;
  Slot* slot;
};
constinit thread_local LastSlot tls_last = {0, nullptr};
constinit thread_local bool tls_ended = false;

// All slots of one thread.
template <typename State>
class ThreadSlots {
 public:
  ThreadSlots() = default;
  ~ThreadSlots() {
    slots_.ForEach([](const Taken& taken) { taken.of->GiveBack(taken.slot); });
    tls_last = {0, nullptr};
    tls_ended = true;
  }
  ThreadSlots(const ThreadSlots&) = delete;
  ThreadSlots& operator=(const ThreadSlots&) = delete;

  Slot* Find(const std::shared_ptr<State>& state) {
    if (const Taken* const taken = slots_.Find(state->id)) return taken->slot;
    slots_.MakeRoom([](const Taken& taken) { return !taken.of->closed(); });
    Slot* const slot = state->TakeSlot();
    slots_.Add(state->id, {state, slot});
    return slot;
  }
  size_t size() const { return slots_.size(); }

 private:
  struct Taken {
    std::shared_ptr<State> of;
    Slot* slot = nullptr;
  };
  IdTable<Taken> slots_;  // by domain id
};

// REQUIRES: !tls_ended
template <typename State>
ThreadSlots<State>* SlotsOfThisThread() {
  thread_local ThreadSlots<State> slots;
  return &slots;
}

// Code that runs after a thread's thread_locals are destroyed, such as
// destructors of statics, cannot keep a slot. Each of its Guards takes a slot
// of its own, marked as entered until GiveBackLent; to the Guard it looks as if
// an outer Guard had entered.
template <typename State>
Slot* LendSlot(State* state) {
  Slot* const slot = state->TakeSlot();
  slot->lender = state;
  slot->depth = 1;
  slot->entered.exchange(state->epoch(), std::memory_order_seq_cst);
  return slot;
}
template <typename State>
[[gnu::noinline]] void GiveBackLent(Slot* slot) {
  slot->entered.store(kOutside, std::memory_order_release);
  static_cast<State*>(slot->lender)->GiveBack(slot);
}

// Not inlined, so that Guards that hit tls_last save no registers.
template <typename State>
[[gnu::noinline]] Slot* FindSlot(const std::shared_ptr<State>& state) {
  if (tls_ended) return LendSlot(state.get());
  Slot* const slot = SlotsOfThisThread<State>()->Find(state);
  tls_last = {state->id, slot};
  return slot;
}

}  // namespace

EpochDomain::EpochDomain() : state_(std::make_shared<State>()) {}

EpochDomain::~EpochDomain() { state_->Close(); }

EpochDomain::Guard::Guard(EpochDomain* domain) : slot_(nullptr) {
  if (domain == nullptr) return;
  const std::shared_ptr<State>& state = domain->state_;
  Slot* const slot =
      tls_last.domain_id == state->id ? tls_last.slot : FindSlot(state);
  slot_ = slot;
  TAMIS_DCHECK((slot->depth == 0) ==
               (slot->entered.load(std::memory_order_relaxed) == kOutside));
  if (slot->depth++ == 0) {
    slot->entered.exchange(state->epoch(), std::memory_order_seq_cst);
  }
}

void EpochDomain::Guard::Leave() {
  if (slot_ == nullptr) return;
  Slot* const slot = static_cast<Slot*>(std::exchange(slot_, nullptr));
  TAMIS_DCHECK(slot->depth > 0);
  TAMIS_DCHECK(slot->entered.load(std::memory_order_relaxed) != kOutside);
  if (--slot->depth == 0) {
    slot->entered.store(kOutside, std::memory_order_release);
  } else if (slot->lender != nullptr) [[unlikely]] {
    GiveBackLent<State>(slot);
  }
}

bool EpochDomain::Retire(void* object, void (*free)(void*),
                         size_t bytes) noexcept {
  return state_->Retire(object, free, bytes);
}

void EpochDomain::Reclaim() noexcept { state_->Reclaim(); }

size_t EpochDomain::waiting_bytes() const { return state_->waiting_bytes(); }

size_t EpochDomain::slots() const { return state_->slots(); }

size_t EpochDomain::domains_of_this_thread() {
  return tls_ended ? 0 : SlotsOfThisThread<State>()->size();
}

}  // namespace tamis
