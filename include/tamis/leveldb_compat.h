// SPDX-License-Identifier: Apache-2.0
//
// LevelDB 1.23's C++ interface over Tamis, for sources that were written for
// LevelDB: the same names in namespace leveldb, in this header alone. With the
// CMake target Tamis::leveldb_compat (or pkg-config tamis_leveldb_compat),
// `#include "leveldb/db.h"` and its neighbours lead here. Programs that are not
// compiled again have the facade of docs/leveldb_facade.md instead.
//
// Meanings, errors and thread-safety are LevelDB's, with these exceptions:
//
//   directories    Tamis's, so RocksDB's. One that LevelDB wrote is refused,
//                  unless Options::upgrade_leveldb is set (tamis/db_options.h)
//   ReadOptions    checksums are verified whatever verify_checksums is
//   GetProperty    "leveldb.X" is "rocksdb.X" of Tamis, with RocksDB's text
//   Env            has a tamis::Env; NewAppendableFile is not supported
//   absent         Table, TableBuilder, DumpFile, Iterator::RegisterCleanup;
//                  an Env, a Cache or a WritableFile of the program's own
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tamis/cache.h"
#include "tamis/comparator.h"
#include "tamis/db.h"
#include "tamis/env.h"
#include "tamis/file_system.h"
#include "tamis/filter_policy.h"
#include "tamis/iterator.h"
#include "tamis/logger.h"
#include "tamis/options.h"
#include "tamis/repair.h"
#include "tamis/slice.h"
#include "tamis/snapshot.h"
#include "tamis/status.h"
#include "tamis/table.h"
#include "tamis/write_batch.h"

namespace leveldb {

// The release whose interface this is.
inline constexpr int kMajorVersion = 1;
inline constexpr int kMinorVersion = 23;

using tamis::BytewiseComparator;
using tamis::Comparator;
using tamis::CompressionType;
using tamis::FileLock;
using tamis::FilterPolicy;
using tamis::Iterator;
using tamis::kNoCompression;
using tamis::kSnappyCompression;
using tamis::Log;
using tamis::Logger;
using tamis::RandomAccessFile;
using tamis::Range;
using tamis::ReadOptions;
using tamis::SequentialFile;
using tamis::Slice;
using tamis::Snapshot;
using tamis::WritableFile;
using tamis::WriteOptions;

// tamis::Status, with LevelDB's name for one of its questions.
class Status : public tamis::Status {
 public:
  Status() = default;
  // Implicit: results of Tamis are results here.
  Status(const tamis::Status& status)  // NOLINT(google-explicit-constructor)
      : tamis::Status(status) {}
  // Returns IsNotSupported().
  bool IsNotSupportedError() const { return IsNotSupported(); }
};

// Changes that are applied together. Put and Delete return a Status, which
// programs for LevelDB ignore: a change beyond the limits of tamis::WriteBatch
// is not added.
class WriteBatch : public tamis::WriteBatch {
 public:
  // Returns the bytes of the batch.
  size_t ApproximateSize() const { return GetDataSize(); }
};

// The caller deletes the policy, after the databases that it was given to.
inline const FilterPolicy* NewBloomFilterPolicy(int bits_per_key) {
  return tamis::NewBloomFilterPolicy(bits_per_key);
}

// A cache of blocks, which several databases may share.
class Cache {
 public:
  // A cache of Tamis, as NewLRUCache makes it.
  explicit Cache(std::shared_ptr<tamis::Cache> cache)
      : cache_(std::move(cache)) {}
  // Returns the bytes of resident blocks.
  size_t TotalCharge() const { return cache_->GetUsage(); }
  // Evicts what no reader holds.
  void Prune() { cache_->EraseUnRefEntries(); }
  // Returns the cache of Tamis.
  const std::shared_ptr<tamis::Cache>& tamis_cache() const { return cache_; }

