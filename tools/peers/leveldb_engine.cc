// SPDX-License-Identifier: Apache-2.0
#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

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

  void Create(const std::string& directory,
              const EngineConfig& config) override {
    cache_.reset(leveldb::NewLRUCache(config.cache_bytes));
    filter_.reset(leveldb::NewBloomFilterPolicy(config.bloom_bits));
    leveldb::Options options;
    options.create_if_missing = true;
    options.write_buffer_size = config.write_buffer_bytes;
    options.compression =
        config.snappy ? leveldb::kSnappyCompression : leveldb::kNoCompression;
    options.block_cache = cache_.get();
    options.filter_policy = filter_.get();
    leveldb::DB* db = nullptr;
    Check(leveldb::DB::Open(options, directory, &db));
    db_.reset(db);
  }
  void Put(std::string_view key, std::string_view value) override {
    Check(db_->Put(leveldb::WriteOptions(), ToSlice(key), ToSlice(value)));
  }
  bool Get(std::string_view key, std::string* value) override {
    const leveldb::Status status =
        db_->Get(leveldb::ReadOptions(), ToSlice(key), value);
    if (status.IsNotFound()) return false;
    Check(status);
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
        db_->NewIterator(leveldb::ReadOptions()));
  }
  // CompactRange also flushes.
  void Settle() override { db_->CompactRange(nullptr, nullptr); }
  void Close() override { db_.reset(); }

 private:
  static void Check(const leveldb::Status& status) {
    Require(status.ok(), "leveldb: " + status.ToString());
  }
  // Declared before db_, which uses them.
  std::unique_ptr<leveldb::Cache> cache_;
  std::unique_ptr<const leveldb::FilterPolicy> filter_;
  std::unique_ptr<leveldb::DB> db_;
  std::string value_;  // for MultiGet
};

}  // namespace

std::unique_ptr<Engine> NewLevelDBEngine() {
  return std::make_unique<LevelDBEngine>();
}

}  // namespace tamis::peers
