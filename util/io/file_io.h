// SPDX-License-Identifier: Apache-2.0
//
// The library opens, reads and writes files, of any FileSystem, through these
// functions. They do what the calls of file_system.h do, and count it for the
// IOStatsContext of the calling thread. While only counts are on, one costs an
// addition.
//
// Files that pass calls on to others (RateLimitedWrites, ChecksummedWrites)
// call those directly, so that nothing is counted twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tamis/file_system.h"

#include "util/stats/perf_counters.h"

namespace tamis {

inline bool IOCounts() {
  return PerfCounts() && !tls_iostats_context.disable_iostats;
}

// Adds the time of its lifetime, and its CPU time if there is a counter for it.
class IOTimer {
 public:
  explicit IOTimer(uint64_t* time, uint64_t* cpu_time = nullptr)
      : timer_(IfEnabled(time)), cpu_timer_(IfEnabled(cpu_time)) {}

 private:
  static uint64_t* IfEnabled(uint64_t* time) {
    return tls_iostats_context.disable_iostats ? nullptr : time;
  }

  const PerfTimer timer_;
  const PerfCpuTimer cpu_timer_;
};

// Takes the time of its lifetime out of what an IOTimer around it adds.
class IOTimerPause {
 public:
  explicit IOTimerPause(uint64_t* time)
      : time_(time),
        timer_(tls_iostats_context.disable_iostats ? nullptr : &pause_) {}
  ~IOTimerPause() {
    timer_.Stop();
    *time_ -= pause_;
  }
  IOTimerPause(const IOTimerPause&) = delete;
  IOTimerPause& operator=(const IOTimerPause&) = delete;

 private:
  uint64_t* const time_;
  uint64_t pause_ = 0;
  PerfTimer timer_;
};

namespace file_io {

inline void CountRead(const Slice& result) {
  if (IOCounts()) tls_iostats_context.bytes_read += result.size();
}
inline void CountWritten(size_t bytes) {
  if (IOCounts()) tls_iostats_context.bytes_written += bytes;
}

inline Status Read(const RandomAccessFile& file, uint64_t offset, size_t n,
                   Slice* result, char* scratch) {
  const IOTimer timer(&tls_iostats_context.read_nanos,
                      &tls_iostats_context.cpu_read_nanos);
  Status status = file.Read(offset, n, result, scratch);
  if (status.ok()) CountRead(*result);
  return status;
}
inline Status Read(SequentialFile* file, size_t n, Slice* result,
                   char* scratch) {
  const IOTimer timer(&tls_iostats_context.read_nanos,
                      &tls_iostats_context.cpu_read_nanos);
  Status status = file->Read(n, result, scratch);
  if (status.ok()) CountRead(*result);
  return status;
}
// Begins a read by the file's StartRead or ReadAsync. AsyncReads::Finish counts
// the reads for which this returns false.
bool ReadAsync(const RandomAccessFile& file, FSReadRequest* request,
               AsyncReads* reads);

inline Status Append(WritableFile* file, const Slice& data) {
  const IOTimer timer(&tls_iostats_context.write_nanos,
                      &tls_iostats_context.cpu_write_nanos);
  Status status = file->Append(data);
  if (status.ok()) CountWritten(data.size());
  return status;
}
inline Status Flush(WritableFile* file) {
  const IOTimer timer(&tls_iostats_context.write_nanos,
                      &tls_iostats_context.cpu_write_nanos);
  return file->Flush();
}
inline char* Reserve(WritableFile* file, size_t n) {
  const IOTimer timer(&tls_iostats_context.prepare_write_nanos);
  return file->Reserve(n);
}
inline void Commit(WritableFile* file, size_t n) {
  file->Commit(n);
  CountWritten(n);
}
inline void RangeSync(WritableFile* file, uint64_t offset, uint64_t n) {
  const IOTimer timer(&tls_iostats_context.range_sync_nanos);
  file->RangeSync(offset, n);
}
inline Status Sync(WritableFile* file) {
  const IOTimer timer(&tls_iostats_context.fsync_nanos);
  return file->Sync();
}
inline Status SyncFile(FileSystem* fs, const std::string& path) {
  const IOTimer timer(&tls_iostats_context.fsync_nanos);
  return fs->SyncFile(path);
}
inline Status SyncDirectory(FileSystem* fs, const std::string& path) {
  const IOTimer timer(&tls_iostats_context.fsync_nanos);
  return fs->SyncDirectory(path);
}

inline Status Open(FileSystem* fs, const std::string& path,
                   std::unique_ptr<SequentialFile>* file) {
  const IOTimer timer(&tls_iostats_context.open_nanos);
  return fs->NewSequentialFile(path, file);
}
inline Status Open(FileSystem* fs, const std::string& path,
                   std::unique_ptr<RandomAccessFile>* file) {
  const IOTimer timer(&tls_iostats_context.open_nanos);
  return fs->NewRandomAccessFile(path, file);
}
inline Status Open(FileSystem* fs, const std::string& path,
                   const FileOptions& options,
                   std::unique_ptr<RandomAccessFile>* file) {
  const IOTimer timer(&tls_iostats_context.open_nanos);
  return fs->OpenRandomAccessFile(path, options, file);
}
inline Status Create(FileSystem* fs, const std::string& path,
                     const FileOptions& options,
                     std::unique_ptr<WritableFile>* file) {
  const IOTimer timer(&tls_iostats_context.open_nanos);
  return fs->OpenWritableFile(path, options, file);
}

}  // namespace file_io

}  // namespace tamis