 private:
  const std::shared_ptr<tamis::Cache> cache_;
};
// The caller deletes the cache, which may be before its databases are closed.
inline Cache* NewLRUCache(size_t capacity_bytes) {
  return new Cache(tamis::NewLRUCache(capacity_bytes));
}

// Files, threads and the time: the calls of a tamis::Env, in LevelDB's shapes.
// Pointers that are set belong to the caller; a missing file is NotFound.
class Env {
 public:
  // Returns that of the operating system. It is never destroyed.
  static Env* Default() {
    static Env* const env = new Env(tamis::Env::Default());
    return env;
  }
  explicit Env(std::unique_ptr<tamis::Env> env)
      : owned_(std::move(env)), env_(owned_.get()) {}
  Env(const Env&) = delete;
  Env& operator=(const Env&) = delete;

  // Open a file; the last one creates or truncates it. Set *result to nullptr
  // on an error.
  Status NewSequentialFile(const std::string& path, SequentialFile** result) {
    return Open(&tamis::FileSystem::NewSequentialFile, path, result);
  }
  Status NewRandomAccessFile(const std::string& path,
                             RandomAccessFile** result) {
    return Open(&tamis::FileSystem::NewRandomAccessFile, path, result);
  }
  Status NewWritableFile(const std::string& path, WritableFile** result) {
    return Open(&tamis::FileSystem::NewWritableFile, path, result);
  }
  // Returns NotSupported: Tamis appends to no file of an earlier open.
  Status NewAppendableFile(const std::string& path, WritableFile** result) {
    *result = nullptr;
    return tamis::Status::NotSupported("NewAppendableFile", path);
  }
  // As tamis::Env's, except that FileExists answers false to any error.
  bool FileExists(const std::string& path) {
    return env_->FileExists(path).ok();
  }
  Status GetChildren(const std::string& path,
                     std::vector<std::string>* result) {
    return Of(env_->GetChildren(path, result));
  }
  Status RemoveFile(const std::string& path) {
    return Of(env_->DeleteFile(path));
  }
  Status DeleteFile(const std::string& path) { return RemoveFile(path); }
  Status CreateDir(const std::string& path) {
    return Of(env_->CreateDir(path));
  }
  Status RemoveDir(const std::string& path) {
    return Of(env_->DeleteDir(path));
  }
  Status DeleteDir(const std::string& path) { return RemoveDir(path); }
  Status GetFileSize(const std::string& path, uint64_t* size) {
    return Of(env_->GetFileSize(path, size));
  }
  Status RenameFile(const std::string& from, const std::string& to) {
    return Of(env_->RenameFile(from, to));
  }
  // Lock a file until UnlockFile, which deletes the lock.
  Status LockFile(const std::string& path, FileLock** lock) {
    return Open(&tamis::FileSystem::LockFile, path, lock);
  }
  Status UnlockFile(FileLock* lock) {
    delete lock;
    return Status();
  }
  // Call function(arg) on the thread of a pool, or on a new one.
  void Schedule(void (*function)(void* arg), void* arg) {
    env_->Schedule(function, arg);
  }
  void StartThread(void (*function)(void* arg), void* arg) {
    env_->StartThread(function, arg);
  }
  // Sets *path to $TEST_TMPDIR, or to a directory in /tmp.
  Status GetTestDirectory(std::string* path) {
    const char* const chosen = std::getenv("TEST_TMPDIR");
    *path = chosen != nullptr && *chosen != '\0' ? chosen : "/tmp/leveldbtest";
    return Of(env_->CreateDirIfMissing(*path));
  }
  // Sets *result to a logger that writes lines to a new file.
  Status NewLogger(const std::string& path, Logger** result) {
    *result = nullptr;
    std::shared_ptr<Logger> logger;
    const tamis::Status status = env_->NewLogger(path, &logger);
    if (status.ok()) *result = new OwnedLogger(std::move(logger));
    return Of(status);
  }
  // As tamis::Env's.
  uint64_t NowMicros() { return env_->NowMicros(); }
  void SleepForMicroseconds(int micros) { env_->SleepForMicroseconds(micros); }

  // Returns the Env of Tamis.
  tamis::Env* tamis_env() const { return env_; }

 private:
  // Keeps the logger as long as it lives.
  class OwnedLogger final : public Logger {
   public:
    explicit OwnedLogger(std::shared_ptr<Logger> logger)
        : logger_(std::move(logger)) {}
    using Logger::Logv;
    void Logv(const char* format, va_list ap) override {
      logger_->Logv(format, ap);
    }

