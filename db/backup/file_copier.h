// SPDX-License-Identifier: Apache-2.0
//
// Copies files, at a limited rate, by several threads, until told to stop, and
// computes the CRC-32C of each on the way.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "tamis/file_system.h"
#include "tamis/job_runner.h"
#include "tamis/rate_limiter.h"
#include "tamis/status.h"

#include "util/base/mutex.h"
#include "util/io/file_checksum_maker.h"

namespace tamis {

struct FileCopierOptions {
  int threads = 1;
  bool sync = true;
  uint64_t bytes_per_second = 0;         // 0: no limit
  std::shared_ptr<RateLimiter> limiter;  // in its place
  // Called each time that progress_bytes of a file are copied. May be empty.
  std::function<void()> progress;
  uint64_t progress_bytes = 0;
  // Turns true when copies are to end with Incomplete. May be nullptr; must
  // outlive the copier.
  const std::atomic<bool>* stop = nullptr;
};

struct CopySource {
  FileSystem* fs = nullptr;
  std::string path;
  uint64_t bytes = 0;
  // The file may be longer: its first bytes are copied. Otherwise another size
  // is Corruption.
  bool trim = false;
};

// Threads: any, for calls on different files.
class FileCopier {
 public:
  explicit FileCopier(FileCopierOptions options);

  // Creates or overwrites `to`, and syncs it if so configured. Sets *crc32c.
  // `checksum`, which may be nullptr, gets all bytes, too. On an error `to` may
  // exist.
  Status Copy(const CopySource& from, FileSystem* to_fs, const std::string& to,
              FileChecksumMaker* checksum, uint32_t* crc32c);
  // Does the same with bytes in memory.
  Status Write(const Slice& bytes, FileSystem* to_fs, const std::string& to,
               uint32_t* crc32c);
  // Reads the file as Copy does.
  Status Read(const CopySource& from, uint32_t* crc32c);

  // Calls part(0) ... part(n - 1) by the threads, and returns an error of one
  // of them. After an error, parts that have not begun are left out.
  Status Run(size_t n, const std::function<Status(size_t)>& part);

 private:
  using Sink = std::function<Status(const Slice&)>;

  Status ReadAll(const CopySource& from, const Sink& sink, uint32_t* crc32c);
  Status Report(uint64_t* unreported, size_t bytes);

  const FileCopierOptions options_;
  std::shared_ptr<RateLimiter> limiter_;  // may be nullptr
  std::shared_ptr<JobRunner> runner_;     // nullptr with one thread
  Mutex report_mutex_;                    // held while `progress` runs
};

}  // namespace tamis
