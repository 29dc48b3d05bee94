// SPDX-License-Identifier: Apache-2.0
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include "tools/peers/engine.h"

namespace tamis::peers {

namespace {

class RocksDBEngine final : public Engine {
 public:
  std::string name() const override {
    return "rocksdb " + std::to_string(ROCKSDB_MAJOR) + "." +
           std::to_string(ROCKSDB_MINOR) + "." + std::to_string(ROCKSDB_PATCH);
  }

  void Create(const std::string& directory,
              const EngineConfig& config) override {
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = rocksdb::NewLRUCache(config.cache_bytes);
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(config.bloom_bits));
    rocksdb::Options options;
    options.create_if_missing = true;
    options.write_buffer_size = config.write_buffer_bytes;
    options.compression =
        config.snappy ? rocksdb::kSnappyCompression : rocksdb::kNoCompression;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    rocksdb::DB* db = nullptr;
    Check(rocksdb::DB::Open(options, directory, &db));
    db_.reset(db);
  }
  void Put(std::string_view key, std::string_view value) override {
    Check(db_->Put(rocksdb::WriteOptions(), key, value));
  }
  bool Get(std::string_view key, std::string* value) override {
    const rocksdb::Status status = db_->Get(rocksdb::ReadOptions(), key, value);
    if (status.IsNotFound()) return false;
    Check(status);
    return true;
  }
  size_t MultiGet(std::span<const std::string_view> keys) override {
    slices_.assign(keys.begin(), keys.end());
    values_.resize(keys.size());
    statuses_.resize(keys.size());
    db_->MultiGet(rocksdb::ReadOptions(), db_->DefaultColumnFamily(),
                  keys.size(), slices_.data(), values_.data(),
                  statuses_.data());
    size_t found = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (!statuses_[i].IsNotFound()) {
        Check(statuses_[i]);
        if (!values_[i].empty()) ++found;
      }
      values_[i].Reset();
    }
    return found;
  }
  std::unique_ptr<Cursor> NewCursor() override {
    return std::make_unique<IteratorCursor<rocksdb::Iterator>>(
        db_->NewIterator(rocksdb::ReadOptions()));
  }
  void Settle() override {
    Check(db_->Flush(rocksdb::FlushOptions()));
    Check(db_->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr));
  }
  void Close() override { db_.reset(); }

 private:
  static void Check(const rocksdb::Status& status) {
    Require(status.ok(), "rocksdb: " + status.ToString());
  }
  std::unique_ptr<rocksdb::DB> db_;
  // For MultiGet; reused.
  std::vector<rocksdb::Slice> slices_;
  std::vector<rocksdb::PinnableSlice> values_;
  std::vector<rocksdb::Status> statuses_;
};

}  // namespace

std::unique_ptr<Engine> NewRocksDBEngine() {
  return std::make_unique<RocksDBEngine>();
}

}  // namespace tamis::peers