   private:
    const std::shared_ptr<Logger> logger_;
  };

  explicit Env(tamis::Env* env) : env_(env) {}

  static Status Of(const tamis::Status& status) {
    return status.IsPathNotFound() ? tamis::Status::NotFound(status.message())
                                   : status;
  }
  template <typename Call, typename Opened>
  Status Open(Call open, const std::string& path, Opened** result) {
    std::unique_ptr<Opened> opened;
    const tamis::Status status =
        ((*env_->GetFileSystem()).*open)(path, &opened);
    *result = opened.release();
    return Of(status);
  }

  const std::unique_ptr<tamis::Env> owned_;  // nullptr: Default()
  tamis::Env* const env_;
};

// Returns an Env with files in memory. The caller deletes it; databases that
// were opened with it may outlive it.
inline Env* NewMemEnv(Env* base_env) {
  return new Env(std::unique_ptr<tamis::Env>(
      tamis::NewMemEnv(base_env == nullptr ? nullptr : base_env->tamis_env())));
}

// Write and read a whole file.
inline Status WriteStringToFile(Env* env, const Slice& data,
                                const std::string& path) {
  return tamis::WriteStringToFile(env->tamis_env()->GetFileSystem().get(), data,
                                  path, /*sync=*/false);
}
inline Status ReadFileToString(Env* env, const std::string& path,
                               std::string* data) {
  return tamis::ReadFileToString(env->tamis_env()->GetFileSystem().get(), path,
                                 data);
}

// LevelDB's options, with its defaults. Pointers belong to the caller, and must
// outlive the database.
struct Options {
  // As LevelDB's options.h describes them.
  const Comparator* comparator = BytewiseComparator();
  bool create_if_missing = false;
  bool error_if_exists = false;
  bool paranoid_checks = false;  // no effect: checks are always made
  Env* env = Env::Default();
  Logger* info_log = nullptr;  // nullptr: the file LOG
  size_t write_buffer_size = 4 * 1024 * 1024;
  int max_open_files = 1000;
  Cache* block_cache = nullptr;  // nullptr: 8 MiB of its own
  size_t block_size = 4 * 1024;
  int block_restart_interval = 16;
  size_t max_file_size = 2 * 1024 * 1024;
  CompressionType compression = kSnappyCompression;
  // Logs that were closed are kept when the database is opened, and their
  // entries stay in memory.
  bool reuse_logs = false;
  const FilterPolicy* filter_policy = nullptr;  // nullptr: no filters
  // Tamis's: converts a directory that LevelDB wrote when it is opened.
  // LevelDB cannot open it after that.
  bool upgrade_leveldb = false;
};

// The same as options of Tamis.
inline tamis::Options ToTamisOptions(const Options& options) {
  const auto borrowed = [](auto* object) {
    using Object = std::remove_pointer_t<decltype(object)>;
    return std::shared_ptr<Object>(object, [](Object*) {});
  };
  tamis::BlockBasedTableOptions table;
  table.block_size = options.block_size;
  table.block_restart_interval = options.block_restart_interval;
  table.block_cache = options.block_cache != nullptr
                          ? options.block_cache->tamis_cache()
                          : tamis::NewLRUCache(size_t{8} << 20);
  table.filter_policy = options.filter_policy != nullptr
                            ? borrowed(options.filter_policy)
                            : nullptr;
  tamis::Options result;
  result.comparator = options.comparator;
  result.create_if_missing = options.create_if_missing;
  result.error_if_exists = options.error_if_exists;
  result.env = options.env == nullptr ? nullptr : options.env->tamis_env();
  if (options.info_log != nullptr) result.info_log = borrowed(options.info_log);
  result.write_buffer_size = options.write_buffer_size;
  result.max_open_files = options.max_open_files;
  result.target_file_size_base = options.max_file_size;
  result.avoid_flush_during_recovery = options.reuse_logs;
  result.compression = options.compression;
  result.upgrade_leveldb = options.upgrade_leveldb;
  result.table_factory.reset(tamis::NewBlockBasedTableFactory(table));
  return result;
}

// An ordered map. A program may derive a class of its own; Open returns one
// over a database of Tamis.
class DB {
 public:
  // Sets *dbptr, which the caller deletes, or to nullptr.
  static Status Open(const Options& options, const std::string& name,
                     DB** dbptr);

