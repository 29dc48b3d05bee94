// SPDX-License-Identifier: Apache-2.0
//
// A FileSystem over a Volume: what the paths of its calls mean. tamis/rados.h
// has what users see of it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tamis/file_system.h"

#include "rados/volume.h"
#include "rados/volume_layout.h"

namespace tamis::rados {

class RadosFileSystem final : public FileSystem {
 public:
  RadosFileSystem(std::shared_ptr<Volume> volume, bool flush_waits);

  const char* Name() const override { return "RadosFileSystem"; }
  uint64_t FlushedBytesAtRisk() const override;
  Status NewSequentialFile(const std::string& path,
                           std::unique_ptr<SequentialFile>* file) override;
  Status NewRandomAccessFile(const std::string& path,
                             std::unique_ptr<RandomAccessFile>* file) override;
  // A table may be found as the last listing had it.
  Status OpenRandomAccessFile(const std::string& path,
                              const FileOptions& options,
                              std::unique_ptr<RandomAccessFile>* file) override;
  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override;
  Status OpenWritableFile(const std::string& path, const FileOptions& options,
                          std::unique_ptr<WritableFile>* file) override;

  Status FileExists(const std::string& path) override;
  Status GetChildren(const std::string& directory,
                     std::vector<std::string>* names) override;
  Status GetFileSize(const std::string& path, uint64_t* size) override;
  Status RemoveFile(const std::string& path) override;
  Status NumFileLinks(const std::string& path, uint64_t* links) override;
  Status RenameFile(const std::string& from, const std::string& to) override;
  Status LinkFile(const std::string& from, const std::string& to) override;
  Status SyncFile(const std::string& path) override;
  Status CreateDirIfMissing(const std::string& path) override;
  Status CreateSharedDirectory(const std::string& path) override;
  Status RemoveDir(const std::string& path) override;
  // Of the whole volume, without files that guests make.
  Status GetDirectoryVersion(const std::string& path,
                             std::string* version) override;
  // Every change of a name is durable when its call returns.
  Status SyncDirectory(const std::string& path) override;

  const LocalCache* cache() const { return volume_->cache(); }

  // Of the whole volume.
  Status WatchDirectory(const std::string& path, std::function<void()> changed,
                        std::unique_ptr<DirectoryWatch>* watch) override;

  Status LockFile(const std::string& path,
                  std::unique_ptr<FileLock>* lock) override;
  Status IsLocked(const std::string& path, bool* locked) override;

 private:
  // Sets *entry to that of a name of the volume, or of one that a guest has
  // made in a shared directory; *of_guest, unless it is nullptr, to which.
  Status Find(const std::string& path, FileEntry* entry,
              bool* of_guest = nullptr) const;
  Status RemoveGuests(const std::string& path, const FileEntry& file);
  // Before a shared directory is removed: no guest adds a file any more.
  Status EndSharing(const std::string& path, const FileEntry& entry);
  // The same for the name of a table. The cluster is not called if the name was
  // found in this period of the reader's pin.
  Status FindTable(const std::string& path, FileEntry* entry) const;
  // Sets *entry to that of a file, for reading, and *hold to what its reader
  // keeps.
  Status FindToRead(const std::string& path, FileRole role, FileEntry* entry,
                    std::unique_ptr<ReaderPin::Hold>* hold) const;

  const std::shared_ptr<Volume> volume_;
  const bool flush_waits_;
};

}  // namespace tamis::rados
