// SPDX-License-Identifier: Apache-2.0
//
// Each thread has one slot in each domain it enters, on lines of its own:
//
//   state    [ epoch | mutex: slots, waiting ]
//   slot     [ 0, or the epoch at which its thread entered | depth ]
//   waiting  [ object, mark | object, mark | ... ]     marks never sink
//
// The mark of what is retired is the epoch of that moment. Then the epoch goes
// on, and the object is free when every slot is 0 or above its mark.
//
// Why that is enough: who is inside with a later epoch read it, by acquire,
// from the one who advanced it after the Retire, and so sees the object
// unlinked. Who is outside at the scan enters after it: the scan looks at a
// slot by a read-modify-write, which the thread's own exchange reads from
// later, so that it sees all that was unlinked, too. (A seq_cst load would be
// no fence for the reader's plain acquire loads: some ARM let these overtake
// the exchange.) And who left did so by a release that the scan acquires: its
// reads are done.
//
// The mutex makes marks and advances one order. Readers never take it, but for
// a thread's first Guard.
#include "util/epoch.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "util/check.h"
#include "util/mutex.h"

namespace tamis {

namespace {

// With a reader inside, Retire looks for what may be freed once so much came
// together since it looked last: the look takes every thread's line away.
constexpr size_t kLookBytes = 64 * 1024;
constexpr size_t kLookObjects = 64;

constexpr uint64_t kOutside = 0;

// Two lines: processors prefetch the neighbour as well.
struct alignas(128) Slot {
  std::atomic<uint64_t> entered{kOutside};
  uint32_t depth = 0;  // the thread's own
  bool taken = false;  // under the state's mutex
};

struct Waiting {
  void* object;
  void (*free)(void*);
  size_t bytes;
  uint64_t mark;
};

uint64_t NewDomainId() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

// Any thread.
struct EpochDomain::State {
 public:
  Slot* TakeSlot() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    for (Slot& slot : slots_) {
      if (!slot.taken) {
        slot.taken = true;
        return &slot;
      }
    }
    slots_.emplace_back().taken = true;
    return &slots_.back();
  }

  // REQUIRES: its thread is outside.
  void GiveBack(Slot* slot) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    slot->taken = false;
  }

  uint64_t epoch() const { return epoch_.load(std::memory_order_acquire); }

  void Retire(void* object, void (*free)(void*), size_t bytes)
      EXCLUDES(mutex_) {
    waiting_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    std::vector<Waiting> ready;
    {
      MutexLock lock(&mutex_);
      waiting_.push_back(
          {object, free, bytes, epoch_.load(std::memory_order_relaxed)});
      unseen_bytes_ += bytes;
      ++unseen_objects_;
      if (unseen_bytes_ >= kLookBytes || unseen_objects_ >= kLookObjects ||
          OldestInside() == kNobody) {
        TakeReady(&ready);
      }
    }
    Free(ready);
  }

  void Reclaim() EXCLUDES(mutex_) {
    std::vector<Waiting> ready;
    {
      MutexLock lock(&mutex_);
      TakeReady(&ready);
    }
    Free(ready);
  }

