// SPDX-License-Identifier: Apache-2.0
//
// A DirectoryProbe tells in two reads whether another process has changed a
// database's directory, other than by appending to a log:
//
//   Begin ── the directory is read ── ... ── logs are read ── IsUnchanged?
//      │                                                          │
//      └── version of the directory, bytes of the MANIFEST ───────┘
//
// Where it is unchanged, what was read after Begin is still right, and the logs
// that were there are all logs. Only for file systems that have versions of
// directories; with others, it never is unchanged.
//
// One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tamis/file_system.h"

#include "db/recovery/one_moment.h"

namespace tamis {

class DirectoryProbe {
 public:
  // Both must outlive *this.
  DirectoryProbe(FileSystem* fs, const std::string* directory)
      : fs_(fs), directory_(*directory) {}

  // Call it before the directory is read; `begin` is what MomentOf just
  // returned.
  void Begin(const DirectoryMoment& begin);
  // What was read is of no use.
  void Forget() { is_set_ = false; }
  bool is_set() const { return is_set_; }
  // Returns whether no file was created, renamed or removed since Begin, and
  // the MANIFEST did not grow. REQUIRES: is_set()
  bool IsUnchanged() const;

 private:
  FileSystem* const fs_;
  const std::string& directory_;
  bool is_set_ = false;
  std::string version_;
  std::string manifest_name_;
  std::unique_ptr<RandomAccessFile> manifest_;
  uint64_t manifest_bytes_ = 0;
};

}  // namespace tamis
