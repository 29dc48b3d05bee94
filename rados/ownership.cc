// SPDX-License-Identifier: Apache-2.0
#include "rados/ownership.h"

#include <utility>

#include "rados/volume_layout.h"

namespace tamis::rados {

namespace {

// Attempts to reach the cluster before an open fails.
constexpr uint32_t kAttemptsOfAcquire = 30;

// Gives up after some attempts.
class Attempts {
 public:
  bool operator()() { return ++count_ >= kAttemptsOfAcquire; }

 private:
  uint32_t count_ = 0;
};

}  // namespace

Ownership::Ownership(ObjectStore* store, std::string volume,
                     const Options& options, std::function<void()> wake)
    : store_(store),
      volume_(std::move(volume)),
      names_object_(NamesObject(volume_)),
      options_(options),
      wake_(std::move(wake)),
      cookie_(NewUniqueName()) {}

std::string Ownership::epoch_text() const { return EncodeEpoch(epoch()); }

Status Ownership::CreateVolume(const std::string& path) {
  ObjectWrite create;
  create.Create()
      .SetAttribute(kEpochAttribute, EncodeEpoch(0))
      .SetAttribute(kOwnerAttribute, "")
      .SetAttribute(kChangeAttribute, "")
      .SetAttribute(kIdentityAttribute, NewUniqueName());
  const StoreResult created = RetryUntilKnown(
      store_, [&] { return store_->Apply(names_object_, create); }, Attempts());
  if (created.code == StoreCode::kExists) return Status::OK();
  return StatusOf(path, "create volume " + volume_, created);
}

Status Ownership::Acquire(const std::string& path) {
  Status status = CreateVolume(path);
  if (status.ok()) status = TakeLease(path);
  if (!status.ok()) return status;
  status = RaiseEpoch(path);
  if (!status.ok()) {
    const StoreResult released = store_->ReleaseLease(names_object_, cookie_);
    static_cast<void>(released);  // it ends by itself
  }
  return status;
}

Status Ownership::TakeLease(const std::string& path) {
  const auto take = [&] {
    return RetryUntilKnown(
        store_,
        [&] {
          return store_->TakeLease(names_object_, cookie_,
                                   options_.lease_seconds);
        },
        Attempts());
  };
  StoreResult taken = take();
  if (taken.code == StoreCode::kLocked) {
    LeaseHolder holder;
    const StoreResult found = store_->GetLeaseHolder(names_object_, &holder);
    if (found.ok() && !options_.take_over) {
      return Status::IOError(path, "lock: volume " + volume_ + " is owned by " +
                                       holder.client + "; it is free " +
                                       std::to_string(options_.lease_seconds) +
                                       " s after its owner has ended");
    }
    if (found.ok()) {
      const StoreResult broken = store_->BreakLease(names_object_, holder);
      static_cast<void>(broken);  // the next attempt shows it
    }
    taken = take();
  }
  return StatusOf(path, "take the lease of volume " + volume_, taken);
}

Status Ownership::RaiseEpoch(const std::string& path) {
  uint64_t epoch = 0;
  std::string owner_before;
  StoreResult raised;
  // Another client may have tried while it had the lease, and its request may
  // arrive only now.
  Attempts attempts;
  do {
    raised = TryToRaiseEpoch(&epoch, &owner_before);
  } while (raised.code == StoreCode::kUnequal && !attempts());
  if (!raised.ok()) {
    return StatusOf(path, "raise the epoch of volume " + volume_, raised);
  }
  const std::string address_before =
      owner_before.substr(0, owner_before.find(' '));
  if (options_.blocklist && !address_before.empty() &&
      address_before != store_->address()) {
    // Its changes are refused without this, too.
    const StoreResult listed = store_->Blocklist(address_before);
    static_cast<void>(listed);
  }
  lost_.store(false, std::memory_order_release);
  epoch_.store(epoch, std::memory_order_release);
  return Status::OK();
}

StoreResult Ownership::TryToRaiseEpoch(uint64_t* epoch,
                                       std::string* owner_before) {
  const auto read = [this](const char* attribute, std::string* value) {
    return RetryUntilKnown(
        store_,
        [&] { return store_->GetAttribute(names_object_, attribute, value); },
        Attempts());
  };
  std::string before;
  StoreResult result = read(kEpochAttribute, &before);
  if (result.ok()) result = read(kOwnerAttribute, owner_before);
  if (!result.ok()) return result;
  if (!DecodeEpoch(volume_, before, epoch).ok()) {
    return {StoreCode::kFailed, "the epoch is \"" + before + "\""};
  }
  const std::string after = EncodeEpoch(++*epoch);
  const std::string owner = store_->address() + " " + cookie_;
  ObjectWrite raise;
  raise.RequireEqual(kEpochAttribute, before)
      .SetAttribute(kEpochAttribute, after)
      .SetAttribute(kOwnerAttribute, owner)
      .SetAttribute(kChangeAttribute, after + ".0");
  result = RetryUntilKnown(
      store_, [&] { return store_->Apply(names_object_, raise); }, Attempts());
  if (result.code != StoreCode::kUnequal) return result;
  // An attempt without an answer may have taken effect.
  std::string owner_now;
  std::string epoch_now;
  StoreResult looked = read(kEpochAttribute, &epoch_now);
  if (looked.ok()) looked = read(kOwnerAttribute, &owner_now);
  if (!looked.ok()) return looked;
  return epoch_now == after && owner_now == owner ? StoreResult() : result;
}

void Ownership::Release() {
  if (!held()) return;
  if (!lost()) {
    ObjectWrite leave;
    leave.RequireEqual(kEpochAttribute, epoch_text())
        .SetAttribute(kOwnerAttribute, "");
    StoreResult left = store_->Apply(names_object_, leave);
    left = store_->ReleaseLease(names_object_, cookie_);
    static_cast<void>(left);  // the lease ends by itself
  }
  epoch_.store(0, std::memory_order_release);
}

StoreResult Ownership::Renew() {
  if (!held() || lost()) return {StoreCode::kFailed, "it is not held"};
  const StoreResult renewed =
      store_->TakeLease(names_object_, cookie_, options_.lease_seconds);
  if (renewed.code == StoreCode::kBlocklisted) {
    Lose("the cluster refuses this client (blocklist)");
    return renewed;
  }
  // Even if this client has the lease: others may have had it in between.
  uint64_t now = 0;
  const StoreResult read = ReadEpoch(&now);
  if (!read.ok()) return read;
  if (now == epoch()) return renewed;
  Lose("epoch " + std::to_string(now) + " took the volume over from epoch " +
       std::to_string(epoch()));
  if (renewed.ok()) {
    const StoreResult released = store_->ReleaseLease(names_object_, cookie_);
    static_cast<void>(released);
  }
  return {StoreCode::kUnequal, "another epoch has begun"};
}

StoreResult Ownership::ReadEpoch(uint64_t* epoch) const {
  std::string text;
  StoreResult read =
      store_->GetAttribute(names_object_, kEpochAttribute, &text);
  if (read.ok() && !DecodeEpoch(volume_, text, epoch).ok()) {
    read = {StoreCode::kFailed, "the epoch is malformed"};
  }
  return read;
}

Status Ownership::Check(const std::string& path,
                        const std::string& what) const {
  if (lost()) {
    const std::lock_guard lock(lost_mutex_);
    return Status::IOFenced(path, what + ": " + lost_why_);
  }
  if (!held()) {
    return Status::IOError(path, what + ": no file of volume " + volume_ +
                                     " is locked by this process");
  }
  return Status::OK();
}

Status Ownership::ErrorOf(const std::string& path, const std::string& what,
                          const StoreResult& result) {
  if (!held()) return Check(path, what);
  if (result.code == StoreCode::kBlocklisted) {
    Lose("the cluster refuses this client (blocklist)");
  } else if (result.code == StoreCode::kUnequal ||
             result.code == StoreCode::kExists ||
             result.code == StoreCode::kNotFound) {
    uint64_t now = 0;
    const StoreResult read = RetryUntilKnown(
        store_, [&] { return ReadEpoch(&now); }, [this] { return lost(); });
    if (read.ok() && now != epoch()) {
      Lose("epoch " + std::to_string(now) +
           " took the volume over from epoch " + std::to_string(epoch()));
    }
  }
  if (lost()) return Check(path, what);
  if (result.code == StoreCode::kNotFound) {
    return Status::IOError(path, what + ": an object of the file is gone");
  }
  return StatusOf(path, what, result);
}

void Ownership::Lose(const std::string& why) {
  {
    const std::lock_guard lock(lost_mutex_);
    if (lost()) return;
    lost_why_ = "volume " + volume_ + ": " + why;
    lost_.store(true, std::memory_order_release);
  }
  wake_();
}

Status Ownership::lost_status() const {
  const std::lock_guard lock(lost_mutex_);
  return Status::IOFenced(lost_why_);
}

void Ownership::WhenLost(const void* key,
                         std::function<void(const Status&)> lost_call) {
  const std::lock_guard lock(listeners_mutex_);
  if (lost_call == nullptr) {
    listeners_.erase(key);
    return;
  }
  const bool is_lost = lost();
  if (is_lost) lost_call(lost_status());
  listeners_[key] = {std::move(lost_call), is_lost};
}

void Ownership::TellLost() {
  if (!lost()) return;
  const std::lock_guard lock(listeners_mutex_);
  for (auto& [key, listener] : listeners_) {
    if (!listener.told) listener.lost(lost_status());
    listener.told = true;
  }
}

}  // namespace tamis::rados
