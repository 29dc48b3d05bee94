// SPDX-License-Identifier: Apache-2.0
#include "rados/new_file.h"

namespace tamis::rados {

namespace {

class OwnedFile final : public NewFile {
 public:
  OwnedFile(std::shared_ptr<Volume> volume, std::string path, FileEntry entry)
      : NewFile(std::move(path), std::move(entry),
                volume->ownership()->epoch_text()),
        volume_(std::move(volume)) {}

  Status Close(uint64_t size) override {
    return volume_->names()->Change(
        path(), "close", [&](const NameMap& names, VolumeNames::Edits* edits) {
          // Under any names that it has by now.
          for (const auto& [name, found] : names) {
            if (found.id == entry().id) (*edits)[name] = Closed(size);
          }
          return Status::OK();
        });
  }
  Status ErrorOf(const std::string& what, const StoreResult& result) override {
    return volume_->ownership()->ErrorOf(path(), what, result);
  }

 private:
  const std::shared_ptr<Volume> volume_;
};

class GuestFile final : public NewFile {
 public:
  GuestFile(std::string path, std::string name, FileEntry entry,
            SharedDirectory directory)
      : NewFile(std::move(path), std::move(entry), directory.epoch_text()),
        name_(std::move(name)),
        directory_(std::move(directory)) {}

  Status Open() { return StatusOfPut("create", entry()); }
  Status Close(uint64_t size) override {
    return StatusOfPut("close", Closed(size));
  }
  Status ErrorOf(const std::string& what, const StoreResult& result) override {
    if (result.code != StoreCode::kUnequal &&
        result.code != StoreCode::kNotFound) {
      return StatusOf(path(), what, result);
    }
    return Status::IOFenced(
        path(), what +
                    ": the owner of the volume has removed the directory, "
                    "or was replaced");
  }

 private:
  Status StatusOfPut(const std::string& what, const FileEntry& entry) {
    const StoreResult put = directory_.Put(name_, entry);
    return put.ok() ? Status::OK() : ErrorOf(what, put);
  }

  const std::string name_;
  SharedDirectory directory_;
};

FileEntry OpenEntry(Pool pool, std::string id) {
  FileEntry entry;
  entry.kind = FileEntry::Kind::kOpen;
  entry.pool = pool;
  entry.id = std::move(id);
  return entry;
}

}  // namespace

FileEntry NewFile::Closed(uint64_t size) const {
  FileEntry closed = entry_;
  closed.kind = FileEntry::Kind::kClosed;
  closed.size = size;
  return closed;
}

Status CreateOwnedFile(const std::shared_ptr<Volume>& volume,
                       const std::string& path, const std::string& name,
                       Pool pool, std::unique_ptr<NewFile>* file) {
  FileEntry entry = OpenEntry(pool, volume->names()->NewId());
  const Status status = volume->names()->Change(
      path, "create", [&](const NameMap& names, VolumeNames::Edits* edits) {
        const auto found = names.find(name);
        if (found != names.end() && found->second.is_directory()) {
          return Status::IOError(path, "create: it is a directory");
        }
        (*edits)[name] = entry;
        return CheckParent(names, name, "create");
      });
  if (!status.ok()) return status;
  *file = std::make_unique<OwnedFile>(volume, path, std::move(entry));
  return status;
}

Status CreateGuestFile(const std::shared_ptr<Volume>& volume,
                       const std::string& path, const std::string& name,
                       Pool pool, SharedDirectory directory,
                       std::unique_ptr<NewFile>* file) {
  auto made = std::make_unique<GuestFile>(
      path, name, OpenEntry(pool, volume->NewGuestId(directory.id())),
      std::move(directory));
  const Status status = made->Open();
  if (status.ok()) *file = std::move(made);
  return status;
}

}  // namespace tamis::rados
