// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <thread>

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include "tools/ycsb_filters/store.h"

namespace tamis::ycsb_filters {

namespace {

class RocksDBStore final : public Store {
 public:
  explicit RocksDBStore(bool ribbon) : ribbon_(ribbon) {}

  std::string engine() const override {
    return "RocksDB " + std::to_string(ROCKSDB_MAJOR) + "." +
           std::to_string(ROCKSDB_MINOR) + "." + std::to_string(ROCKSDB_PATCH);
  }
  std::string filter() const override { return ribbon_ ? "Ribbon" : "Bloom"; }

  void Open(const std::string& directory, const StoreConfig& config,
            size_t cache_bytes, bool count_writes) override {
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = rocksdb::NewLRUCache(cache_bytes);
    table.cache_index_and_filter_blocks = true;
    table.filter_policy.reset(
        ribbon_ ? rocksdb::NewRibbonFilterPolicy(config.bits_per_key)
                : rocksdb::NewBloomFilterPolicy(config.bits_per_key));
    if (config.partitioned) {
      table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = true;
    }
    rocksdb::Options options;
    options.create_if_missing = true;
    options.write_buffer_size = config.write_buffer_bytes;
    options.target_file_size_base = config.write_buffer_bytes;
    options.max_bytes_for_level_base = 4 * config.write_buffer_bytes;
    options.compression =
        config.snappy ? rocksdb::kSnappyCompression : rocksdb::kNoCompression;
    statistics_ = nullptr;
    if (count_writes) {
      statistics_ = rocksdb::CreateDBStatistics();
      statistics_->set_stats_level(rocksdb::kExceptHistogramOrTimers);
    }
    options.statistics = statistics_;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    rocksdb::DB* db = nullptr;
    Check(rocksdb::DB::Open(options, directory, &db));
    db_.reset(db);
    rocksdb::SetPerfLevel(rocksdb::kEnableCount);
    rocksdb::get_perf_context()->EnablePerLevelPerfContext();
  }
  void Close() override {
    value_.Reset();
    db_.reset();
  }
  void Put(std::string_view key, std::string_view value) override {
    Check(db_->Put(rocksdb::WriteOptions(), key, value));
  }
  bool Get(std::string_view key) override {
    value_.Reset();
    const rocksdb::Status status = db_->Get(
        rocksdb::ReadOptions(), db_->DefaultColumnFamily(), key, &value_);
    if (status.IsNotFound()) return false;
    Check(status);
    return true;
  }
  void Settle() override {
    Check(db_->Flush(rocksdb::FlushOptions()));
    while (Property(rocksdb::DB::Properties::kCompactionPending) +
               Property(rocksdb::DB::Properties::kNumRunningCompactions) >
           0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  void CompactAll() override {
    Check(db_->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr));
  }
  uint64_t FilterBytes() override {
    rocksdb::TablePropertiesCollection tables;
    Check(db_->GetPropertiesOfAllTables(&tables));
    uint64_t bytes = 0;
    for (const auto& [name, table] : tables) bytes += table->filter_size;
    return bytes;
  }
  uint64_t TableBytesWritten() override {
    return statistics_->getTickerCount(rocksdb::FLUSH_WRITE_BYTES) +
           statistics_->getTickerCount(rocksdb::COMPACT_WRITE_BYTES);
  }
  void ResetCounts() override { rocksdb::get_perf_context()->Reset(); }
  ReadCounts Counts() override {
    const rocksdb::PerfContext& perf = *rocksdb::get_perf_context();
    ReadCounts counts{.cache_hits = perf.block_cache_hit_count,
                      .block_reads = perf.block_read_count};
    for (const auto& [level, events] : *perf.level_to_perf_context) {
      counts.positive += events.bloom_filter_full_positive;
      counts.true_positive += events.bloom_filter_full_true_positive;
    }
    return counts;
  }

 private:
  static void Check(const rocksdb::Status& status) {
    Require(status.ok(), "rocksdb: " + status.ToString());
  }
  uint64_t Property(const std::string& name) {
    uint64_t value = 0;
    Require(db_->GetIntProperty(name, &value), "rocksdb: no property " + name);
    return value;
  }

  const bool ribbon_;
  std::shared_ptr<rocksdb::Statistics> statistics_;
  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::PinnableSlice value_;
};

}  // namespace

std::unique_ptr<Store> NewRocksDBStore(std::string_view filter) {
  if (filter != "bloom" && filter != "ribbon") return nullptr;
  return std::make_unique<RocksDBStore>(filter == "ribbon");
}

}  // namespace tamis::ycsb_filters
