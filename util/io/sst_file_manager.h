// SPDX-License-Identifier: Apache-2.0
//
// SstFileManagerImpl is what every SstFileManager is: the count of the files
// (TrackedFiles), and the files that are deleted slowly (TrashQueue). Its own
// calls are those of databases.
//
// Any thread. It calls no database.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tamis/sst_file_manager.h"

#include "util/base/process.h"
#include "util/io/tracked_files.h"
#include "util/io/trash_queue.h"

namespace tamis {

class SstFileManagerImpl final : public SstFileManager {
 public:
  SstFileManagerImpl(std::shared_ptr<Clock> clock,
                     std::shared_ptr<JobRunner> runner,
                     std::shared_ptr<Logger> logger,
                     const TrashQueue::Settings& settings);
  ~SstFileManagerImpl() override;

  // Returns the implementation, or nullptr. There is no other.
  static SstFileManagerImpl* Of(SstFileManager* manager) {
    return static_cast<SstFileManagerImpl*>(manager);
  }

  void SetMaxAllowedSpaceUsage(uint64_t max_allowed_space) override;
  void SetCompactionBufferSize(uint64_t compaction_buffer_size) override;
  bool IsMaxAllowedSpaceReached() override;
  bool IsMaxAllowedSpaceReachedIncludingCompactions() override;
  uint64_t GetTotalSize() override;
  std::unordered_map<std::string, uint64_t> GetTrackedFiles() override;
  int64_t GetDeleteRateBytesPerSecond() override;
  void SetDeleteRateBytesPerSecond(int64_t delete_rate) override;
  double GetMaxTrashDBRatio() override;
  void SetMaxTrashDBRatio(double ratio) override;
  uint64_t GetTotalTrashSize() override;
  void SetStatisticsPtr(const std::shared_ptr<Statistics>& stats) override;

  // Returns false in a process forked from its owner, which must make no other
  // call.
  bool IsUsable() const { return owner_.IsCurrent(); }

  TrackedFiles& files() { return *files_; }
  // Deletes the file as TrashQueue::Delete does.
  Status Delete(const std::shared_ptr<FileSystem>& fs,
                const std::string& path) {
    return trash_->Delete(fs, path);
  }
  Status DeleteAtOnce(FileSystem* fs, const std::string& path) {
    return trash_->DeleteAtOnce(fs, path);
  }

 private:
  const OwnerProcess owner_;
  const std::shared_ptr<TrackedFiles> files_;
  const std::unique_ptr<TrashQueue, DeleteInOwnerProcess> trash_;
};

}  // namespace tamis