  DB() = default;
  DB(const DB&) = delete;
  DB& operator=(const DB&) = delete;
  virtual ~DB() = default;

  // As LevelDB's db.h describes them.
  virtual Status Put(const WriteOptions& options, const Slice& key,
                     const Slice& value) = 0;
  virtual Status Delete(const WriteOptions& options, const Slice& key) = 0;
  virtual Status Write(const WriteOptions& options, WriteBatch* updates) = 0;
  virtual Status Get(const ReadOptions& options, const Slice& key,
                     std::string* value) = 0;
  virtual Iterator* NewIterator(const ReadOptions& options) = 0;
  virtual const Snapshot* GetSnapshot() = 0;
  virtual void ReleaseSnapshot(const Snapshot* snapshot) = 0;
  virtual bool GetProperty(const Slice& property, std::string* value) = 0;
  virtual void GetApproximateSizes(const Range* range, int n,
                                   uint64_t* sizes) = 0;
  virtual void CompactRange(const Slice* begin, const Slice* end) = 0;
};

// What DB::Open opens.
class TamisDB final : public DB {
 public:
  // Takes the database over.
  explicit TamisDB(std::unique_ptr<tamis::DB> db) : db_(std::move(db)) {}

  Status Put(const WriteOptions& options, const Slice& key,
             const Slice& value) override {
    return db_->Put(options, key, value);
  }
  Status Delete(const WriteOptions& options, const Slice& key) override {
    return db_->Delete(options, key);
  }
  Status Write(const WriteOptions& options, WriteBatch* updates) override {
    return db_->Write(options, updates);
  }
  Status Get(const ReadOptions& options, const Slice& key,
             std::string* value) override {
    return db_->Get(options, key, value);
  }
  Iterator* NewIterator(const ReadOptions& options) override {
    return db_->NewIterator(options);
  }
  const Snapshot* GetSnapshot() override { return db_->GetSnapshot(); }
  void ReleaseSnapshot(const Snapshot* snapshot) override {
    db_->ReleaseSnapshot(snapshot);
  }
  bool GetProperty(const Slice& property, std::string* value) override {
    constexpr const char* kPrefix = "leveldb.";
    constexpr size_t kPrefixBytes = 8;
    value->clear();
    if (!property.starts_with(kPrefix)) return false;
    const std::string name(property.ToStringView().substr(kPrefixBytes));
    if (name != "approximate-memory-usage") {
      return db_->GetProperty("rocksdb." + name, value);
    }
    uint64_t memtables = 0;
    uint64_t blocks = 0;
    db_->GetIntProperty("rocksdb.size-all-mem-tables", &memtables);
    db_->GetIntProperty("rocksdb.block-cache-usage", &blocks);
    *value = std::to_string(memtables + blocks);
    return true;
  }
  void GetApproximateSizes(const Range* range, int n,
                           uint64_t* sizes) override {
    static_cast<void>(db_->GetApproximateSizes(range, n, sizes));
  }
  void CompactRange(const Slice* begin, const Slice* end) override {
    static_cast<void>(
        db_->CompactRange(tamis::CompactRangeOptions(), begin, end));
  }

 private:
  const std::unique_ptr<tamis::DB> db_;
};

inline Status DB::Open(const Options& options, const std::string& name,
                       DB** dbptr) {
  *dbptr = nullptr;
  std::unique_ptr<tamis::DB> db;
  const Status status = tamis::DB::Open(ToTamisOptions(options), name, &db);
  if (status.ok()) *dbptr = new TamisDB(std::move(db));
  return status;
}

// Deletes the database; its files alone.
inline Status DestroyDB(const std::string& name, const Options& options) {
  return tamis::DestroyDB(name, ToTamisOptions(options));
}
// Salvages what can be read of a database that does not open.
inline Status RepairDB(const std::string& name, const Options& options) {
  return tamis::RepairDB(name, ToTamisOptions(options));
}

}  // namespace leveldb
