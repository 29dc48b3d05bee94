// SPDX-License-Identifier: Apache-2.0
//
// Destructors of the public interfaces: key functions, so that each vtable is
// emitted once. And what an interface does by default.
#include "tamis/cache.h"
#include "tamis/clock.h"
#include "tamis/compaction_service.h"
#include "tamis/comparator.h"
#include "tamis/file_system.h"
#include "tamis/iterator.h"
#include "tamis/job_runner.h"
#include "tamis/snapshot.h"
#include "tamis/statistics.h"
#include "tamis/table.h"

namespace tamis {

Cache::~Cache() = default;
Clock::~Clock() = default;
CompactionService::~CompactionService() = default;
CompactionServiceScheduleResponse CompactionService::Schedule(
    const CompactionServiceJobInfo& info,
    const std::string& compaction_service_input) {
  return CompactionServiceScheduleResponse(
      StartV2(info, compaction_service_input));
}
CompactionServiceJobStatus CompactionService::Wait(
    const std::string& /*scheduled_job_id*/, std::string* /*result*/) {
  return CompactionServiceJobStatus::kUseLocal;
}
CompactionServiceJobStatus CompactionService::StartV2(
    const CompactionServiceJobInfo& /*info*/,
    const std::string& /*compaction_service_input*/) {
  return CompactionServiceJobStatus::kUseLocal;
}
CompactionServiceJobStatus CompactionService::WaitForCompleteV2(
    const CompactionServiceJobInfo& /*info*/, std::string* /*result*/) {
  return CompactionServiceJobStatus::kUseLocal;
}
Comparator::~Comparator() = default;
FileLock::~FileLock() = default;
DirectoryWatch::~DirectoryWatch() = default;
FileSystem::~FileSystem() = default;
Iterator::~Iterator() = default;
Status Iterator::Refresh() {
  return Status::NotSupported("Refresh", "of this kind of iterator");
}
// NOLINTNEXTLINE(performance-unnecessary-value-param): RocksDB's signature
Status Iterator::GetProperty(std::string name, std::string* value) {
  if (name != "rocksdb.iterator.is-key-pinned") {
    return Status::InvalidArgument("no such property of an iterator", name);
  }
  *value = Valid() ? "0" : "Iterator is not valid.";
  return Status::OK();
}
JobRunner::~JobRunner() = default;
RandomAccessFile::~RandomAccessFile() = default;
SequentialFile::~SequentialFile() = default;
Snapshot::~Snapshot() = default;
Statistics::~Statistics() = default;
MemTableRepFactory::~MemTableRepFactory() = default;
TableFactory::~TableFactory() = default;
WritableFile::~WritableFile() = default;
PendingRead::~PendingRead() = default;

bool JobRunner::WaitFor(std::unique_lock<std::mutex>& lock,
                        std::condition_variable& /*changed*/, Clock& clock,
                        uint64_t micros,
                        const std::function<bool()>& predicate) {
  if (predicate()) return true;
  lock.unlock();
  clock.SleepForMicroseconds(micros);
  lock.lock();
  return predicate();
}

Status SequentialFile::Seek(uint64_t /*offset*/) {
  return Status::NotSupported("this file is read from its beginning");
}

bool RandomAccessFile::ReadAsync(FSReadRequest* request,
                                 AsyncReads* /*reads*/) const {
  request->status =
      Read(request->offset, request->len, &request->result, request->scratch);
  return true;
}

Status FileSystem::OpenRandomAccessFile(
    const std::string& path, const FileOptions& options,
    std::unique_ptr<RandomAccessFile>* file) {
  if (options.use_direct_reads) {
    file->reset();
    return Status::NotSupported(
        path, std::string("use_direct_reads: the file system ") + Name() +
                  " has no direct reads; set the option to false");
  }
  return NewRandomAccessFile(path, file);
}

Status FileSystem::OpenWritableFile(const std::string& path,
                                    const FileOptions& options,
                                    std::unique_ptr<WritableFile>* file) {
  if (options.use_direct_writes) {
    file->reset();
    return Status::NotSupported(path, std::string("the file system ") + Name() +
                                          " has no direct writes");
  }
  return NewWritableFile(path, file);
}

}  // namespace tamis