  // REQUIRES: nobody is inside, or comes any more.
  void Close() EXCLUDES(mutex_) {
    {
      MutexLock lock(&mutex_);
      TAMIS_CHECK(OldestInside() == kNobody);
    }
    // What is freed may retire more.
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

  // A guess that costs little: slots are only read.
  uint64_t OldestInside() const REQUIRES(mutex_) {
    uint64_t oldest = kNobody;
    for (const Slot& slot : slots_) {
      const uint64_t entered = slot.entered.load(std::memory_order_relaxed);
      if (entered != kOutside) oldest = std::min(oldest, entered);
    }
    return oldest;
  }

  // The same so that what was retired may be freed by it.
  uint64_t OldestInsideForSure() REQUIRES(mutex_) {
    uint64_t oldest = kNobody;
    for (Slot& slot : slots_) {
      const uint64_t entered =
          slot.entered.fetch_add(0, std::memory_order_acq_rel);
      if (entered != kOutside) oldest = std::min(oldest, entered);
    }
    return oldest;
  }

  void TakeReady(std::vector<Waiting>* ready) REQUIRES(mutex_) {
    unseen_bytes_ = 0;
    unseen_objects_ = 0;
    if (waiting_.empty()) return;
    if (waiting_.back().mark == epoch_.load(std::memory_order_relaxed)) {
      epoch_.fetch_add(1, std::memory_order_release);
    }
    if (waiting_.front().mark >= OldestInside()) return;
    const uint64_t oldest = OldestInsideForSure();
    while (!waiting_.empty() && waiting_.front().mark < oldest) {
      ready->push_back(waiting_.front());
      waiting_.pop_front();
    }
  }

  // Without the mutex: it may come back to us.
  void Free(const std::vector<Waiting>& ready) EXCLUDES(mutex_) {
    for (const Waiting& waiting : ready) {
      waiting.free(waiting.object);
      waiting_bytes_.fetch_sub(waiting.bytes, std::memory_order_relaxed);
    }
  }

  // Advanced under the mutex.
  std::atomic<uint64_t> epoch_{kOutside + 1};
  std::atomic<bool> closed_{false};

  // What readers do not look at stands on other lines.
  alignas(128) mutable Mutex mutex_;
  std::deque<Slot> slots_ GUARDED_BY(mutex_);
  std::deque<Waiting> waiting_ GUARDED_BY(mutex_);
  size_t unseen_bytes_ GUARDED_BY(mutex_) = 0;
  size_t unseen_objects_ GUARDED_BY(mutex_) = 0;
  std::atomic<size_t> waiting_bytes_{0};
};

namespace {

// The domain that the thread entered last: most processes have one.
struct LastSlot {
  uint64_t domain_id;
  Slot* slot;
};
constinit thread_local LastSlot tls_last = {0, nullptr};
constinit thread_local bool tls_ended = false;

// All slots of a thread.
template <typename State>
class ThreadSlots {
 public:
  ThreadSlots() = default;
  ~ThreadSlots() {
    for (const auto& [state, slot] : slots_) state->GiveBack(slot);
    tls_last = {0, nullptr};
    tls_ended = true;
  }
  ThreadSlots(const ThreadSlots&) = delete;
  ThreadSlots& operator=(const ThreadSlots&) = delete;

  Slot* Find(const std::shared_ptr<State>& state) {
    for (const auto& [known, slot] : slots_) {
      if (known == state) return slot;
    }
    std::erase_if(slots_,
                  [](const auto& entry) { return entry.first->closed(); });
    return slots_.emplace_back(state, state->TakeSlot()).second;
  }

 private:
  std::vector<std::pair<std::shared_ptr<State>, Slot*>> slots_;
};

// What runs after a thread's thread_locals are gone, such as the destructors of
// statics, takes slots that only the domain's end gives back.
template <typename State>
Slot* FindSlot(const std::shared_ptr<State>& state) {
  Slot* slot;
  if (tls_ended) {
    slot = state->TakeSlot();
  } else {
    thread_local ThreadSlots<State> slots;
    slot = slots.Find(state);
  }
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
  if (slot->depth++ == 0) {
    slot->entered.exchange(state->epoch(), std::memory_order_seq_cst);
  }
}

void EpochDomain::Guard::Leave() {
  if (slot_ == nullptr) return;
  Slot* const slot = static_cast<Slot*>(std::exchange(slot_, nullptr));
  if (--slot->depth == 0) {
    slot->entered.store(kOutside, std::memory_order_release);
  }
}

void EpochDomain::Retire(void* object, void (*free)(void*), size_t bytes) {
  state_->Retire(object, free, bytes);
}

void EpochDomain::Reclaim() { state_->Reclaim(); }

size_t EpochDomain::waiting_bytes() const { return state_->waiting_bytes(); }

}  // namespace tamis
