// SPDX-License-Identifier: Apache-2.0
//
// A NewFile is a file that is being written: its entry, the epoch that may
// write its stripes, and how its name becomes that of a closed file.
//
//   of the owner   a change of the volume's names
//   of a guest     a change of its shared directory (shared_directory.h)
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "tamis/status.h"

#include "rados/object_store.h"
#include "rados/shared_directory.h"
#include "rados/volume.h"
#include "rados/volume_layout.h"

namespace tamis::rados {

class NewFile {
 public:
  NewFile(std::string path, FileEntry entry, std::string epoch_text)
      : path_(std::move(path)),
        entry_(std::move(entry)),
        epoch_text_(std::move(epoch_text)) {}
  virtual ~NewFile() = default;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  const std::string& path() const { return path_; }
  const FileEntry& entry() const { return entry_; }
  const std::string& epoch_text() const { return epoch_text_; }

  virtual Status Close(uint64_t size) = 0;
  // The error of a change that failed.
  virtual Status ErrorOf(const std::string& what,
                         const StoreResult& result) = 0;

 protected:
  FileEntry Closed(uint64_t size) const;

 private:
  const std::string path_;  // for messages
  const FileEntry entry_;
  const std::string epoch_text_;
};

// Create the name of a file, which replaces a former one, in the volume's names
// or in a directory that its owner has shared. `name` is the clean path, or the
// name in the directory.
Status CreateOwnedFile(const std::shared_ptr<Volume>& volume,
                       const std::string& path, const std::string& name,
                       Pool pool, std::unique_ptr<NewFile>* file);
Status CreateGuestFile(const std::shared_ptr<Volume>& volume,
                       const std::string& path, const std::string& name,
                       Pool pool, SharedDirectory directory,
                       std::unique_ptr<NewFile>* file);

}  // namespace tamis::rados
