// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <thread>

#include "tamis/cache.h"
#include "tamis/db.h"
#include "tamis/filter_policy.h"
#include "tamis/perf_context.h"
#include "tamis/statistics.h"
#include "tamis/table.h"

#include "tools/ycsb_filters/store.h"

namespace tamis::ycsb_filters {

namespace {

struct TamisFilter {
  const char* option;
  const char* name;
  FilterFormat format;
};

constexpr TamisFilter kTamisFilters[] = {
    {"bloom", "Bloom", FilterFormat::kBloom},
    {"ribbon", "Ribbon", FilterFormat::kRibbon},
    {"binary_fuse", "BinaryFuse", FilterFormat::kBinaryFuse},
    {"homogeneous", "HomogeneousRibbon", FilterFormat::kHomogeneousRibbon},
    {"bumped", "BumpedRibbon", FilterFormat::kBumpedRibbon},
};

class TamisStore final : public Store {
 public:
  explicit TamisStore(const TamisFilter& filter) : filter_(filter) {}

  std::string engine() const override { return "Tamis"; }
  std::string filter() const override { return filter_.name; }

  void Open(const std::string& directory, const StoreConfig& config,
            size_t cache_bytes, bool count_writes) override {
    BlockBasedTableOptions table;
    table.block_cache = NewLRUCache(cache_bytes);
    table.cache_index_and_filter_blocks = true;
    table.filter_policy.reset(Policy(config.bits_per_key));
    if (config.partitioned) {
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = true;
    }
    Options options;
    options.create_if_missing = true;
    options.write_buffer_size = config.write_buffer_bytes;
    options.target_file_size_base = config.write_buffer_bytes;
    options.max_bytes_for_level_base = 4 * config.write_buffer_bytes;
    options.compression = config.snappy ? kSnappyCompression : kNoCompression;
    statistics_ = count_writes ? CreateDBStatistics() : nullptr;
    options.statistics = statistics_;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    Check(DB::Open(options, directory, &db_));
  }
  void Close() override {
    value_.Reset();
    db_.reset();
  }
  void Put(std::string_view key, std::string_view value) override {
    Check(db_->Put(WriteOptions(), key, value));
  }
  bool Get(std::string_view key) override {
    value_.Reset();
    const Status status = db_->Get(ReadOptions(), key, &value_);
    if (status.IsNotFound()) return false;
    Check(status);
    return true;
  }
  void Settle() override {
    Check(db_->Flush(FlushOptions()));
    while (Property(DB::Properties::kCompactionPending) +
               Property(DB::Properties::kNumRunningCompactions) >
           0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  void CompactAll() override {
    Check(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  }
  uint64_t FilterBytes() override {
    TablePropertiesCollection tables;
    Check(db_->GetPropertiesOfAllTables(&tables));
    uint64_t bytes = 0;
    for (const auto& [name, table] : tables) bytes += table->filter_size;
    return bytes;
  }
  uint64_t TableBytesWritten() override {
    return statistics_->getTickerCount(FLUSH_WRITE_BYTES) +
           statistics_->getTickerCount(COMPACT_WRITE_BYTES);
  }
  void ResetCounts() override { get_perf_context()->Reset(); }
  ReadCounts Counts() override {
    const PerfContext& perf = *get_perf_context();
    ReadCounts counts{.cache_hits = perf.block_cache_hit_count,
                      .block_reads = perf.block_read_count};
    for (const PerfContextByLevel& level : perf.level_to_perf_context) {
      counts.positive += level.bloom_filter_full_positive;
      counts.true_positive += level.bloom_filter_full_true_positive;
    }
    return counts;
  }

 private:
  static void Check(const Status& status) {
    Require(status.ok(), "tamis: " + status.ToString());
  }
  // Filters that RocksDB has, too, come from the policies of the same names.
  const FilterPolicy* Policy(double bits_per_key) const {
    if (filter_.format == FilterFormat::kBloom) {
      return NewBloomFilterPolicy(bits_per_key);
    }
    if (filter_.format == FilterFormat::kRibbon) {
      return NewRibbonFilterPolicy(bits_per_key);
    }
    // The observed rate of a FastLocalBloom of 10 bits is 0.95 %.
    const double rate = 0.0095 * std::pow(0.6185, bits_per_key - 10);
    return NewFilterPolicy({.fpr = rate, .format = filter_.format});
  }
  uint64_t Property(const std::string& name) {
    uint64_t value = 0;
    Require(db_->GetIntProperty(name, &value), "tamis: no property " + name);
    return value;
  }

  const TamisFilter& filter_;
  std::shared_ptr<Statistics> statistics_;
  std::unique_ptr<DB> db_;
  PinnableSlice value_;
};

}  // namespace

std::unique_ptr<Store> NewTamisStore(std::string_view filter) {
  for (const TamisFilter& known : kTamisFilters) {
    if (known.option == filter) return std::make_unique<TamisStore>(known);
  }
  return nullptr;
}

}  // namespace tamis::ycsb_filters
