// SPDX-License-Identifier: Apache-2.0
//
// What programs written for RocksDB use its Env for: files, a few threads, the
// time. Default() has the files of the operating system; NewMemEnv and
// NewCompositeEnv make an Env with others. All have the same threads and the
// same time. An Env cannot be derived from.
//
// Of a database's Env only the file system counts, and only if
// DBOptions::file_system is nullptr. DBOptions::clock and job_runner are in the
// place of the others.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tamis/export.h"
#include "tamis/file_system.h"
#include "tamis/rate_limiter.h"
#include "tamis/status.h"

namespace tamis {

class Logger;
struct ConfigOptions;
struct ThreadStatus;

// How much processor time a thread gets. RocksDB's names.
enum class CpuPriority : uint8_t {
  kIdle = 0,
  kLow = 1,
  kNormal = 2,
  kHigh = 3
};

class TAMIS_EXPORT Env {
 public:
  // Schedule has two pools of threads: one for HIGH, one for all others.
  enum Priority : uint8_t { BOTTOM, LOW, HIGH, USER, TOTAL };

  // Returns that of the operating system. It is never destroyed.
  static Env* Default();
  // Sets *env to it. Returns NotSupported for a URI that is neither empty nor
  // "posix://". *guard becomes nullptr.
  static Status CreateFromUri(const ConfigOptions& config_options,
                              const std::string& env_uri,
                              const std::string& fs_uri, Env** env,
                              std::shared_ptr<Env>* guard);

  // `file_system` must not be nullptr.
  explicit Env(std::shared_ptr<FileSystem> file_system);
  // A database that was opened with the Env may outlive it. REQUIRES: it is not
  // Default().
  ~Env();
  Env(const Env&) = delete;
  Env& operator=(const Env&) = delete;

  // Calls function(arg) once, later, on a thread of the pool. Threads start
  // when they are needed and stay. The function must not throw. A forked child
  // has pools of its own, without the parent's calls. May throw if memory is
  // out or no thread can be started.
  void Schedule(void (*function)(void* arg), void* arg, Priority pri = LOW,
                void* tag = nullptr,
                void (*unschedule_function)(void* arg) = nullptr);
  // Drops the calls with this tag, not nullptr, that have not begun, and calls
  // their unschedule_function(arg). Returns their number.
  int UnSchedule(void* tag, Priority pri);
  // Returns how many calls have not begun.
  unsigned GetThreadPoolQueueLen(Priority pri = LOW) const;
  // Sets the largest number of threads of the pool, at least 1, the default,
  // for calls that are scheduled from now on. A database has its own threads:
  // DBOptions::max_background_jobs.
  void SetBackgroundThreads(int number, Priority pri = LOW);
  // Does that only if there are fewer; and returns how many there are at most.
  void IncBackgroundThreadsIfNeeded(int number, Priority pri);
  int GetBackgroundThreads(Priority pri = LOW) const;

  // Lower the operating system's priority of a kind of threads, until the
  // process ends: with HIGH of those that flush, otherwise of those that
  // compact, in every database, and of Schedule's threads of that pool. A
  // thread follows when it begins its next job. No effect on other systems than
  // Linux.
  //
  // LowerThreadPoolIOPriority puts their reads and direct writes of files into
  // the idle class, which has an effect where the disk has a scheduler that
  // knows classes. LowerThreadPoolCPUPriority sets their nice value to 19
  // (kLow), and with kIdle also the policy SCHED_IDLE; kNormal and kHigh return
  // NotSupported, as a priority is never raised.
  void LowerThreadPoolIOPriority(Priority pool = LOW);
  Status LowerThreadPoolCPUPriority(Priority pool, CpuPriority pri);
  void LowerThreadPoolCPUPriority(Priority pool = LOW);

  // Calls function(arg) on a new thread. Throws std::system_error if it cannot
  // be started.
  void StartThread(void (*function)(void* arg), void* arg);
  // Waits for the threads of StartThread.
  void WaitForJoin();

  // Since 1970, and since an unspecified time, without leaps.
  uint64_t NowMicros();
  uint64_t NowNanos();
  // Returns when so much time has passed.
  void SleepForMicroseconds(int micros);
  // Sets *unix_time to the seconds since 1970.
  Status GetCurrentTime(int64_t* unix_time);

  // The file system, and its calls, except that FileExists returns NotFound,
  // and CreateDir returns IOError if the directory exists.
  const std::shared_ptr<FileSystem>& GetFileSystem() const {
    return file_system_;
  }
  Status FileExists(const std::string& path);
  Status GetChildren(const std::string& directory,
                     std::vector<std::string>* names);
  Status DeleteFile(const std::string& path);
  Status CreateDir(const std::string& path);
  Status CreateDirIfMissing(const std::string& path);
  Status DeleteDir(const std::string& path);
  Status GetFileSize(const std::string& path, uint64_t* size);
  Status GetFileModificationTime(const std::string& path, uint64_t* seconds);
  Status RenameFile(const std::string& from, const std::string& to);
  Status LinkFile(const std::string& from, const std::string& to);
  Status GetAbsolutePath(const std::string& path, std::string* absolute);

  // Creates or truncates the file, and sets *logger to a Logger that writes to
  // it: each line with its time, in UTC, and handed to the operating system at
  // once. Close, and the destructor, close the file. For DBOptions::info_log.
  Status NewLogger(const std::string& path, std::shared_ptr<Logger>* logger);

  // Does what the function GetThreadList does (thread_status.h).
  Status GetThreadList(std::vector<ThreadStatus>* threads);

  // RocksDB's names of these: Env::IO_LOW and so on.
  using IOPriority = tamis::IOPriority;
  static constexpr IOPriority IO_LOW = tamis::IO_LOW;
  static constexpr IOPriority IO_MID = tamis::IO_MID;
  static constexpr IOPriority IO_HIGH = tamis::IO_HIGH;
  static constexpr IOPriority IO_USER = tamis::IO_USER;
  static constexpr IOPriority IO_TOTAL = tamis::IO_TOTAL;

 private:
  const std::shared_ptr<FileSystem> file_system_;
};

// Does what the constructor does.
TAMIS_EXPORT std::unique_ptr<Env> NewCompositeEnv(
    const std::shared_ptr<FileSystem>& file_system);
// Returns an Env with a new NewMemFileSystem(). The caller deletes it. base_env
// says nothing, and may be nullptr.
TAMIS_EXPORT Env* NewMemEnv(Env* base_env);

// Calls env->NewLogger.
TAMIS_EXPORT Status NewEnvLogger(const std::string& path, Env* env,
                                 std::shared_ptr<Logger>* logger);

}  // namespace tamis
