// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>
#include <rocksdb/write_batch.h>
#include <rocksdb/write_buffer_manager.h>

#include "tools/peers/engine.h"

namespace tamis::peers {

namespace {

using RocksDBCounter = CounterOperator<rocksdb::AssociativeMergeOperator,
                                       rocksdb::Slice, rocksdb::Logger>;

rocksdb::CompressionType RocksDBType(Compression compression) {
  switch (compression) {
    case Compression::kNone:
      return rocksdb::kNoCompression;
    case Compression::kSnappy:
      return rocksdb::kSnappyCompression;
    case Compression::kLz4:
      return rocksdb::kLZ4Compression;
    case Compression::kZstd:
      break;
  }
  return rocksdb::kZSTD;
}

rocksdb::Options RocksDBOptions(
    const EngineConfig& config,
    const std::shared_ptr<rocksdb::Statistics>& statistics) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(config.cache_bytes);
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(config.bloom_bits));
  if (config.charge_tables) {
    table.cache_usage_options.options_overrides.insert(
        {rocksdb::CacheEntryRole::kBlockBasedTableReader,
         {.charged = rocksdb::CacheEntryRoleOptions::Decision::kEnabled}});
  }
  rocksdb::Options options;
  ApplySettings(config, &options);
  options.compression = RocksDBType(config.compression);
  options.statistics = statistics;
  options.merge_operator = std::make_shared<RocksDBCounter>();
  if (config.shared_budget) {
    options.write_buffer_manager =
        std::make_shared<rocksdb::WriteBufferManager>(config.write_buffer_bytes,
                                                      table.block_cache);
  }
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

class RocksDBEngine final : public Engine {
 public:
  std::string name() const override {
    return "rocksdb " + std::to_string(ROCKSDB_MAJOR) + "." +
           std::to_string(ROCKSDB_MINOR) + "." + std::to_string(ROCKSDB_PATCH);
  }
  std::string Lacks(const EngineConfig&) const override { return ""; }
  // A quarter of max_background_jobs flushes, the others compact.
  BackgroundThreads Threads(const EngineConfig& config) const override {
    const rocksdb::Options options = RocksDBOptions(config, nullptr);
    const int flush = std::max(1, options.max_background_jobs / 4);
    return {.flush = flush,
            .compaction = std::max(1, options.max_background_jobs - flush),
            .parallel_threads = options.compression_opts.parallel_threads};
  }

  void Open(const std::string& directory, const EngineConfig& config) override {
    statistics_ = nullptr;
    if (config.statistics) {
      statistics_ = rocksdb::CreateDBStatistics();
      statistics_->set_stats_level(rocksdb::kExceptHistogramOrTimers);
    }
    rocksdb::DB* db = nullptr;
    Check(
        rocksdb::DB::Open(RocksDBOptions(config, statistics_), directory, &db),
        kName);
    db_.reset(db);
  }
  void Put(std::string_view key, std::string_view value, bool sync) override {
    rocksdb::WriteOptions options;
    options.sync = sync;
    Check(db_->Put(options, key, value), kName);
  }
  void PutBatch(std::span<const Entry> entries) override {
    batch_.Clear();
    for (const auto& [key, value] : entries) {
      Check(batch_.Put(key, value), kName);
    }
    Check(db_->Write(rocksdb::WriteOptions(), &batch_), kName);
  }
  void Delete(std::string_view key) override {
    Check(db_->Delete(rocksdb::WriteOptions(), key), kName);
  }
  bool HasMerge() const override { return true; }
  void Merge(std::string_view key, uint64_t amount) override {
    Check(db_->Merge(rocksdb::WriteOptions(), key,
                     RocksDBCounter::Operand(amount)),
          kName);
  }
  bool HasDeleteRange() const override { return true; }
  void DeleteRange(std::string_view begin, std::string_view end) override {
    Check(db_->DeleteRange(rocksdb::WriteOptions(), db_->DefaultColumnFamily(),
                           begin, end),
          kName);
  }
  void Flush() override { Check(db_->Flush(rocksdb::FlushOptions()), kName); }
  uint64_t IntProperty(const std::string& property) override {
    uint64_t value = 0;
    return db_->GetIntProperty(property, &value) ? value : 0;
  }
  bool Get(std::string_view key, std::string* value) override {
    const rocksdb::Status status = db_->Get(rocksdb::ReadOptions(), key, value);
    if (status.IsNotFound()) return false;
    Check(status, kName);
    return true;
  }
  size_t MultiGet(std::span<const std::string_view> keys) override {
    thread_local Buffers buffers;
    auto& [slices, values, statuses] = buffers;
    slices.assign(keys.begin(), keys.end());
    values.resize(keys.size());
    statuses.resize(keys.size());
    db_->MultiGet(rocksdb::ReadOptions(), db_->DefaultColumnFamily(),
                  keys.size(), slices.data(), values.data(), statuses.data());
    size_t found = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (!statuses[i].IsNotFound()) {
        Check(statuses[i], kName);
        if (!values[i].empty()) ++found;
      }
      values[i].Reset();
    }
    return found;
  }
  std::unique_ptr<Cursor> NewCursor() override {
    return std::make_unique<IteratorCursor<rocksdb::Iterator>>(
        db_->NewIterator(rocksdb::ReadOptions()), kName);
  }
  void CompactAll() override {
    Check(db_->Flush(rocksdb::FlushOptions()), kName);
    Check(db_->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr),
          kName);
  }
  std::optional<uint64_t> BlockRequests() override {
    return statistics_->getTickerCount(rocksdb::BLOCK_CACHE_HIT) +
           statistics_->getTickerCount(rocksdb::BLOCK_CACHE_MISS);
  }
  void Close() override { db_.reset(); }

 private:
  static constexpr const char* kName = "rocksdb";

  std::shared_ptr<rocksdb::Statistics> statistics_;  // nullptr: none
  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::WriteBatch batch_;  // reused
  // For MultiGet; reused.
  struct Buffers {
    std::vector<rocksdb::Slice> slices;
    std::vector<rocksdb::PinnableSlice> values;
    std::vector<rocksdb::Status> statuses;
  };
};

}  // namespace

std::unique_ptr<Engine> NewRocksDBEngine() {
  return std::make_unique<RocksDBEngine>();
}

}  // namespace tamis::peers
