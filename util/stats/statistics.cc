// SPDX-License-Identifier: Apache-2.0
//
// Sharded counters: each thread adds to one shard, and readers sum all shards.
// Shards are whole cache lines, so threads contend only if there are more of
// them than shards.
#include "tamis/statistics.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <iterator>

#include "util/base/check.h"

namespace tamis {

namespace {

constexpr std::string_view kTickerNames[] = {
    "rocksdb.block.cache.miss",
    "rocksdb.block.cache.hit",
    "rocksdb.block.cache.add",
    "rocksdb.block.cache.index.miss",
    "rocksdb.block.cache.index.hit",
    "rocksdb.block.cache.filter.miss",
    "rocksdb.block.cache.filter.hit",
    "rocksdb.block.cache.data.miss",
    "rocksdb.block.cache.data.hit",
    "rocksdb.block.cache.bytes.read",
    "rocksdb.block.cache.bytes.write",
    "rocksdb.bloom.filter.useful",
    "rocksdb.bloom.filter.full.positive",
    "rocksdb.bloom.filter.full.true.positive",
    "rocksdb.bloom.filter.prefix.checked",
    "rocksdb.bloom.filter.prefix.useful",
    "rocksdb.bloom.filter.prefix.true.positive",
    "rocksdb.memtable.hit",
    "rocksdb.memtable.miss",
    "rocksdb.l0.hit",
    "rocksdb.l1.hit",
    "rocksdb.l2andup.hit",
    "rocksdb.compaction.key.drop.new",
    "rocksdb.compaction.key.drop.obsolete",
    "rocksdb.number.keys.written",
    "rocksdb.number.keys.read",
    "rocksdb.bytes.written",
    "rocksdb.bytes.read",
    "rocksdb.number.db.seek",
    "rocksdb.number.db.next",
    "rocksdb.number.db.prev",
    "rocksdb.number.db.seek.found",
    "rocksdb.number.db.next.found",
    "rocksdb.number.db.prev.found",
    "rocksdb.db.iter.bytes.read",
    "rocksdb.no.file.opens",
    "rocksdb.no.file.errors",
    "rocksdb.stall.micros",
    "rocksdb.wal.synced",
    "rocksdb.wal.bytes",
    "rocksdb.write.self",
    "rocksdb.write.other",
    "rocksdb.write.wal",
    "rocksdb.compact.read.bytes",
    "rocksdb.compact.write.bytes",
    "rocksdb.flush.write.bytes",
    "rocksdb.number.block.compressed",
    "rocksdb.number.block.decompressed",
    "rocksdb.number.block.not_compressed",
};
static_assert(std::size(kTickerNames) == TICKER_ENUM_MAX);

constexpr size_t kShards = 32;
constexpr size_t kCacheLine = 64;

struct alignas(kCacheLine) Shard {
  std::array<std::atomic<uint64_t>, TICKER_ENUM_MAX> counts{};
};

// Assigned round-robin, once per thread.
size_t ShardOfThread() {
  static std::atomic<size_t> next{0};
  thread_local const size_t shard =
      next.fetch_add(1, std::memory_order_relaxed) % kShards;
  return shard;
}

// All accesses are relaxed: counters order nothing.
class ShardedStatistics final : public Statistics {
 public:
  uint64_t getTickerCount(Tickers ticker) const override {
    TAMIS_CHECK(ticker < TICKER_ENUM_MAX);
    uint64_t sum = 0;
    for (const Shard& shard : shards_) {
      sum += shard.counts[ticker].load(std::memory_order_relaxed);
    }
    return sum;
  }

  void recordTick(Tickers ticker, uint64_t count) override {
    TAMIS_DCHECK(ticker < TICKER_ENUM_MAX);
    shards_[ShardOfThread()].counts[ticker].fetch_add(
        count, std::memory_order_relaxed);
  }

  uint64_t getAndResetTickerCount(Tickers ticker) override {
    TAMIS_CHECK(ticker < TICKER_ENUM_MAX);
    uint64_t sum = 0;
    for (Shard& shard : shards_) {
      sum += shard.counts[ticker].exchange(0, std::memory_order_relaxed);
    }
    return sum;
  }

  void Reset() override {
    for (Shard& shard : shards_) {
      for (auto& count : shard.counts) {
        count.store(0, std::memory_order_relaxed);
      }
    }
  }

  std::string ToString() const override {
    std::string out;
    for (uint32_t i = 0; i < TICKER_ENUM_MAX; ++i) {
      out += std::string(kTickerNames[i]) + " COUNT : " +
             std::to_string(getTickerCount(static_cast<Tickers>(i))) + "\n";
    }
    return out;
  }

 private:
  std::array<Shard, kShards> shards_;
};

}  // namespace

std::span<const std::string_view> TickerNames() { return kTickerNames; }

std::shared_ptr<Statistics> CreateDBStatistics() {
  return std::make_shared<ShardedStatistics>();
}

}  // namespace tamis
