// SPDX-License-Identifier: Apache-2.0
//
// leveldb::DB over tamis::DB.
#include "tamis/db.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <leveldb/db.h>
#include <leveldb/env.h>

#include "tamis/repair.h"

#include "facade/leveldb/convert.h"
#include "facade/leveldb/iterator.h"
#include "facade/leveldb/options.h"
#include "facade/leveldb/posix_env.h"
#include "facade/leveldb/properties.h"
#include "facade/leveldb/snapshot.h"
#include "facade/leveldb/user_cache.h"
#include "facade/leveldb/write_batch.h"

namespace leveldb {

DB::~DB() = default;
Snapshot::~Snapshot() = default;

Status DB::Put(const WriteOptions& options, const Slice& key,
               const Slice& value) {
  WriteBatch batch;
  batch.Put(key, value);
  return Write(options, &batch);
}

Status DB::Delete(const WriteOptions& options, const Slice& key) {
  WriteBatch batch;
  batch.Delete(key);
  return Write(options, &batch);
}

namespace {

using tamis::facade::AdaptedOptions;
using tamis::facade::AdaptedSnapshot;
using tamis::facade::FillCacheScope;
using tamis::facade::ToLevelDB;
using tamis::facade::ToTamis;

class AdaptedDB final : public DB {
 public:
  AdaptedDB(std::unique_ptr<AdaptedOptions> options,
            std::unique_ptr<tamis::DB> db)
      : options_(std::move(options)), db_(std::move(db)) {}

  Status Put(const WriteOptions& options, const Slice& key,
             const Slice& value) override {
    return ToLevelDB(db_->Put(ToTamis(options), ToTamis(key), ToTamis(value)));
  }
  Status Delete(const WriteOptions& options, const Slice& key) override {
    return ToLevelDB(db_->Delete(ToTamis(options), ToTamis(key)));
  }
  // A null batch waits for the compaction of memory, as in LevelDB.
  Status Write(const WriteOptions& options, WriteBatch* updates) override {
    if (updates == nullptr) return ToLevelDB(db_->Flush(tamis::FlushOptions()));
    tamis::WriteBatch batch(WriteBatchInternal::Contents(*updates));
    return ToLevelDB(db_->Write(ToTamis(options), &batch));
  }
  Status Get(const ReadOptions& options, const Slice& key,
             std::string* value) override {
    const FillCacheScope fills(options.fill_cache);
    const tamis::Status status =
        db_->Get(ToTamis(options), ToTamis(key), value);
    return status.IsNotFound() ? Status::NotFound(Slice()) : ToLevelDB(status);
  }
  Iterator* NewIterator(const ReadOptions& options) override {
    return tamis::facade::ForLevelDB(std::unique_ptr<tamis::Iterator>(
                                         db_->NewIterator(ToTamis(options))),
                                     options.fill_cache)
        .release();
  }
  const Snapshot* GetSnapshot() override {
    return new AdaptedSnapshot(db_->GetSnapshot());
  }
  void ReleaseSnapshot(const Snapshot* snapshot) override {
    const auto* const adapted = static_cast<const AdaptedSnapshot*>(snapshot);
    db_->ReleaseSnapshot(adapted->get());
    delete adapted;
  }
  bool GetProperty(const Slice& property, std::string* value) override {
    return tamis::facade::GetProperty(db_.get(), ToTamis(property), value);
  }
  void GetApproximateSizes(const Range* range, int n,
                           uint64_t* sizes) override {
    std::vector<tamis::Range> ranges;
    for (int i = 0; i < n; ++i) {
      ranges.emplace_back(ToTamis(range[i].start), ToTamis(range[i].limit));
      sizes[i] = 0;
    }
    // There is no way to tell of an error.
    const tamis::Status status =
        db_->GetApproximateSizes(ranges.data(), n, sizes);
    if (!status.ok()) std::fill_n(sizes, n, uint64_t{0});
  }
  void CompactRange(const Slice* begin, const Slice* end) override {
    tamis::Slice first;
    tamis::Slice last;
    if (begin != nullptr) first = ToTamis(*begin);
    if (end != nullptr) last = ToTamis(*end);
    db_->CompactRange(tamis::CompactRangeOptions(),
                      begin != nullptr ? &first : nullptr,
                      end != nullptr ? &last : nullptr)
        .PermitUncheckedError();
  }

