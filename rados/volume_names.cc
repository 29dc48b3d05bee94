// SPDX-License-Identifier: Apache-2.0
#include "rados/volume_names.h"

namespace tamis::rados {

namespace {

std::string NameKey(const std::string& path) { return kNamePrefix + path; }
std::string TrashKey(const std::string& id) { return kTrashPrefix + id; }

bool IsBelow(const std::string& path, const std::string& directory) {
  return path.size() > directory.size() && path.starts_with(directory) &&
         path[directory.size()] == '/';
}

// The files that the edits take the last name of, by id.
std::map<std::string, FileEntry> FilesWithoutName(
    const NameMap& names, const VolumeNames::Edits& edits) {
  std::map<std::string, FileEntry> gone;
  for (const auto& [path, entry] : edits) {
    const auto before = names.find(path);
    if (before != names.end() && !before->second.is_directory()) {
      gone[before->second.id] = before->second;
    }
  }
  if (gone.empty()) return gone;
  for (const auto& [path, entry] : edits) {
    if (entry.has_value()) gone.erase(entry->id);
  }
  for (const auto& [path, entry] : names) {
    if (!edits.contains(path)) gone.erase(entry.id);
  }
  return gone;
}

}  // namespace

Status CheckParent(const NameMap& names, const std::string& path,
                   const char* what) {
  const std::string parent = ParentOf(path);
  if (parent.empty()) return Status::OK();
  const auto found = names.find(parent);
  if (found != names.end() && found->second.is_directory()) return Status::OK();
  return Status::PathNotFound(path,
                              std::string(what) + ": there is no " + parent);
}

VolumeNames::VolumeNames(ObjectStore* store, Ownership* ownership, Clock* clock,
                         std::string volume)
    : store_(store),
      ownership_(ownership),
      clock_(clock),
      volume_(std::move(volume)),
      object_(NamesObject(volume_)) {}

Status VolumeNames::Load() {
  const auto get = [this](const char* prefix, EntryMap* entries) {
    const StoreResult got = RetryUntilKnown(
        store_, [&] { return store_->GetEntries(object_, prefix, entries); },
        [this] { return ownership_->lost(); });
    return StatusOf("volume " + volume_, "read its names", got);
  };
  EntryMap names;
  EntryMap trash;
  Status status = get(kNamePrefix, &names);
  if (status.ok()) status = get(kTrashPrefix, &trash);
  const std::lock_guard lock(mutex_);
  if (status.ok()) status = DecodeNames(volume_, names, &names_);
  if (status.ok()) status = DecodeTrash(volume_, trash, &trash_);
  last_change_ = EncodeChange({ownership_->epoch(), 0});
  changes_ = 0;
  ids_ = 0;
  unsettled_.reset();
  return status;
}

Status VolumeNames::Find(const std::string& path, FileEntry* entry) {
  if (ownership_->held()) {
    const Status owned = ownership_->Check(path, "look up");
    if (!owned.ok()) return owned;
    const std::lock_guard lock(mutex_);
    const auto found = names_.find(path);
    if (found == names_.end()) {
      return Status::PathNotFound(path, "no such name in volume " + volume_);
    }
    *entry = found->second;
    return Status::OK();
  }
  std::string text;
  const StoreResult got = RetryUntilKnown(
      store_, [&] { return store_->GetEntry(object_, NameKey(path), &text); },
      kNeverEnds);
  if (!got.ok()) return StatusOf(path, "look up", got);
  return DecodeEntry(volume_, NameKey(path), text, entry);
}

Status VolumeNames::FindBelow(const std::string& directory, NameMap* names) {
  names->clear();
  if (ownership_->held()) {
    const Status owned = ownership_->Check(directory, "list");
    if (!owned.ok()) return owned;
    const std::lock_guard lock(mutex_);
    for (auto it = names_.lower_bound(directory + "/");
         it != names_.end() && IsBelow(it->first, directory); ++it) {
      names->insert(*it);
    }
    return Status::OK();
  }
  EntryMap entries;
  const StoreResult got = RetryUntilKnown(
      store_,
      [&] {
        return store_->GetEntries(object_, NameKey(directory + "/"), &entries);
      },
      kNeverEnds);
  if (!got.ok()) return StatusOf(directory, "list", got);
  return DecodeNames(volume_, entries, names);
}

Status VolumeNames::FindLastChange(std::string* change) {
  return StatusOf("volume " + volume_, "look for changes",
                  ReadLastChange(change));
}

Status VolumeNames::Change(const std::string& path, const std::string& what,
                           const Edit& edit) {
  const std::lock_guard lock(mutex_);
  Status status = BeginLocked(path, what);
  if (!status.ok()) return status;
  Edits edits;
  status = edit(names_, &edits);
  if (!status.ok() || edits.empty()) return status;

  MapChange change;
  change.number = NextChange();
  for (const auto& [name, entry] : edits) {
    if (entry.has_value()) {
      change.write.SetEntry(NameKey(name), EncodeEntry(*entry));
    } else {
      change.write.RemoveEntry(NameKey(name));
    }
  }
  TrashMap trash;
  for (const auto& [id, entry] : FilesWithoutName(names_, edits)) {
    AddTrash(entry, &change, &trash);
  }
  change.done = [this, edits = std::move(edits), trash = std::move(trash)] {
    for (const auto& [name, entry] : edits) {
      if (entry.has_value()) {
        names_[name] = *entry;
      } else {
        names_.erase(name);
      }
    }
    trash_.insert(trash.begin(), trash.end());
  };
  return ApplyLocked(path, what, std::move(change));
}

void VolumeNames::AddTrash(const FileEntry& file, MapChange* change,
                           TrashMap* trash) const {
  const TrashEntry entry = {file.pool, clock_->NowMicros() / 1'000'000,
                            file.size, change->number};
  change->write.SetEntry(TrashKey(file.id), EncodeTrash(entry));
  trash->emplace(file.id, entry);
}

Status VolumeNames::Discard(const std::string& path,
                            const std::vector<FileEntry>& files) {
  const std::lock_guard lock(mutex_);
  const std::string what = "remove";
  const Status begun = BeginLocked(path, what);
  if (!begun.ok()) return begun;
  std::map<std::string, FileEntry> gone;
  for (const FileEntry& file : files) {
    if (!trash_.contains(file.id)) gone[file.id] = file;
  }
  for (const auto& [name, entry] : names_) gone.erase(entry.id);
  if (gone.empty()) return Status::OK();
  MapChange change;
  change.number = NextChange();
  TrashMap trash;
  for (const auto& [id, file] : gone) AddTrash(file, &change, &trash);
  change.done = [this, trash] { trash_.insert(trash.begin(), trash.end()); };
  return ApplyLocked(path, what, std::move(change));
}

Status VolumeNames::BeginLocked(const std::string& path,
                                const std::string& what) {
  const Status owned = ownership_->Check(path, what);
  if (!owned.ok()) return owned;
  const StoreResult settled = Settle();
  return settled.ok() ? owned : ownership_->ErrorOf(path, what, settled);
}

Status VolumeNames::ApplyLocked(const std::string& path,
                                const std::string& what, MapChange change) {
  const std::string name = EncodeChange(change.number);
  bool took_effect = false;
  StoreResult result = ApplyOnce(name, change.write, &took_effect);
  if (took_effect) {
    change.done();
  } else if (result.code == StoreCode::kUnknown) {
    unsettled_ = {name, std::move(change.done)};
  }
  return result.ok() ? Status::OK() : ownership_->ErrorOf(path, what, result);
}

StoreResult VolumeNames::Settle() {
  if (!unsettled_.has_value()) return {};
  // If this empty change takes effect, the other one never will.
  bool took_effect = false;
  StoreResult result =
      ApplyOnce(EncodeChange(NextChange()), ObjectWrite(), &took_effect);
  if (result.code == StoreCode::kUnequal) {
    std::string now;
    StoreResult read = ReadLastChange(&now);
    if (!read.ok()) return read;
    // Otherwise it is an earlier empty change, or another epoch's.
    if (now == unsettled_->name) unsettled_->done();
    if (!now.starts_with(ownership_->epoch_text())) return result;
    last_change_ = now;
    result = StoreResult();
  }
  if (result.ok()) unsettled_.reset();
  return result;
}

StoreResult VolumeNames::ReadLastChange(std::string* name) {
  return RetryUntilKnown(
      store_,
      [&] { return store_->GetAttribute(object_, kChangeAttribute, name); },
      [this] { return ownership_->lost(); });
}

ChangeNumber VolumeNames::NextChange() {
  return {ownership_->epoch(), ++changes_};
}

StoreResult VolumeNames::ApplyOnce(const std::string& name,
                                   const ObjectWrite& write,
                                   bool* took_effect) {
  ObjectWrite guarded;
  guarded.RequireEqual(kEpochAttribute, ownership_->epoch_text())
      .RequireEqual(kChangeAttribute, last_change_)
      .SetAttribute(kChangeAttribute, name)
      .Append(write);
  bool had_no_answer = false;
  StoreResult result = RetryUntilKnown(
      store_,
      [&] {
        StoreResult applied = store_->Apply(object_, guarded);
        had_no_answer |= applied.code == StoreCode::kUnknown;
        return applied;
      },
      [this] { return ownership_->lost(); });
  if (result.code == StoreCode::kUnequal && had_no_answer) {
    std::string now;
    const StoreResult read = ReadLastChange(&now);
    if (read.ok() && now == name) result = StoreResult();
    if (!read.ok()) result.code = StoreCode::kUnknown;
  } else if (!result.ok() && had_no_answer) {
    result.code = StoreCode::kUnknown;
  }
  *took_effect = result.ok();
  if (result.ok()) last_change_ = name;
  return result;
}

Status VolumeNames::CreateDirectory(const std::string& path) {
  FileEntry found;
  Status status = Find(path, &found);
  if (status.ok()) {
    return found.is_directory()
               ? Status::OK()
               : Status::IOError(path, "create directory: a file has the name");
  }
  if (!status.IsPathNotFound()) return status;
  const std::string what = "create directory";
  if (ownership_->held()) {
    return Change(path, what, [&](const NameMap& /*names*/, Edits* edits) {
      (*edits)[path] = FileEntry();
      return Status::OK();
    });
  }
  // A database is opened by creating its directory, then its lock. An owner
  // would not see the name.
  status = ownership_->CreateVolume(path);
  if (!status.ok()) return status;
  LeaseHolder holder;
  StoreResult result = store_->GetLeaseHolder(object_, &holder);
  if (result.ok()) {
    return Status::IOError(
        path, what + ": volume " + volume_ + " is owned by " + holder.client);
  }
  ObjectWrite create;
  std::string epoch;
  result = store_->GetAttribute(object_, kEpochAttribute, &epoch);
  if (result.ok()) {
    create.RequireEqual(kEpochAttribute, epoch)
        .SetEntry(NameKey(path), EncodeEntry(FileEntry()));
    result = RetryUntilKnown(
        store_, [&] { return store_->Apply(object_, create); }, kNeverEnds);
  }
  return StatusOf(path, what, result);
}

std::string VolumeNames::NewId() {
  const std::lock_guard lock(mutex_);
  return std::to_string(ownership_->epoch()) + "-" + std::to_string(++ids_);
}

TrashMap VolumeNames::TrashOlderThan(uint64_t seconds) const {
  TrashMap older;
  const std::lock_guard lock(mutex_);
  const uint64_t now = clock_->NowMicros() / 1'000'000;
  for (const auto& [id, entry] : trash_) {
    if (entry.seconds + seconds <= now) older.emplace(id, entry);
  }
  return older;
}

Status VolumeNames::ForgetTrash(const std::vector<std::string>& ids) {
  const std::lock_guard lock(mutex_);
  const std::string path = "volume " + volume_;
  const std::string what = "empty the trash";
  const Status begun = BeginLocked(path, what);
  if (!begun.ok()) return begun;
  MapChange change;
  change.number = NextChange();
  for (const std::string& id : ids) change.write.RemoveEntry(TrashKey(id));
  change.done = [this, ids] {
    for (const std::string& id : ids) trash_.erase(id);
  };
  return ApplyLocked(path, what, std::move(change));
}

}  // namespace tamis::rados
