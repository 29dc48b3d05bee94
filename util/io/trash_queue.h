// SPDX-License-Identifier: Apache-2.0
//
// A TrashQueue deletes files slowly. It renames a file to <path>.trash and
// lists it; a timer of its JobRunner deletes the first of the list, or a part
// of it, and is set again for when the rate allows the next deletion.
//
//   Delete ──▶ rename ──▶ list ──▶ timer ──▶ RemoveFile, or Truncate ──▶ timer
//         └──▶ RemoveFile, if the rate or the ratio says so, or a step fails
//
// Trash that cannot be deleted becomes the last of the list, and leaves it
// after five attempts; it is then left to the next open, and counts until then.
//
// Any thread. Locks: step_mutex_ is held while trash is deleted, so a file
// system must not call the queue. mutex_ is a leaf.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tamis/clock.h"
#include "tamis/file_system.h"
#include "tamis/job_runner.h"
#include "tamis/logger.h"
#include "tamis/statistics.h"

#include "util/io/tracked_files.h"

namespace tamis {

inline constexpr char kTrashSuffix[] = ".trash";

class TrashQueue {
 public:
  struct Settings {
    int64_t bytes_per_second = 0;  // 0 or less: no rate
    double ratio_max = 0.25;       // of the trash, to all tracked files
    uint64_t chunk_bytes = 0;      // 0: files are deleted whole
  };

  TrashQueue(std::shared_ptr<TrackedFiles> files, std::shared_ptr<Clock> clock,
             std::shared_ptr<JobRunner> runner, std::shared_ptr<Logger> logger,
             const Settings& settings);
  // Leaves the trash that is listed. Waits for a deletion that runs.
  ~TrashQueue();
  TrashQueue(const TrashQueue&) = delete;
  TrashQueue& operator=(const TrashQueue&) = delete;

  // Deletes the file, now or later, and ends its count when it is gone. A path
  // that ends in kTrashSuffix is not renamed. Returns why a file could not be
  // deleted; OK if it is only listed. Does not throw what the file system
  // throws.
  Status Delete(const std::shared_ptr<FileSystem>& fs, const std::string& path);
  // Deletes the file now, and ends its count. Otherwise as Delete; counts no
  // statistics.
  Status DeleteAtOnce(FileSystem* fs, const std::string& path);

  Settings settings() const;
  void SetRate(int64_t bytes_per_second);
  void SetRatio(double ratio_max);
  void SetStatistics(std::shared_ptr<Statistics> statistics);
  uint64_t bytes() const;  // of the listed files

 private:
  // Shared with timers, which may outlive this object.
  class State;
  const std::shared_ptr<JobRunner> runner_;
  const std::shared_ptr<State> state_;
};

}  // namespace tamis