 private:
  const std::unique_ptr<AdaptedOptions> options_;
  const std::unique_ptr<tamis::DB> db_;
};

// LevelDB makes the directory and its lock before it looks for a database: what
// stops it there is an IOError, not the lack of a database. So does Tamis if it
// is to create one.
Status CheckLock(Env* env, const std::string& name, bool create_if_missing) {
  if (create_if_missing || env->FileExists(name + "/CURRENT")) {
    return Status::OK();
  }
  env->CreateDir(name);  // it may be there
  FileLock* lock = nullptr;
  const Status status = env->LockFile(name + "/LOCK", &lock);
  return status.ok() ? env->UnlockFile(lock) : status;
}

// The errors that clients tell apart by their text.
Status OpenError(const std::string& name, const tamis::Status& status) {
  const std::string& text = status.message();
  if (text.find("upgrade_leveldb") != std::string::npos) {
    return Status::InvalidArgument(
        name,
        "it is a LevelDB database; set TAMIS_LEVELDB_UPGRADE=1 in the "
        "environment to convert it, after which LevelDB cannot open it");
  }
  if (status.IsIOError()) {
    return tamis::facade::LockError(name + "/LOCK", status);
  }
  if (status.IsInvalidArgument() &&
      text.find("create_if_missing") != std::string::npos) {
    return Status::InvalidArgument(
        name, "does not exist (create_if_missing is false)");
  }
  if (status.IsInvalidArgument() &&
      text.find("error_if_exists") != std::string::npos) {
    return Status::InvalidArgument(name, "exists (error_if_exists is true)");
  }
  return ToLevelDB(status);
}

}  // namespace

Status DB::Open(const Options& options, const std::string& name, DB** dbptr) {
  *dbptr = nullptr;
  Env* const env = options.env != nullptr ? options.env : Env::Default();
  const Status locked = CheckLock(env, name, options.create_if_missing);
  if (!locked.ok()) return locked;
  auto adapted = std::make_unique<AdaptedOptions>(options);
  std::unique_ptr<tamis::DB> db;
  const tamis::Status status = tamis::DB::Open(adapted->options(), name, &db);
  if (!status.ok()) return OpenError(name, status);
  *dbptr = new AdaptedDB(std::move(adapted), std::move(db));
  return Status::OK();
}

Status DestroyDB(const std::string& name, const Options& options) {
  Env* const env = options.env != nullptr ? options.env : Env::Default();
  std::vector<std::string> names;
  if (!env->GetChildren(name, &names).ok()) return Status::OK();
  const AdaptedOptions adapted(options);
  const tamis::Status status = tamis::DestroyDB(name, adapted.options());
  return status.IsIOError() ? tamis::facade::LockError(name + "/LOCK", status)
                            : ToLevelDB(status);
}

Status RepairDB(const std::string& name, const Options& options) {
  Env* const env = options.env != nullptr ? options.env : Env::Default();
  // Of a directory without tables, logs and MANIFEST, LevelDB makes an empty
  // database.
  std::vector<std::string> names;
  env->GetChildren(name, &names);
  const bool empty =
      std::all_of(names.begin(), names.end(), [](const std::string& file) {
        return file == "." || file == ".." || file == "LOCK" ||
               file.starts_with("LOG");
      });
  if (empty) {
    Options creating = options;
    creating.create_if_missing = true;
    creating.error_if_exists = false;
    DB* db = nullptr;
    const Status status = DB::Open(creating, name, &db);
    delete db;
    return status;
  }
  const AdaptedOptions adapted(options);
  return ToLevelDB(tamis::RepairDB(name, adapted.options()));
}

}  // namespace leveldb
