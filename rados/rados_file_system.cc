// SPDX-License-Identifier: Apache-2.0
#include "rados/rados_file_system.h"

#include <functional>
#include <set>
#include <utility>

#include "tamis/rados.h"

#include "rados/cached_table.h"
#include "rados/file_reader.h"
#include "rados/file_writer.h"
#include "rados/volume_layout.h"

namespace tamis::rados {

namespace {

using Edits = VolumeNames::Edits;

class VolumeLock final : public FileLock {
 public:
  VolumeLock(std::shared_ptr<Volume> volume, std::string path)
      : volume_(std::move(volume)),
        path_(std::move(path)),
        epoch_(volume_->ownership()->epoch()) {}
  ~VolumeLock() override {
    if (!volume_->IsOfThisProcess()) return;
    volume_->ownership()->WhenLost(this, nullptr);
    volume_->Unlock(path_);
  }
  VolumeLock(const VolumeLock&) = delete;
  VolumeLock& operator=(const VolumeLock&) = delete;

  uint64_t epoch() const override { return epoch_; }
  void WhenLost(std::function<void(const Status& why)> lost) override {
    volume_->ownership()->WhenLost(this, std::move(lost));
  }
  std::function<Status()> ReadCheck() override {
    return [volume = volume_] { return volume->CheckLease(); };
  }

