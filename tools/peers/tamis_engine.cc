// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tamis/cache.h"
#include "tamis/db.h"
#include "tamis/filter_policy.h"
#include "tamis/merge_operator.h"
#include "tamis/statistics.h"
#include "tamis/table.h"
#include "tamis/version.h"
#include "tamis/write_buffer_manager.h"

#include "tools/peers/engine.h"

namespace tamis::peers {

namespace {

using TamisCounter = CounterOperator<AssociativeMergeOperator, Slice, Logger>;

CompressionType TamisType(Compression compression) {
  switch (compression) {
    case Compression::kNone:
      return kNoCompression;
    case Compression::kSnappy:
      return kSnappyCompression;
    case Compression::kLz4:
      return kLZ4Compression;
    case Compression::kZstd:
      break;
  }
  return kZSTD;
}

Options TamisOptions(const EngineConfig& config,
                     const std::shared_ptr<Statistics>& statistics) {
  BlockBasedTableOptions table;
  table.block_cache = NewLRUCache(config.cache_bytes);
  table.filter_policy.reset(NewBloomFilterPolicy(config.bloom_bits));
  Options options;
  ApplySettings(config, &options);
  options.compression = TamisType(config.compression);
  options.statistics = statistics;
  options.merge_operator = std::make_shared<TamisCounter>();
  if (config.shared_budget) {
    options.write_buffer_manager = std::make_shared<WriteBufferManager>(
        config.write_buffer_bytes, table.block_cache);
  }
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  return options;
}

class TamisEngine final : public Engine {
 public:
  std::string name() const override { return "tamis " + GetVersion(); }
  std::string Lacks(const EngineConfig&) const override { return ""; }
  // A second thread serves each flush and compaction thread.
  BackgroundThreads Threads(const EngineConfig& config) const override {
    const Options options = TamisOptions(config, nullptr);
    return {.flush = 2,
            .compaction = 2 * std::max(options.max_background_jobs - 1, 1) *
                          static_cast<int>(options.max_subcompactions),
            .parallel_threads = options.compression_opts.parallel_threads};
  }

  void Open(const std::string& directory, const EngineConfig& config) override {
    statistics_ = config.statistics ? CreateDBStatistics() : nullptr;
    Check(DB::Open(TamisOptions(config, statistics_), directory, &db_), kName);
  }
  void Put(std::string_view key, std::string_view value, bool sync) override {
    Check(db_->Put(WriteOptions{.sync = sync}, key, value), kName);
  }
  void PutBatch(std::span<const Entry> entries) override {
    batch_.Clear();
    for (const auto& [key, value] : entries) {
      Check(batch_.Put(key, value), kName);
    }
    Check(db_->Write(WriteOptions(), &batch_), kName);
  }
  void Delete(std::string_view key) override {
    Check(db_->Delete(WriteOptions(), key), kName);
  }
  bool HasMerge() const override { return true; }
  void Merge(std::string_view key, uint64_t amount) override {
    Check(db_->Merge(WriteOptions(), key, TamisCounter::Operand(amount)),
          kName);
  }
  bool HasDeleteRange() const override { return true; }
  void DeleteRange(std::string_view begin, std::string_view end) override {
    Check(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), begin,
                           end),
          kName);
  }
  void Flush() override { Check(db_->Flush(FlushOptions()), kName); }
  uint64_t IntProperty(const std::string& property) override {
    uint64_t value = 0;
    return db_->GetIntProperty(property, &value) ? value : 0;
  }
  bool Get(std::string_view key, std::string* value) override {
    const Status status = db_->Get(ReadOptions(), key, value);
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
    db_->MultiGet(ReadOptions(), db_->DefaultColumnFamily(), keys.size(),
                  slices.data(), values.data(), statuses.data());
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
    return std::make_unique<IteratorCursor<Iterator>>(
        db_->NewIterator(ReadOptions()), kName);
  }
  void CompactAll() override {
    Check(db_->Flush(FlushOptions()), kName);
    Check(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr), kName);
  }
  std::optional<uint64_t> BlockRequests() override {
    return statistics_->getTickerCount(BLOCK_CACHE_HIT) +
           statistics_->getTickerCount(BLOCK_CACHE_MISS);
  }
  void Close() override { db_.reset(); }

 private:
  static constexpr const char* kName = "tamis";

  std::shared_ptr<Statistics> statistics_;  // nullptr: none
  std::unique_ptr<DB> db_;
  WriteBatch batch_;  // reused
  // For MultiGet; reused.
  struct Buffers {
    std::vector<Slice> slices;
    std::vector<PinnableSlice> values;
    std::vector<Status> statuses;
  };
};

}  // namespace

std::unique_ptr<Engine> NewTamisEngine() {
  return std::make_unique<TamisEngine>();
}

}  // namespace tamis::peers
