// SPDX-License-Identifier: Apache-2.0
//
// A FileSystem that skips some syncs but returns OK, as if the engine had
// forgotten them. The tests must detect that.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "tests/support/wrapped_file_system.h"

namespace tamis::crash {

enum class Forgotten : uint8_t {
  kNothing = 0,
  kLogSync = 1,
  kTableSync = 2,
  kManifestSync = 3,
  kCurrentSync = 4,
  kDirectorySync = 5,
};

class ForgetfulFileSystem : public WrappedFileSystem {
 public:
  ForgetfulFileSystem(std::shared_ptr<FileSystem> base, Forgotten what)
      : WrappedFileSystem(std::move(base)), what_(what) {}

  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    const Status status = WrappedFileSystem::NewWritableFile(path, file);
    if (status.ok() && Forgets(path)) {
      *file = std::make_unique<UnsyncedFile>(std::move(*file));
    }
    return status;
  }
  Status SyncDirectory(const std::string& path) override {
    return what_ == Forgotten::kDirectorySync
               ? Status::OK()
               : WrappedFileSystem::SyncDirectory(path);
  }

 private:
  class UnsyncedFile : public WrappedWritableFile {
   public:
    using WrappedWritableFile::WrappedWritableFile;
    Status Sync() override { return Flush(); }
  };

  bool Forgets(const std::string& path) const {
    const auto names = [&path](const char* part) {
      return path.find(part) != std::string::npos;
    };
    switch (what_) {
      case Forgotten::kLogSync:
        return names(".log");
      case Forgotten::kTableSync:
        return names(".sst");
      case Forgotten::kManifestSync:
        return names("/MANIFEST");
      case Forgotten::kCurrentSync:
        return names(".dbtmp");
      default:
        return false;
    }
  }

  const Forgotten what_;
};

}  // namespace tamis::crash