 private:
  const std::shared_ptr<Volume> volume_;
  const std::string path_;
  const uint64_t epoch_;
};

// The name of the file in its directory.
std::string NameIn(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

Status NoSuchFile(const std::string& path, const char* what) {
  return Status::PathNotFound(path, std::string(what) + ": no such file");
}

// Sets *entry to that of the file.
Status FindFile(const NameMap& names, const std::string& path, const char* what,
                FileEntry* entry) {
  const auto found = names.find(path);
  if (found == names.end()) return NoSuchFile(path, what);
  if (found->second.is_directory()) {
    return Status::IOError(path, std::string(what) + ": it is a directory");
  }
  *entry = found->second;
  return Status::OK();
}

bool HasChildren(const NameMap& names, const std::string& directory) {
  const auto below = names.lower_bound(directory + "/");
  return below != names.end() && below->first.starts_with(directory + "/");
}

// A file, or a directory with all that is below it.
Status Rename(const NameMap& names, const std::string& from,
              const std::string& to, Edits* edits) {
  const auto found = names.find(from);
  if (found == names.end()) return NoSuchFile(from, "rename");
  const Status parent = CheckParent(names, to, "rename");
  if (!parent.ok()) return parent;
  if (from == to) return Status::OK();
  const auto replaced = names.find(to);
  const bool is_directory = found->second.is_directory();
  if (replaced != names.end() &&
      (replaced->second.is_directory() != is_directory ||
       HasChildren(names, to))) {
    return Status::IOError(from, "rename: " + to + " is in the way");
  }
  if (is_directory && (to + "/").starts_with(from + "/")) {
    return Status::IOError(from, "rename: " + to + " is below it");
  }
  (*edits)[from] = std::nullopt;
  (*edits)[to] = found->second;
  for (auto it = names.lower_bound(from + "/");
       is_directory && it != names.end() && it->first.starts_with(from + "/");
       ++it) {
    (*edits)[it->first] = std::nullopt;
    (*edits)[to + it->first.substr(from.size())] = it->second;
  }
  return Status::OK();
}

}  // namespace

RadosFileSystem::RadosFileSystem(std::shared_ptr<Volume> volume,
                                 bool flush_waits)
    : volume_(std::move(volume)), flush_waits_(flush_waits) {}

Status RadosFileSystem::Find(const std::string& path, FileEntry* entry,
                             bool* of_guest) const {
  const std::string name = CleanPath(path);
  const uint64_t period = volume_->reader_period();
  Status status = volume_->names()->Find(name, entry);
  if (status.ok()) volume_->known_files()->Add(period, {{name, *entry}});
  if (of_guest != nullptr) *of_guest = false;
  if (!status.IsPathNotFound()) return status;
  const auto shared = volume_->FindShared(name);
  if (!shared) return status;
  status = shared->Find(NameIn(name), entry);
  if (of_guest != nullptr) *of_guest = status.ok();
  return status;
}

Status RadosFileSystem::FindTable(const std::string& path,
                                  FileEntry* entry) const {
  const bool is_known = !volume_->ownership()->held() &&
                        volume_->known_files()->FindTable(
                            volume_->reader_period(), CleanPath(path), entry);
  return is_known ? Status::OK() : Find(path, entry);
}

Status RadosFileSystem::FindToRead(
    const std::string& path, FileRole role, FileEntry* entry,
    std::unique_ptr<ReaderPin::Hold>* hold) const {
  Status status = volume_->BeginRead(hold);
  if (status.ok()) {
    status =
        role == FileRole::kTable ? FindTable(path, entry) : Find(path, entry);
  }
  if (status.ok() && entry->is_directory()) {
    status = Status::IOError(path, "open: it is a directory");
  }
  if (status.ok() && *hold != nullptr) (*hold)->Found(entry->id);
  return status;
}

uint64_t RadosFileSystem::FlushedBytesAtRisk() const {
  return flush_waits_ ? 0 : FileWriter::kAtRiskMax;
}

Status RadosFileSystem::NewSequentialFile(
    const std::string& path, std::unique_ptr<SequentialFile>* file) {
  file->reset();
  FileEntry entry;
  std::unique_ptr<ReaderPin::Hold> hold;
  const Status status = FindToRead(path, FileRole::kOther, &entry, &hold);
  if (status.ok()) {
    *file =
        NewSequentialReader(volume_, path, std::move(entry), std::move(hold));
  }
  return status;
}

Status RadosFileSystem::NewRandomAccessFile(
    const std::string& path, std::unique_ptr<RandomAccessFile>* file) {
  return OpenRandomAccessFile(path, FileOptions(), file);
}

Status RadosFileSystem::OpenRandomAccessFile(
    const std::string& path, const FileOptions& options,
    std::unique_ptr<RandomAccessFile>* file) {
  file->reset();
  if (options.use_direct_reads) {
    return Status::NotSupported(path, "a RADOS volume has no direct reads");
  }
  FileEntry entry;
  std::unique_ptr<ReaderPin::Hold> hold;
  const Status status = FindToRead(path, options.role, &entry, &hold);
  if (!status.ok()) return status;
  std::shared_ptr<LocalCache::File> pages =
      entry.is_open() ? nullptr : volume_->OpenPages(entry);
  const uint64_t size = entry.size;
  *file = NewRandomReader(volume_, path, std::move(entry), std::move(hold));
  if (pages != nullptr) {
    *file = NewCachedReader(std::move(*file), path, size, std::move(pages),
                            volume_->ownership());
  }
  return status;
}

Status RadosFileSystem::NewWritableFile(const std::string& path,
                                        std::unique_ptr<WritableFile>* file) {
  return OpenWritableFile(path, FileOptions(), file);
}

Status RadosFileSystem::OpenWritableFile(const std::string& path,
                                         const FileOptions& options,
                                         std::unique_ptr<WritableFile>* file) {
  file->reset();
  if (options.use_direct_writes) {
    return Status::NotSupported(path, "a RADOS volume has no direct writes");
  }
  const Pool pool =
      options.role == FileRole::kTable ? Pool::kTables : Pool::kLogs;
  const std::string name = CleanPath(path);
  std::unique_ptr<NewFile> made;
  auto shared =
      volume_->ownership()->held() ? std::nullopt : volume_->FindShared(name);
  const Status status = shared
                            ? CreateGuestFile(volume_, path, NameIn(name), pool,
                                              std::move(*shared), &made)
                            : CreateOwnedFile(volume_, path, name, pool, &made);
  if (!status.ok()) return status;
  std::shared_ptr<LocalCache::File> pages = volume_->OpenPages(made->entry());
  *file = std::make_unique<FileWriter>(volume_, std::move(made), flush_waits_);
  if (pages != nullptr) {
    *file = NewCachingWriter(std::move(*file), std::move(pages));
  }
  return status;
}

Status RadosFileSystem::FileExists(const std::string& path) {
  const std::string name = CleanPath(path);
  if (name.empty()) return Status::OK();
  FileEntry entry;
  return Find(name, &entry);
}

Status RadosFileSystem::GetChildren(const std::string& directory,
                                    std::vector<std::string>* names) {
  names->clear();
  const std::string name = CleanPath(directory);
  FileEntry entry;
  if (!name.empty()) {
    const Status status = volume_->names()->Find(name, &entry);
    if (!status.ok()) return status;
    if (!entry.is_directory()) {
      return Status::IOError(directory, "list: it is a file");
    }
  }
  NameMap below;
  const uint64_t period = volume_->reader_period();
  Status status = volume_->names()->FindBelow(name, &below);
  if (status.ok()) volume_->known_files()->Add(period, below);
  std::set<std::string> children;
  for (const auto& [path, child] : below) {
    const std::string rest = path.substr(name.size() + 1);
    children.insert(rest.substr(0, rest.find('/')));
  }
  if (status.ok() && entry.is_shared()) {
    NameMap files;
    status = volume_->SharedDirectoryOf(entry).List(&files);
    for (const auto& [child, file] : files) children.insert(child);
  }
  names->assign(children.begin(), children.end());
  return status;
}

Status RadosFileSystem::GetFileSize(const std::string& path, uint64_t* size) {
  FileEntry entry;
  const Status status = FindTable(path, &entry);
  if (!status.ok()) return status;
  *size = entry.size;
  if (!entry.is_open()) return status;
  return volume_->MeasureOpenFile(path, entry, size);
}

Status RadosFileSystem::RemoveFile(const std::string& path) {
  const std::string name = CleanPath(path);
  FileEntry found;
  bool of_guest = false;
  if (Find(path, &found, &of_guest).ok() && of_guest) {
    return RemoveGuests(path, found);
  }
  return volume_->names()->Change(
      path, "remove", [&](const NameMap& names, Edits* edits) {
        FileEntry entry;
        (*edits)[name] = std::nullopt;
        return FindFile(names, name, "remove", &entry);
      });
}

Status RadosFileSystem::NumFileLinks(const std::string& path, uint64_t* links) {
  FileEntry entry;
  Status status = volume_->names()->Find(CleanPath(path), &entry);
  NameMap all;
  if (status.ok()) status = volume_->names()->FindBelow("", &all);
  *links = 0;
  for (const auto& [name, other] : all) {
    if (!other.is_directory() && other.id == entry.id) ++*links;
  }
  return status;
}

Status RadosFileSystem::RenameFile(const std::string& from,
                                   const std::string& to) {
  return volume_->names()->Change(
      from, "rename", [&](const NameMap& names, Edits* edits) {
        return Rename(names, CleanPath(from), CleanPath(to), edits);
      });
}

Status RadosFileSystem::RemoveGuests(const std::string& path,
                                     const FileEntry& file) {
  Status status = volume_->names()->Discard(path, {file});
  const std::string name = CleanPath(path);
  auto shared = volume_->FindShared(name);
  if (!status.ok() || !shared) return status;
  const StoreResult forgotten = shared->Forget(NameIn(name));
  return forgotten.ok()
             ? status
             : volume_->ownership()->ErrorOf(path, "remove", forgotten);
}

Status RadosFileSystem::LinkFile(const std::string& from,
                                 const std::string& to) {
  const std::string name = CleanPath(to);
  FileEntry found;
  bool of_guest = false;
  Find(from, &found, &of_guest).PermitUncheckedError();
  if (of_guest && found.is_open()) {
    return Status::IOError(from, "link: it is being written");
  }
  return volume_->names()->Change(
      from, "link", [&](const NameMap& names, Edits* edits) {
        if (names.contains(name)) {
          return Status::IOError(from, "link: " + to + " exists");
        }
        FileEntry entry = found;
        Status status;
        if (!of_guest) {
          status = FindFile(names, CleanPath(from), "link", &entry);
        }
        (*edits)[name] = entry;
        return status.ok() ? CheckParent(names, name, "link") : status;
      });
}

Status RadosFileSystem::SyncFile(const std::string& path) {
  FileEntry entry;
  const Status status = Find(path, &entry);
  if (status.ok() && entry.is_open()) {
    return Status::NotSupported(path, "sync: a file that is being written");
  }
  return status;
}

Status RadosFileSystem::CreateDirIfMissing(const std::string& path) {
  const std::string name = CleanPath(path);
  return name.empty() ? Status::OK() : volume_->names()->CreateDirectory(name);
}

Status RadosFileSystem::CreateSharedDirectory(const std::string& path) {
  return volume_->CreateSharedDirectory(CleanPath(path));
}

Status RadosFileSystem::RemoveDir(const std::string& path) {
  const std::string name = CleanPath(path);
  FileEntry entry;
  if (volume_->names()->Find(name, &entry).ok() && entry.is_shared()) {
    const Status status = EndSharing(path, entry);
    if (!status.ok()) return status;
  }
  return volume_->names()->Change(
      path, "remove directory", [&](const NameMap& names, Edits* edits) {
        const auto found = names.find(name);
        if (found == names.end()) return NoSuchFile(path, "remove directory");
        if (!found->second.is_directory() || HasChildren(names, name)) {
          return Status::IOError(path, "remove directory: it is not empty");
        }
        (*edits)[name] = std::nullopt;
        return Status::OK();
      });
}

Status RadosFileSystem::EndSharing(const std::string& path,
                                   const FileEntry& entry) {
  SharedDirectory shared = volume_->SharedDirectoryOf(entry);
  NameMap files;
  Status status = shared.List(&files);
  if (!status.ok()) return status;
  if (!files.empty()) {
    return Status::IOError(path, "remove directory: it is not empty");
  }
  status = volume_->ownership()->Check(path, "remove directory");
  if (!status.ok()) return status;
  const StoreResult removed = shared.Remove();
  return removed.ok()
             ? status
             : volume_->ownership()->ErrorOf(path, "remove directory", removed);
}

Status RadosFileSystem::SyncDirectory(const std::string& path) {
  return FileExists(path);
}

Status RadosFileSystem::GetDirectoryVersion(const std::string& /*path*/,
                                            std::string* version) {
  return volume_->names()->FindLastChange(version);
}

Status RadosFileSystem::LockFile(const std::string& path,
                                 std::unique_ptr<FileLock>* lock) {
  lock->reset();
  const std::string name = CleanPath(path);
  Status status = volume_->Lock(name);
  if (!status.ok()) return status;
  auto made = std::make_unique<VolumeLock>(volume_, name);
  // As elsewhere, the file is there afterwards.
  FileEntry entry;
  if (volume_->names()->Find(name, &entry).IsPathNotFound()) {
    std::unique_ptr<WritableFile> file;
    status = NewWritableFile(path, &file);
    if (status.ok()) status = file->Close();
    if (!status.ok()) return status;
  }
  *lock = std::move(made);
  return status;
}

Status RadosFileSystem::WatchDirectory(const std::string& /*path*/,
                                       std::function<void()> changed,
                                       std::unique_ptr<DirectoryWatch>* watch) {
  return volume_->WatchChanges(std::move(changed), volume_, watch);
}

Status RadosFileSystem::IsLocked(const std::string& path, bool* locked) {
  *locked = false;
  LeaseHolder holder;
  const StoreResult found =
      volume_->store()->GetLeaseHolder(NamesObject(volume_->name()), &holder);
  if (found.code == StoreCode::kNotFound) return Status::OK();
  *locked = found.ok();
  return StatusOf(path, "look for the owner", found);
}

}  // namespace tamis::rados

namespace tamis {

bool GetRadosCacheStats(const FileSystem& file_system, RadosCacheStats* stats) {
  const auto* const volume =
      dynamic_cast<const rados::RadosFileSystem*>(&file_system);
  if (volume == nullptr || volume->cache() == nullptr) return false;
  *stats = volume->cache()->stats();
  return true;
}

}  // namespace tamis
