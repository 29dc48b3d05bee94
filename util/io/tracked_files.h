// SPDX-License-Identifier: Apache-2.0
//
// TrackedFiles knows the size of each counted file and their sum, and whether
// the sum, with what running compactions may add, reaches a limit.
//
// Any thread. The mutex is a leaf: no call leaves the object.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "util/base/mutex.h"

namespace tamis {

class TrackedFiles {
 public:
  struct File {
    std::string path;
    uint64_t bytes;
  };

  // Counts the file; if it counts already, with the new size. Throws
  // std::bad_alloc, and then changes nothing, as Rename and ReplaceDirectory
  // do.
  void Add(const std::string& path, uint64_t bytes) EXCLUDES(mutex_);
  // Ends the count of the file, if it counts.
  void Remove(const std::string& path) noexcept EXCLUDES(mutex_);
  // Counts the file under its new path, if it counts. Ends the count of a file
  // that had that path.
  void Rename(const std::string& from, const std::string& to) EXCLUDES(mutex_);
  // Sets the size of the file, if it counts and is larger.
  void Shorten(const std::string& path, uint64_t bytes) noexcept
      EXCLUDES(mutex_);
  // Counts these files, and no others, of those that are in the directory
  // itself.
  void ReplaceDirectory(const std::string& directory,
                        const std::vector<File>& files) EXCLUDES(mutex_);

  uint64_t total() const EXCLUDES(mutex_);
  std::unordered_map<std::string, uint64_t> all() const EXCLUDES(mutex_);

  // 0 means no limit.
  void SetLimit(uint64_t bytes) EXCLUDES(mutex_);
  void SetCompactionBuffer(uint64_t bytes) EXCLUDES(mutex_);
  bool LimitIsReached(bool including_compactions) const EXCLUDES(mutex_);
  // Sets aside what a compaction may write. Returns false, and sets nothing
  // aside, if the limit would be reached. Each success needs a Release.
  bool Reserve(uint64_t bytes) EXCLUDES(mutex_);
  void Release(uint64_t bytes) noexcept EXCLUDES(mutex_);
  // Returns whether the limit is not reached, and, if `bytes` is not 0, whether
  // a compaction that writes them could be started if no other ran.
  bool HasRoomFor(uint64_t bytes) const EXCLUDES(mutex_);

 private:
  bool Reaches(uint64_t bytes) const REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::unordered_map<std::string, uint64_t> bytes_ GUARDED_BY(mutex_);
  uint64_t total_ GUARDED_BY(mutex_) = 0;
  uint64_t reserved_ GUARDED_BY(mutex_) = 0;  // by running compactions
  uint64_t limit_ GUARDED_BY(mutex_) = 0;
  uint64_t buffer_ GUARDED_BY(mutex_) = 0;
};

}  // namespace tamis
