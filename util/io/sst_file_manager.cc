// SPDX-License-Identifier: Apache-2.0
#include "util/io/sst_file_manager.h"

#include <utility>

namespace tamis {

SstFileManager::~SstFileManager() = default;

SstFileManagerImpl::SstFileManagerImpl(std::shared_ptr<Clock> clock,
                                       std::shared_ptr<JobRunner> runner,
                                       std::shared_ptr<Logger> logger,
                                       const TrashQueue::Settings& settings)
    : files_(std::make_shared<TrackedFiles>()),
      trash_(new TrashQueue(files_, std::move(clock), std::move(runner),
                            std::move(logger), settings)) {}

SstFileManagerImpl::~SstFileManagerImpl() = default;

void SstFileManagerImpl::SetMaxAllowedSpaceUsage(uint64_t max_allowed_space) {
  files_->SetLimit(max_allowed_space);
}
void SstFileManagerImpl::SetCompactionBufferSize(
    uint64_t compaction_buffer_size) {
  files_->SetCompactionBuffer(compaction_buffer_size);
}
bool SstFileManagerImpl::IsMaxAllowedSpaceReached() {
  return files_->LimitIsReached(/*including_compactions=*/false);
}
bool SstFileManagerImpl::IsMaxAllowedSpaceReachedIncludingCompactions() {
  return files_->LimitIsReached(/*including_compactions=*/true);
}
uint64_t SstFileManagerImpl::GetTotalSize() { return files_->total(); }
std::unordered_map<std::string, uint64_t>
SstFileManagerImpl::GetTrackedFiles() {
  return files_->all();
}
int64_t SstFileManagerImpl::GetDeleteRateBytesPerSecond() {
  return trash_->settings().bytes_per_second;
}
void SstFileManagerImpl::SetDeleteRateBytesPerSecond(int64_t delete_rate) {
  trash_->SetRate(delete_rate);
}
double SstFileManagerImpl::GetMaxTrashDBRatio() {
  return trash_->settings().ratio_max;
}
void SstFileManagerImpl::SetMaxTrashDBRatio(double ratio) {
  trash_->SetRatio(ratio);
}
uint64_t SstFileManagerImpl::GetTotalTrashSize() { return trash_->bytes(); }
void SstFileManagerImpl::SetStatisticsPtr(
    const std::shared_ptr<Statistics>& stats) {
  trash_->SetStatistics(stats);
}

SstFileManager* NewSstFileManager(std::shared_ptr<Clock> clock,
                                  std::shared_ptr<JobRunner> job_runner,
                                  std::shared_ptr<Logger> info_log,
                                  int64_t rate_bytes_per_sec,
                                  double max_trash_db_ratio,
                                  uint64_t bytes_max_delete_chunk) {
  if (clock == nullptr) clock = NewSystemClock();
  // Starts no thread before there is trash.
  if (job_runner == nullptr) job_runner = NewThreadJobRunner(1, 1);
  return new SstFileManagerImpl(
      std::move(clock), std::move(job_runner), std::move(info_log),
      {rate_bytes_per_sec, max_trash_db_ratio, bytes_max_delete_chunk});
}

// NOLINTBEGIN(performance-unnecessary-value-param): RocksDB's signatures
SstFileManager* NewSstFileManager(
    Env* /*env*/, std::shared_ptr<FileSystem> /*fs*/,
    std::shared_ptr<Logger> info_log, const std::string& /*trash_dir*/,
    int64_t rate_bytes_per_sec, bool /*delete_existing_trash*/, Status* status,
    double max_trash_db_ratio, uint64_t bytes_max_delete_chunk) {
  if (status != nullptr) *status = Status::OK();
  return NewSstFileManager(std::shared_ptr<Clock>(),
                           std::shared_ptr<JobRunner>(), std::move(info_log),
                           rate_bytes_per_sec, max_trash_db_ratio,
                           bytes_max_delete_chunk);
}

SstFileManager* NewSstFileManager(Env* env, std::shared_ptr<Logger> info_log,
                                  std::string trash_dir,
                                  int64_t rate_bytes_per_sec,
                                  bool delete_existing_trash, Status* status,
                                  double max_trash_db_ratio,
                                  uint64_t bytes_max_delete_chunk) {
  return NewSstFileManager(env, std::shared_ptr<FileSystem>(),
                           std::move(info_log), trash_dir, rate_bytes_per_sec,
                           delete_existing_trash, status, max_trash_db_ratio,
                           bytes_max_delete_chunk);
}
// NOLINTEND(performance-unnecessary-value-param)

}  // namespace tamis
