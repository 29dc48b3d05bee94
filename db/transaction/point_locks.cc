// SPDX-License-Identifier: Apache-2.0
#include "db/transaction/point_locks.h"

#include <algorithm>
#include <utility>

#include "util/base/result.h"

namespace tamis {

namespace {

bool Owns(const std::vector<LockOwner*>& owners, const LockOwner& owner) {
  return std::find(owners.begin(), owners.end(), &owner) != owners.end();
}

}  // namespace

std::shared_ptr<PointLocks::OfFamily> PointLocks::Of(FamilyId family) {
  MutexLock lock(&mutex_);
  std::shared_ptr<OfFamily>& of_family = families_[family];
  if (of_family == nullptr) {
    of_family = std::make_shared<OfFamily>(num_stripes_);
  }
  return of_family;
}

PointLocks::Stripe& PointLocks::StripeOf(OfFamily* of_family,
                                         const Slice& key) const {
  return of_family->stripes[StringHash()(key.ToStringView()) % num_stripes_];
}

// Takes all or nothing: an owner that keeps its locks may be behind one that
// has given them up, which then no longer holds them.
bool PointLocks::TakeFromExpired(const LockOwner& owner, Entry* entry) const {
  const uint64_t now = clock_.NowMicros();
  std::erase_if(entry->owners, [&](LockOwner* other) {
    return other != &owner && other->expires_at() != 0 &&
           other->expires_at() <= now && other->GiveUpLocks();
  });
  return entry->owners.empty() ||
         (entry->owners.size() == 1 && entry->owners.front() == &owner);
}

PointLocks::Taken PointLocks::Take(LockOwner* owner, const Request& request,
                                   OfFamily* of_family, Stripe* stripe) const {
  const auto [found, is_new] =
      stripe->locks.try_emplace(request.key.ToString());
  Entry& entry = found->second;
  if (is_new) {
    const int64_t before = of_family->count.fetch_add(1);
    if (max_num_locks_ > 0 && before >= max_num_locks_) {
      of_family->count.fetch_sub(1);
      stripe->locks.erase(found);
      return Taken::kLimit;
    }
  }
  const bool owns = Owns(entry.owners, *owner);
  if (owns && (!request.exclusive || entry.exclusive)) return Taken::kYes;
  const bool may_share = !request.exclusive && !entry.exclusive;
  const bool is_alone = entry.owners.size() == (owns ? 1 : 0);
  if (!may_share && !is_alone && !TakeFromExpired(*owner, &entry)) {
    return Taken::kNo;
  }
  if (!owns) entry.owners.push_back(owner);
  entry.exclusive = request.exclusive;
  // Those that wait now wait for this owner, too.
  if (!is_new) stripe->changed.notify_all();
  return Taken::kYes;
}

LockOwner::Wait PointLocks::Obstacles(const LockOwner& owner,
                                      const Request& request,
                                      const Stripe& stripe,
                                      uint64_t* expires_at) const {
  LockOwner::Wait wait{request.family, request.key.ToString(), {}};
  *expires_at = 0;
  const auto found = stripe.locks.find(request.key.ToStringView());
  if (found == stripe.locks.end()) return wait;
  for (const LockOwner* const other : found->second.owners) {
    if (other == &owner) continue;
    wait.holders.push_back(other->lock_id());
    const uint64_t expires = other->expires_at();
    if (expires != 0 && (*expires_at == 0 || expires < *expires_at)) {
      *expires_at = expires;
    }
  }
  return wait;
}

Status PointLocks::Await(LockOwner* owner, const Request& request,
                         OfFamily* of_family, Stripe* stripe) {
  // What the wait leaves behind when it ends, however it ends.
  struct Cleaner {
    LockOwner* owner;
    WaitGraph* waits;
    ~Cleaner() {
      waits->Remove(owner->lock_id());
      owner->set_waiting_for({});
    }
  } cleaner{owner, &waits_};
  constexpr uint64_t kLongest = 3'600'000'000;
  constexpr uint64_t kExpiredRecheck = 1'000;
  const uint64_t begin = clock_.NowMicros();
  for (;;) {
    const uint64_t now = clock_.NowMicros();
    uint64_t wait_for = kLongest;
    if (request.timeout_micros >= 0) {
      const uint64_t end =
          begin + static_cast<uint64_t>(request.timeout_micros);
      if (now >= end) return Status::TimedOut(Status::kLockTimeout);
      wait_for = std::min(wait_for, end - now);
    }
    uint64_t expires_at = 0;
    LockOwner::Wait wait = Obstacles(*owner, request, *stripe, &expires_at);
    if (expires_at != 0) {
      // One that has expired may be committing.
      wait_for = std::min(
          wait_for, expires_at > now ? expires_at - now : kExpiredRecheck);
    }
    if (request.deadlock_depth > 0) {
      waits_.Remove(owner->lock_id());
      if (!waits_.Add(owner->lock_id(), wait.holders, request.deadlock_depth)) {
        return Status::Busy(Status::kDeadlock);
      }
    }
    const std::vector<TransactionID> holders = wait.holders;
    owner->set_waiting_for(std::move(wait));
    Taken taken = Taken::kNo;
    // When others hold the lock, there may be a deadlock with them.
    stripe->mutex.WaitFor(&runner_, stripe->changed, clock_, wait_for, [&] {
      stripe->mutex.AssertHeld();
      taken = Take(owner, request, of_family, stripe);
      return taken != Taken::kNo ||
             Obstacles(*owner, request, *stripe, &expires_at).holders !=
                 holders;
    });
    if (taken == Taken::kYes) return Status::OK();
    if (taken == Taken::kLimit) return Status::Busy(Status::kLockLimit);
  }
}

Status PointLocks::Lock(LockOwner* owner, const Request& request) {
  TAMIS_RETURN_IF_ERROR(CheckProcess());
  const std::shared_ptr<OfFamily> of_family = Of(request.family);
  Stripe& stripe = StripeOf(of_family.get(), request.key);
  MutexLock lock(&stripe.mutex);
  switch (Take(owner, request, of_family.get(), &stripe)) {
    case Taken::kYes:
      return Status::OK();
    case Taken::kLimit:
      return Status::Busy(Status::kLockLimit);
    case Taken::kNo:
      break;
  }
  if (request.timeout_micros == 0) {
    return Status::TimedOut(Status::kLockTimeout);
  }
  return Await(owner, request, of_family.get(), &stripe);
}

void PointLocks::Unlock(const LockOwner& owner, FamilyId family,
                        const Slice& key) noexcept {
  if (!owner_process_.IsCurrent()) return;
  const std::shared_ptr<OfFamily> of_family = Of(family);
  Stripe& stripe = StripeOf(of_family.get(), key);
  MutexLock lock(&stripe.mutex);
  const auto found = stripe.locks.find(key.ToStringView());
  if (found == stripe.locks.end()) return;
  if (std::erase(found->second.owners, &owner) == 0) return;
  if (found->second.owners.empty()) {
    stripe.locks.erase(found);
    of_family->count.fetch_sub(1);
  }
  stripe.changed.notify_all();
}

std::unordered_multimap<uint32_t, KeyLockInfo> PointLocks::All() const {
  if (!owner_process_.IsCurrent()) return {};
  std::map<FamilyId, std::shared_ptr<OfFamily>> families;
  {
    MutexLock lock(&mutex_);
    families = families_;
  }
  std::unordered_multimap<uint32_t, KeyLockInfo> all;
  for (const auto& [id, of_family] : families) {
    for (const Stripe& stripe : of_family->stripes) {
      MutexLock lock(&stripe.mutex);
      for (const auto& [key, entry] : stripe.locks) {
        KeyLockInfo info{key, {}, entry.exclusive};
        for (const LockOwner* const owner : entry.owners) {
          info.ids.push_back(owner->lock_id());
        }
        all.emplace(id.value(), std::move(info));
      }
    }
  }
  return all;
}

}  // namespace tamis
