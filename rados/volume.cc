// SPDX-License-Identifier: Apache-2.0
#include "rados/volume.h"

#include <chrono>
#include <exception>
#include <unistd.h>
#include <utility>
#include <vector>

#include "rados/volume_layout.h"

namespace tamis::rados {

namespace {

constexpr size_t kFilesForgottenAtOnce = 100;

}  // namespace

Volume::Options Volume::OptionsFrom(const RadosOptions& rados) {
  Options options;
  options.name = rados.volume;
  options.ownership.lease_seconds = rados.lease_seconds;
  options.ownership.take_over = rados.take_over;
  options.ownership.blocklist = rados.blocklist;
  options.trash_seconds = rados.trash_seconds;
  options.pins.seconds = rados.pin_seconds;
  options.pins.bytes = rados.pin_bytes;
  options.clock = NewSystemClock();
  return options;
}

Volume::Volume(std::unique_ptr<ObjectStore> store, const Options& options)
    : options_(options),
      store_(std::move(store)),
      ownership_(store_.get(), options.name, options.ownership,
                 [this] { WakeThread(); }),
      names_(store_.get(), &ownership_, options.clock.get(), options.name),
      reader_pin_(store_.get(), options.clock.get(), options.name,
                  options.ownership.lease_seconds),
      pin_watch_(store_.get(), &ownership_, options.clock.get(), options.name,
                 options.pins),
      change_watches_(store_.get(), NamesObject(options.name)),
      change_notifier_(store_.get(), options.clock.get(),
                       NamesObject(options.name)),
      process_(::getpid()) {}

Volume::~Volume() {
  StopThread();
  if (!IsOfThisProcess()) return;
  reader_pin_.End();
  change_notifier_.End();
  Release();
}

// Not while a reader renews the lease: it would be taken again.
void Volume::Release() {
  const std::lock_guard lock(renew_mutex_);
  ownership_.Release();
}

bool Volume::IsOfThisProcess() const { return process_ == ::getpid(); }

Status Volume::Lock(const std::string& path) {
  const std::lock_guard lock(locks_mutex_);
  if (locks_.contains(path)) {
    return Status::IOError(path, "lock: this process has locked it already");
  }
  if (locks_.empty()) {
    const Status status = TakeOver(path);
    if (!status.ok()) return status;
  } else {
    const Status owned = ownership_.Check(path, "lock");
    if (!owned.ok()) return owned;
  }
  locks_.insert(path);
  return Status::OK();
}

void Volume::Unlock(const std::string& path) {
  if (!IsOfThisProcess()) return;
  const std::lock_guard lock(locks_mutex_);
  locks_.erase(path);
  if (!locks_.empty()) return;
  StopThread();
  Release();
  if (reader_pin_.has_pin() || change_watches_.any()) StartThread();
}

Status Volume::BeginRead(std::unique_ptr<ReaderPin::Hold>* hold) {
  hold->reset();
  if (ownership_.held()) return Status::OK();
  bool is_new = false;
  const Status status = reader_pin_.Begin(hold, &is_new);
  if (!status.ok() || !is_new) return status;
  const std::lock_guard lock(locks_mutex_);
  StartThread();
  return status;
}

Status Volume::WatchChanges(std::function<void()> changed,
                            std::shared_ptr<const void> keeps_alive,
                            std::unique_ptr<DirectoryWatch>* watch) {
  const StoreResult begun =
      change_watches_.Begin(std::move(changed), std::move(keeps_alive), watch);
  if (!begun.ok()) {
    return StatusOf("volume " + options_.name, "watch it", begun);
  }
  const std::lock_guard lock(locks_mutex_);
  StartThread();
  return Status::OK();
}

Status Volume::TakeOver(const std::string& path) {
  const uint64_t begin = options_.clock->NowNanos();
  Status status = ownership_.Acquire(path);
  if (!status.ok()) return status;
  lease_end_ = begin + LeaseNanos();
  status = names_.Load();
  NameMap all;
  if (status.ok()) status = names_.FindBelow("", &all);
  if (status.ok()) status = CloseOpenFiles(all);
  if (status.ok()) status = EndSharedDirectories(all);
  if (!status.ok()) {
    Release();
    return status;
  }
  StartThread();
  return status;
}

Status Volume::CloseOpenFiles(const NameMap& all) {
  VolumeNames::Edits closed;
  for (const auto& [path, entry] : all) {
    if (!entry.is_open()) continue;
    FileEntry taken = entry;
    const Status status = TakeStripes(path, &taken);
    if (!status.ok()) return status;
    closed[path] = taken;
  }
  return names_.Change(
      "volume " + options_.name, "close the files of its former owner",
      [&](const NameMap& /*names*/, VolumeNames::Edits* edits) {
        *edits = closed;
        return Status::OK();
      });
}

Status Volume::EndSharedDirectories(const NameMap& all) {
  for (const auto& [path, entry] : all) {
    if (!entry.is_shared()) continue;
    const Status status = EndSharedDirectory(path, entry);
    if (!status.ok()) return status;
  }
  return Status::OK();
}

// No guest adds a file after the first step. If a step fails, the name of the
// directory is still there, and the next owner begins again.
Status Volume::EndSharedDirectory(const std::string& path,
                                  const FileEntry& entry) {
  SharedDirectory directory = SharedDirectoryOf(entry);
  const StoreResult taken = directory.TakeOver(ownership_.epoch_text());
  if (!taken.ok() && taken.code != StoreCode::kNotFound) {
    return ownership_.ErrorOf(path, "take over", taken);
  }
  NameMap files;
  Status status = directory.List(&files);
  if (!status.ok()) return status;
  std::vector<FileEntry> discarded;
  for (const auto& [name, file] : files) discarded.push_back(file);
  status = names_.Discard(path, discarded);
  if (!status.ok()) return status;
  const StoreResult removed = directory.Remove();
  if (!removed.ok()) return ownership_.ErrorOf(path, "remove", removed);
  return names_.Change(
      path, "remove", [&](const NameMap& names, VolumeNames::Edits* edits) {
        (*edits)[path] = std::nullopt;
        for (auto it = names.lower_bound(path + "/");
             it != names.end() && it->first.starts_with(path + "/"); ++it) {
          (*edits)[it->first] = std::nullopt;
        }
        return Status::OK();
      });
}

Status Volume::CreateSharedDirectory(const std::string& path) {
  const std::string what = "create directory";
  const Status owned = ownership_.Check(path, what);
  if (!owned.ok()) return owned;
  FileEntry made;
  made.id = names_.NewId();
  const Status status = names_.Change(
      path, what, [&](const NameMap& names, VolumeNames::Edits* edits) {
        if (names.contains(path)) {
          return Status::IOError(path, what + ": it exists");
        }
        (*edits)[path] = made;
        return CheckParent(names, path, what.c_str());
      });
  if (!status.ok()) return status;
  // An object that no name leads to is an orphan.
  const StoreResult created = SharedDirectoryOf(made).Create();
  return created.ok() ? status : ownership_.ErrorOf(path, what, created);
}

SharedDirectory Volume::SharedDirectoryOf(const FileEntry& entry) {
  return {store_.get(), options_.name, entry.id};
}

std::optional<SharedDirectory> Volume::FindShared(const std::string& path) {
  FileEntry parent;
  const std::string directory = ParentOf(path);
  if (directory.empty() || !names_.Find(directory, &parent).ok() ||
      !parent.is_shared()) {
    return std::nullopt;
  }
  return SharedDirectoryOf(parent);
}

std::string Volume::NewGuestId(const std::string& directory_id) {
  return directory_id + "-" + guest_ + "-" + std::to_string(++guest_ids_);
}

Status Volume::TakeStripes(const std::string& path, FileEntry* entry) {
  uint64_t size = 0;
  for (uint64_t n = 0;; ++n) {
    const ObjectName stripe =
        StripeObject(options_.name, entry->pool, entry->id, n);
    const Status taken = TakeStripe(path, stripe);
    if (!taken.ok()) return taken;
    uint64_t bytes = 0;
    const StoreResult measured = RetryUntilKnown(
        store_.get(), [&] { return store_->GetSize(stripe, &bytes); },
        [this] { return ownership_.lost(); });
    if (!measured.ok()) return ownership_.ErrorOf(path, "measure", measured);
    size = n * kStripeBytes + bytes;
    if (bytes < kStripeBytes) break;
  }
  entry->kind = FileEntry::Kind::kClosed;
  entry->size = size;
  return Status::OK();
}

// The stripe behind the last one is created: the owner before may be about to.
Status Volume::TakeStripe(const std::string& path, const ObjectName& stripe) {
  const std::string epoch = ownership_.epoch_text();
  // An owner that was replaced meanwhile must not take it back.
  ObjectWrite take;
  take.RequireAtMost(kWriterAttribute, epoch)
      .SetAttribute(kWriterAttribute, epoch);
  ObjectWrite create;
  create.Create().SetAttribute(kWriterAttribute, epoch);
  const auto apply = [&](const ObjectWrite& write) {
    return RetryUntilKnown(
        store_.get(), [&] { return store_->Apply(stripe, write); },
        [this] { return ownership_.lost(); });
  };
  StoreResult result = apply(take);
  if (result.code == StoreCode::kNotFound) {
    result = apply(create);
    if (result.code == StoreCode::kExists) result = apply(take);
  }
  if (result.ok()) return Status::OK();
  return ownership_.ErrorOf(path, "take over", result);
}

Status Volume::MeasureOpenFile(const std::string& path, const FileEntry& entry,
                               uint64_t* size) {
  *size = 0;
  for (uint64_t n = 0;; ++n) {
    uint64_t bytes = 0;
    const ObjectName stripe =
        StripeObject(options_.name, entry.pool, entry.id, n);
    const StoreResult measured = RetryUntilKnown(
        store_.get(), [&] { return store_->GetSize(stripe, &bytes); },
        kNeverEnds);
    if (measured.code == StoreCode::kNotFound) return Status::OK();
    if (!measured.ok()) return StatusOf(path, "measure", measured);
    *size = n * kStripeBytes + bytes;
    if (bytes < kStripeBytes) return Status::OK();
  }
}

std::shared_ptr<LocalCache::File> Volume::OpenPages(const FileEntry& entry) {
  if (options_.cache == nullptr || entry.pool != Pool::kTables) return nullptr;
  const std::string key = CacheKey(entry.id);
  return key.empty() ? nullptr : options_.cache->OpenFile(key);
}

std::string Volume::CacheKey(const std::string& id) {
  const std::lock_guard lock(identity_mutex_);
  if (identity_.empty()) {
    std::string identity;
    const StoreResult got = store_->GetAttribute(NamesObject(options_.name),
                                                 kIdentityAttribute, &identity);
    if (!got.ok()) return "";
    identity_ = std::move(identity);
  }
  return identity_ + "." + id;
}

void Volume::Tend() {
  RenewIfDue(/*after_nanos=*/0);
  ownership_.TellLost();
  reader_pin_.Renew();
  change_watches_.Renew();
  if (ownership_.held()) change_notifier_.Tick();
  RemoveTrash();
}

void Volume::RenewIfDue(uint64_t after_nanos) {
  const uint64_t now = options_.clock->NowNanos();
  if (now - last_renewal_ < after_nanos) return;
  last_renewal_ = now;
  const StoreResult renewed = Renew();
  static_cast<void>(renewed);  // the next round tries again
}

// The cluster counts from when it receives the request, which is later.
StoreResult Volume::Renew() {
  const uint64_t begin = options_.clock->NowNanos();
  StoreResult renewed = ownership_.Renew();
  if (renewed.ok()) lease_end_ = begin + LeaseNanos();
  return renewed;
}

bool Volume::LeaseRanOut() const {
  return options_.clock->NowNanos() >=
         lease_end_.load(std::memory_order_relaxed);
}

Status Volume::CheckLease() {
  for (uint32_t attempt = 0;; ++attempt) {
    if (!ownership_.held() || !LeaseRanOut()) return Status::OK();
    StoreResult renewed;
    {
      const std::lock_guard lock(renew_mutex_);
      if (!ownership_.held()) return Status::OK();
      if (LeaseRanOut()) renewed = Renew();
    }
    const std::string path = "volume " + options_.name;
    if (ownership_.lost()) return ownership_.Check(path, "read");
    // Another client that has the lease raises the epoch next, or gives up.
    if (!renewed.ok() && renewed.code != StoreCode::kUnknown &&
        renewed.code != StoreCode::kLocked) {
      return StatusOf(path, "renew the lease", renewed);
    }
    if (!renewed.ok()) store_->WaitToRetry(attempt);
  }
}

// An id is never used again, so it does no harm if these removals take effect
// after another client took the volume over.
void Volume::RemoveTrash() {
  const TrashMap due = names_.TrashOlderThan(options_.trash_seconds);
  std::set<std::string> held;
  if (due.empty() || !pin_watch_.Hold(due, &held).ok()) return;
  std::vector<std::string> removed;
  const auto forget = [&] {
    // What failed is tried again, or stays for the next owner.
    if (!removed.empty()) names_.ForgetTrash(removed).PermitUncheckedError();
    removed.clear();
  };
  for (const auto& [id, file] : due) {
    if (held.contains(id)) continue;
    if (!ownership_.held() || ownership_.lost()) return;
    if (RemoveStripes(file.pool, id).ok()) {
      removed.push_back(id);
      if (options_.cache != nullptr) options_.cache->Remove(CacheKey(id));
    }
    // There may be many of them.
    RenewIfDue(RenewalPeriod());
    if (removed.size() == kFilesForgottenAtOnce) forget();
  }
  forget();
}

// Two renewals may fail before the lease ends.
uint64_t Volume::RenewalPeriod() const { return LeaseNanos() / 3; }

uint64_t Volume::LeaseNanos() const {
  return uint64_t{options_.ownership.lease_seconds} * 1'000'000'000;
}

Status Volume::RemoveStripes(Pool pool, const std::string& id) {
  ObjectWrite remove;
  remove.Remove();
  uint64_t missing = 0;
  for (uint64_t n = 0; missing <= kStripesAhead; ++n) {
    const ObjectName stripe = StripeObject(options_.name, pool, id, n);
    const StoreResult removed = store_->Apply(stripe, remove);
    if (removed.ok()) {
      missing = 0;
    } else if (removed.code == StoreCode::kNotFound) {
      ++missing;
    } else {
      return StatusOf(stripe.name, "remove", removed);
    }
  }
  return Status::OK();
}

void Volume::StartThread() {
  if (!options_.has_thread || thread_.joinable()) return;
  {
    const std::lock_guard lock(thread_mutex_);
    stop_ = false;
    woken_ = false;
  }
  thread_ = std::thread([this] { RunThread(); });
}

void Volume::StopThread() {
  if (!thread_.joinable()) return;
  if (!IsOfThisProcess()) {
    thread_.detach();  // it does not exist in a forked child
    return;
  }
  {
    const std::lock_guard lock(thread_mutex_);
    stop_ = true;
  }
  thread_changed_.notify_all();
  thread_.join();
}

void Volume::WakeThread() {
  {
    const std::lock_guard lock(thread_mutex_);
    woken_ = true;
  }
  thread_changed_.notify_all();
}

void Volume::RunThread() {
  const std::chrono::nanoseconds period(RenewalPeriod());
  std::unique_lock lock(thread_mutex_);
  while (!stop_) {
    thread_changed_.wait_for(lock, period, [this] { return stop_ || woken_; });
    if (stop_) return;
    woken_ = false;
    lock.unlock();
    try {
      Tend();
    } catch (const std::exception&) {
      // No memory: the next round may have some.
    }
    lock.lock();
  }
}

}  // namespace tamis::rados
