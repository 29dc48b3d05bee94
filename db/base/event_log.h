// SPDX-License-Identifier: Apache-2.0
//
// The file LOG, for people and scripts: one line per event of the database, and
// dumps of statistics, which have several.
//   2026/11/21-10:03:04.123456 event=flush_end job=3 file=12 bytes=1048576
//
// Values with other bytes than letters, digits and signs are quoted and escaped
// (util/coding/printable.h), so that every line is printable. A flush or
// compaction writes a pair of lines, ..._start and ..._end, with the same job
// number. At each open, beyond max_log_file_size and after
// log_file_time_to_roll, LOG is renamed to LOG.old.<microseconds>; the newest
// keep_log_file_num of those are kept, counted as the open has found them.
//
// With DBOptions::info_log, that gets the lines, and there is no file.
//
// Any thread. Calls throw nothing; errors of logging are ignored.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tamis/logger.h"
#include "tamis/options.h"

#include "db/base/info_log_files.h"
#include "util/base/mutex.h"

namespace tamis {

class EventLog {
 public:
  // A line under construction; the destructor writes it.
  class Line {
   public:
    ~Line();
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;
    Line& Add(const char* key, uint64_t value);
    Line& Add(const char* key, const Slice& value);
    // A status other than OK makes it a line of ERROR_LEVEL.
    Line& Add(const char* key, const Status& status);

   private:
    friend class EventLog;
    Line(EventLog* log, const char* event);
    EventLog* const log_;
    InfoLogLevel level_ = INFO_LEVEL;
    std::string text_;
  };

  // Renames an existing LOG of the database in `directory` and starts a new
  // one. If `silent`, no call changes or writes a file; an info_log gets the
  // lines all the same. `found` has the names in that directory; without them,
  // it is listed.
  EventLog(const DBOptions& options, const std::string& directory,
           bool silent = false,
           const std::vector<std::string>* found = nullptr);
  ~EventLog();

  // Starts a line. The log must outlive it.
  Line Event(const char* event) { return {this, event}; }
  // Writes a text of several lines, of INFO_LEVEL. Only the first has the time.
  void Text(const std::string& text) EXCLUDES(mutex_);
  // Returns DBOptions::info_log, or a Logger that writes lines "message" to the
  // file. Never nullptr; lives as long as *this.
  Logger* logger() { return info_log_ != nullptr ? info_log_.get() : &own_; }
  // Closes the file. Lines that come later are lost. For before another process
  // may own the directory.
  void CloseFile() EXCLUDES(mutex_);
  // Returns the number for a new job.
  uint64_t NextJob() EXCLUDES(mutex_);

 private:
  // Writes what a merge operator logs.
  class OwnLogger final : public Logger {
   public:
    explicit OwnLogger(EventLog* log) : log_(log) {}
    using Logger::Logv;
    void Logv(const char* format, va_list ap) override {
      Logv(INFO_LEVEL, format, ap);
    }
    void Logv(InfoLogLevel log_level, const char* format, va_list ap) override;

   private:
    EventLog* const log_;
  };

  void Write(InfoLogLevel log_level, const std::string& text) EXCLUDES(mutex_);
  void WriteToFile(const std::string& text) EXCLUDES(mutex_);
  void Find(const std::vector<std::string>& names) REQUIRES(mutex_);
  void StartFile() REQUIRES(mutex_);

  const std::shared_ptr<FileSystem> fs_;
  const InfoLogFiles files_;
  const std::shared_ptr<Clock> clock_;
  const size_t max_bytes_;
  const uint64_t max_micros_;  // 0: no limit
  const size_t keep_files_;
  const InfoLogLevel level_;
  const std::shared_ptr<Logger> info_log_;  // nullptr: the file
  OwnLogger own_{this};
  Mutex mutex_;
  bool exists_ GUARDED_BY(mutex_) = false;          // LOG
  std::deque<std::string> old_ GUARDED_BY(mutex_);  // names, oldest first
  std::unique_ptr<WritableFile> file_ GUARDED_BY(mutex_);
  // Of the first line of the file.
  std::optional<uint64_t> begin_micros_ GUARDED_BY(mutex_);
  uint64_t next_job_ GUARDED_BY(mutex_) = 1;
};

}  // namespace tamis
