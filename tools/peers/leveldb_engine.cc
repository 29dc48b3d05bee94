// SPDX-License-Identifier: Apache-2.0
#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>

#include "tools/peers/engine.h"

namespace tamis::peers {

namespace {

leveldb::Slice ToSlice(std::string_view s) { return {s.data(), s.size()}; }

class LevelDBEngine final : public Engine {
 public:
  std::string name() const override {
    return "leveldb " + std::to_string(leveldb::kMajorVersion) + "." +
           std::to_string(leveldb::kMinorVersion);
  }
  std::string Lacks(const EngineConfig& config) const override {
    constexpr size_t kLeastTableBytes = 1 << 20;
    if (config.table_bytes != 0 && config.table_bytes < kLeastTableBytes) {
      return "tables below 1 MiB";
    }
    if (config.charge_tables) return "a charge for tables";
    if (config.compression == Compression::kNone ||
        config.compression == Compression::kSnappy) {
      return "";
    }
    return NameOf(config.compression);
  }
  BackgroundThreads Threads(const EngineConfig&) const override {
    return {.flush = 0, .compaction = 1, .parallel_threads = 1};
  }

  void Open(const std::string& directory, const EngineConfig& config) override {
    cache_.reset(leveldb::NewLRUCache(config.cache_bytes));
    filter_.reset(leveldb::NewBloomFilterPolicy(config.bloom_bits));
    leveldb::Options options;
    options.create_if_missing = true;
    options.write_buffer_size = config.write_buffer_bytes;
    options.compression = config.compression == Compression::kSnappy
                              ? leveldb::kSnappyCompression
                              : leveldb::kNoCompression;
    if (config.table_bytes != 0) options.max_file_size = config.table_bytes;
    options.block_cache = cache_.get();
    options.filter_policy = filter_.get();
    leveldb::DB* db = nullptr;
    Check(leveldb::DB::Open(options, directory, &db), kName);
    db_.reset(db);
  }
  void Put(std::string_view key, std::string_view value, bool sync) override {
    leveldb::WriteOptions options;
    options.sync = sync;
    Check(db_->Put(options, ToSlice(key), ToSlice(value)), kName);
  }
  void PutBatch(std::span<const Entry> entries) override {
    batch_.Clear();
    for (const auto& [key, value] : entries) {
      batch_.Put(ToSlice(key), ToSlice(value));
    }
    Check(db_->Write(leveldb::WriteOptions(), &batch_), kName);
  }
  void Delete(std::string_view key) override {
    Check(db_->Delete(leveldb::WriteOptions(), ToSlice(key)), kName);
  }
  bool Get(std::string_view key, std::string* value) override {
    const leveldb::Status status =
        db_->Get(leveldb::ReadOptions(), ToSlice(key), value);
    if (status.IsNotFound()) return false;
    Check(status, kName);
    return true;
  }
  size_t MultiGet(std::span<const std::string_view> keys) override {
    size_t found = 0;
    for (const std::string_view key : keys) {
      if (Get(key, &value_) && !value_.empty()) ++found;
    }
    return found;
  }
  std::unique_ptr<Cursor> NewCursor() override {
    return std::make_unique<IteratorCursor<leveldb::Iterator>>(
        db_->NewIterator(leveldb::ReadOptions()), kName);
  }
  // CompactRange also flushes.
  void CompactAll() override { db_->CompactRange(nullptr, nullptr); }
  void Close() override { db_.reset(); }

 private:
  static constexpr const char* kName = "leveldb";

  // Declared before db_, which uses them.
  std::unique_ptr<leveldb::Cache> cache_;
  std::unique_ptr<const leveldb::FilterPolicy> filter_;
  std::unique_ptr<leveldb::DB> db_;
  leveldb::WriteBatch batch_;  // reused
  std::string value_;          // for MultiGet
};

}  // namespace

std::unique_ptr<Engine> NewLevelDBEngine() {
  return std::make_unique<LevelDBEngine>();
}

}  // namespace tamis::peers
