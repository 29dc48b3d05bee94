// SPDX-License-Identifier: Apache-2.0
#include "db/wal/wal_archive.h"

#include <algorithm>
#include <utility>

#include "db/base/file_names.h"
#include "util/base/exceptions.h"
#include "util/base/result.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

constexpr uint64_t kTimerSecondsMax = 600;

uint64_t BytesOfMiB(uint64_t count) {
  return count > (UINT64_MAX >> 20) ? UINT64_MAX : count << 20;
}

}  // namespace

Status WalArchive::Describe(const std::string& path, Log* log) const {
  TAMIS_RETURN_IF_ERROR(context_.fs()->GetFileSize(path, &log->bytes));
  if (context_.options.WAL_ttl_seconds == 0) return Status::OK();
  return context_.fs()->GetFileModificationTime(path, &log->written_seconds);
}

// Finds the logs that an earlier open has archived.
Status WalArchive::Load() {
  if (loaded_) return Status::OK();
  std::vector<std::string> names;
  const Status listed = context_.fs()->GetChildren(
      ArchiveDirectory(context_.log_directory()), &names);
  if (!listed.ok() && !listed.IsPathNotFound()) return listed;
  exists_ = listed.ok();
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (!file || file->type != FileKind::kLog) continue;
    Log log;
    const Status described = Describe(
        ArchivedLogFileName(context_.log_directory(), file->number), &log);
    if (described.IsPathNotFound()) continue;  // somebody else deleted it
    TAMIS_RETURN_IF_ERROR(described);
    logs_[file->number] = log;
  }
  loaded_ = true;
  return Status::OK();
}

Status WalArchive::Move(FileNumber number) {
  FileSystem* const fs = context_.fs();
  const std::string from = LogFileName(context_.log_directory(), number);
  Log log;
  TAMIS_RETURN_IF_ERROR(Describe(from, &log));
  if (log.bytes == 0) return fs->RemoveFile(from);
  if (!exists_) {
    TAMIS_RETURN_IF_ERROR(
        fs->CreateDirIfMissing(ArchiveDirectory(context_.log_directory())));
    TAMIS_RETURN_IF_ERROR(file_io::SyncDirectory(fs, context_.log_directory()));
    exists_ = true;
  }
  logs_[number] = log;  // before the file moves: it may throw
  const Status status = fs->RenameFile(
      from, ArchivedLogFileName(context_.log_directory(), number));
  if (!status.ok()) logs_.erase(number);
  return status;
}

void WalArchive::MoveWaiting() {
  const Status loaded = Load();
  if (!loaded.ok()) {
    context_.event_log->Event("archive_unreadable").Add("status", loaded);
  }
  for (const FileNumber number : std::exchange(waiting_, {})) {
    const Status status = CatchExceptions([&] {
      mutex_.AssertHeld();
      return Move(number);
    });
    context_.event_log->Event("log_archived")
        .Add("path", Slice(LogFileName(context_.log_directory(), number)))
        .Add("status", status);
  }
}

void WalArchive::Add(std::span<const FileNumber> logs) noexcept {
  IgnoreExceptions([&] {
    MutexLock lock(&mutex_);
    waiting_.insert(waiting_.end(), logs.begin(), logs.end());
  });
  Purge();
}

void WalArchive::Purge() noexcept {
  if (!enabled()) return;
  IgnoreExceptions([this] {
    MutexLock lock(&mutex_);
    if (disabled_ > 0) return;
    MoveWaiting();
    PurgeLocked();
  });
  RepeatLater();
}

bool WalArchive::IsTooOld(const Log& log) const {
  const uint64_t ttl = context_.options.WAL_ttl_seconds;
  const uint64_t now = context_.NowSeconds();
  return ttl != 0 && now >= log.written_seconds &&
         now - log.written_seconds >= ttl;
}

// Oldest first, so that what is left has no gap.
void WalArchive::PurgeLocked() {
  const uint64_t limit = context_.options.WAL_size_limit_MB == 0
                             ? UINT64_MAX
                             : BytesOfMiB(context_.options.WAL_size_limit_MB);
  uint64_t total = 0;
  for (const auto& [number, log] : logs_) total += log.bytes;
  while (!logs_.empty()) {
    const auto& [number, log] = *logs_.begin();
    if (total <= limit && !IsTooOld(log)) return;
    const std::string path =
        ArchivedLogFileName(context_.log_directory(), number);
    const Status status = context_.fs()->RemoveFile(path);
    context_.event_log->Event("file_deleted")
        .Add("path", Slice(path))
        .Add("status", status);
    if (!status.ok() && !status.IsPathNotFound()) return;  // a later call may
    total -= log.bytes;
    logs_.erase(logs_.begin());
  }
}

Status WalArchive::Delete(FileNumber number) {
  MutexLock lock(&mutex_);
  const std::string path =
      ArchivedLogFileName(context_.log_directory(), number);
  if (disabled_ > 0) {
    return Status::Busy(path, "deletions are disabled, or it is being copied");
  }
  const Status status = context_.fs()->RemoveFile(path);
  context_.event_log->Event("file_deleted")
      .Add("path", Slice(path))
      .Add("status", status);
  TAMIS_RETURN_IF_ERROR(status);
  logs_.erase(number);
  return file_io::SyncDirectory(context_.fs(),
                                ArchiveDirectory(context_.log_directory()));
}

void WalArchive::Disable() {
  MutexLock lock(&mutex_);
  ++disabled_;
}

void WalArchive::Enable() noexcept {
  {
    MutexLock lock(&mutex_);
    TAMIS_CHECK(disabled_ > 0);
    --disabled_;
  }
  Purge();
}

// Logs become too old while nothing is archived.
void WalArchive::RepeatLater() noexcept {
  const uint64_t ttl = context_.options.WAL_ttl_seconds;
  if (ttl == 0) return;
  {
    MutexLock lock(&mutex_);
    if (logs_.empty()) return;
  }
  timer_.Arm(context_.runner(),
             std::clamp<uint64_t>(ttl / 2, 1, kTimerSecondsMax) * 1'000'000);
}

}  // namespace tamis
