// SPDX-License-Identifier: Apache-2.0
#include "tamis/cache.h"
#include "tamis/db.h"
#include "tamis/filter_policy.h"
#include "tamis/table.h"
#include "tamis/version.h"

#include "tools/peers/engine.h"

namespace tamis::peers {

namespace {

class TamisEngine final : public Engine {
 public:
  std::string name() const override { return "tamis " + GetVersion(); }

  void Create(const std::string& directory,
              const EngineConfig& config) override {
    BlockBasedTableOptions table;
    table.block_cache = NewLRUCache(config.cache_bytes);
    table.filter_policy.reset(NewBloomFilterPolicy(config.bloom_bits));
    Options options;
    options.create_if_missing = true;
    options.write_buffer_size = config.write_buffer_bytes;
    options.compression = config.snappy ? kSnappyCompression : kNoCompression;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    Check(DB::Open(options, directory, &db_));
  }
  void Put(std::string_view key, std::string_view value) override {
    Check(db_->Put(WriteOptions(), key, value));
  }
  bool Get(std::string_view key, std::string* value) override {
    const Status status = db_->Get(ReadOptions(), key, value);
    if (status.IsNotFound()) return false;
    Check(status);
    return true;
  }
  size_t MultiGet(std::span<const std::string_view> keys) override {
    slices_.assign(keys.begin(), keys.end());
    values_.resize(keys.size());
    statuses_.resize(keys.size());
    db_->MultiGet(ReadOptions(), db_->DefaultColumnFamily(), keys.size(),
                  slices_.data(), values_.data(), statuses_.data());
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
    return std::make_unique<IteratorCursor<Iterator>>(
        db_->NewIterator(ReadOptions()));
  }
  void Settle() override {
    Check(db_->Flush(FlushOptions()));
    Check(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  }
  void Close() override { db_.reset(); }

 private:
  static void Check(const Status& status) {
    Require(status.ok(), "tamis: " + status.ToString());
  }
  std::unique_ptr<DB> db_;
  // For MultiGet; reused.
  std::vector<Slice> slices_;
  std::vector<PinnableSlice> values_;
  std::vector<Status> statuses_;
};

}  // namespace

std::unique_ptr<Engine> NewTamisEngine() {
  return std::make_unique<TamisEngine>();
}

}  // namespace tamis::peers
