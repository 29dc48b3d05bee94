// SPDX-License-Identifier: Apache-2.0
//
// Sharded counters: each thread adds to one shard, and readers sum all shards.
// Shards are whole cache lines, so threads contend only if there are more of
// them than shards. A shard gets the memory of a histogram (about 1 KiB) with
// the first value of one of its threads.
#include "tamis/statistics.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <new>

#include "util/base/check.h"
#include "util/base/thread_number.h"
#include "util/stats/histogram.h"

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
    "rocksdb.block.cache.index.add",
    "rocksdb.block.cache.index.bytes.insert",
    "rocksdb.block.cache.filter.add",
    "rocksdb.block.cache.filter.bytes.insert",
    "rocksdb.block.cache.data.add",
    "rocksdb.block.cache.data.bytes.insert",
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
    "rocksdb.compaction.key.drop.range_del",
    "rocksdb.compaction.key.drop.user",
    "rocksdb.compaction.cancelled",
    "rocksdb.number.keys.written",
    "rocksdb.number.keys.read",
    "rocksdb.bytes.written",
    "rocksdb.bytes.read",
    "rocksdb.number.multiget.get",
    "rocksdb.number.multiget.keys.read",
    "rocksdb.number.multiget.keys.found",
    "rocksdb.number.multiget.bytes.read",
    "rocksdb.number.db.seek",
    "rocksdb.number.db.next",
    "rocksdb.number.db.prev",
    "rocksdb.number.db.seek.found",
    "rocksdb.number.db.next.found",
    "rocksdb.number.db.prev.found",
    "rocksdb.db.iter.bytes.read",
    "rocksdb.num.iterator.created",
    "rocksdb.num.iterator.deleted",
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
    "rocksdb.compact.read.marked.bytes",
    "rocksdb.compact.read.periodic.bytes",
    "rocksdb.compact.read.ttl.bytes",
    "rocksdb.compact.write.marked.bytes",
    "rocksdb.compact.write.periodic.bytes",
    "rocksdb.compact.write.ttl.bytes",
    "rocksdb.getupdatessince.calls",
    "rocksdb.number.block.compressed",
    "rocksdb.number.block.decompressed",
    "rocksdb.number.block.not_compressed",
    "rocksdb.block.checksum.compute.count",
    "rocksdb.error.handler.bg.errro.count",  // RocksDB's spelling
    "rocksdb.error.handler.bg.io.errro.count",
    "rocksdb.number.rate_limiter.drains",
    "rocksdb.files.marked.trash",
    "rocksdb.files.deleted.immediately",
};
static_assert(std::size(kTickerNames) == TICKER_ENUM_MAX);

constexpr std::string_view kHistogramNames[] = {
    "rocksdb.db.get.micros",
    "rocksdb.db.write.micros",
    "rocksdb.db.multiget.micros",
    "rocksdb.db.seek.micros",
    "rocksdb.compaction.times.micros",
    "rocksdb.compaction.times.cpu_micros",
    "rocksdb.db.flush.micros",
    "rocksdb.table.sync.micros",
    "rocksdb.compaction.outfile.sync.micros",
    "rocksdb.wal.file.sync.micros",
    "rocksdb.manifest.file.sync.micros",
    "rocksdb.table.open.io.micros",
    "rocksdb.sst.read.micros",
    "rocksdb.numfiles.in.singlecompaction",
    "rocksdb.num.subcompactions.scheduled",
    "rocksdb.db.write.stall",
    "rocksdb.bytes.per.read",
    "rocksdb.bytes.per.write",
    "rocksdb.bytes.per.multiget",
    "rocksdb.read.num.merge_operands",
    "rocksdb.compression.times.nanos",
    "rocksdb.decompression.times.nanos",
};
static_assert(std::size(kHistogramNames) == HISTOGRAM_ENUM_MAX);

template <typename Enum>
auto NameMap(std::span<const std::string_view> names) {
  std::vector<std::pair<Enum, std::string>> map;
  for (size_t i = 0; i < names.size(); ++i) {
    map.emplace_back(static_cast<Enum>(i), names[i]);
  }
  return map;
}

constexpr size_t kShards = 32;
constexpr size_t kCacheLine = 64;

struct alignas(kCacheLine) Shard {
  std::array<std::atomic<uint64_t>, TICKER_ENUM_MAX> counts{};
  // Acquired by readers, released by the thread that created the histogram.
  std::array<std::atomic<Histogram*>, HISTOGRAM_ENUM_MAX> histograms{};

  Shard() = default;
  ~Shard() {
    for (auto& histogram : histograms) delete histogram.load();
  }
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;
};

size_t ShardOfThread() { return ThreadNumber() % kShards; }

// All accesses to counts are relaxed: they order nothing.
class ShardedStatistics final : public Statistics {
 public:
  uint64_t getTickerCount(uint32_t ticker) const override {
    TAMIS_CHECK(ticker < TICKER_ENUM_MAX);
    uint64_t sum = 0;
    for (const Shard& shard : shards_) {
      sum += shard.counts[ticker].load(std::memory_order_relaxed);
    }
    return sum;
  }

  void recordTick(uint32_t ticker, uint64_t count) override {
    TAMIS_DCHECK(ticker < TICKER_ENUM_MAX);
    if (get_stats_level() <= kExceptTickers) return;
    shards_[ShardOfThread()].counts[ticker].fetch_add(
        count, std::memory_order_relaxed);
  }

  void setTickerCount(uint32_t ticker, uint64_t count) override {
    getAndResetTickerCount(ticker);
    shards_[0].counts[ticker].store(count, std::memory_order_relaxed);
  }

  uint64_t getAndResetTickerCount(uint32_t ticker) override {
    TAMIS_CHECK(ticker < TICKER_ENUM_MAX);
    uint64_t sum = 0;
    for (Shard& shard : shards_) {
      sum += shard.counts[ticker].exchange(0, std::memory_order_relaxed);
    }
    return sum;
  }

  bool getTickerMap(std::map<std::string, uint64_t>* tickers) const override {
    for (uint32_t i = 0; i < TICKER_ENUM_MAX; ++i) {
      (*tickers)[std::string(kTickerNames[i])] = getTickerCount(i);
    }
    return true;
  }

  void histogramData(uint32_t histogram, HistogramData* data) const override {
    *data = TotalsOf(histogram).Summary();
  }

  std::string getHistogramString(uint32_t histogram) const override {
    return TotalsOf(histogram).ToString();
  }

  void recordInHistogram(uint32_t histogram, uint64_t value) override {
    TAMIS_DCHECK(histogram < HISTOGRAM_ENUM_MAX);
    if (get_stats_level() <= kExceptHistogramOrTimers) return;
    Histogram* const own = OfThread(histogram);
    if (own != nullptr) own->Add(value);  // else memory has run out
  }

  Status Reset() override {
    for (Shard& shard : shards_) {
      for (auto& count : shard.counts) {
        count.store(0, std::memory_order_relaxed);
      }
      for (auto& histogram : shard.histograms) {
        Histogram* const used = histogram.load(std::memory_order_acquire);
        if (used != nullptr) used->Clear();
      }
    }
    return Status::OK();
  }

 private:
  HistogramTotals TotalsOf(uint32_t histogram) const {
    TAMIS_CHECK(histogram < HISTOGRAM_ENUM_MAX);
    HistogramTotals totals;
    for (const Shard& shard : shards_) {
      const Histogram* const used =
          shard.histograms[histogram].load(std::memory_order_acquire);
      if (used != nullptr) used->AddTo(&totals);
    }
    return totals;
  }

  Histogram* OfThread(uint32_t histogram) noexcept {
    std::atomic<Histogram*>& place =
        shards_[ShardOfThread()].histograms[histogram];
    Histogram* used = place.load(std::memory_order_acquire);
    if (used != nullptr) [[likely]]
      return used;
    auto* const created = new (std::nothrow) Histogram();
    if (place.compare_exchange_strong(used, created,
                                      std::memory_order_acq_rel)) {
      return created;
    }
    delete created;
    return used;
  }

  std::array<Shard, kShards> shards_;
};

}  // namespace

const std::vector<std::pair<Tickers, std::string>> TickersNameMap =
    NameMap<Tickers>(kTickerNames);
const std::vector<std::pair<Histograms, std::string>> HistogramsNameMap =
    NameMap<Histograms>(kHistogramNames);

std::span<const std::string_view> TickerNames() { return kTickerNames; }
std::span<const std::string_view> HistogramNames() { return kHistogramNames; }

bool Statistics::getTickerMap(
    std::map<std::string, uint64_t>* /*tickers*/) const {
  return false;
}

std::string Statistics::getHistogramString(uint32_t histogram) const {
  HistogramData data;
  histogramData(histogram, &data);
  char line[256];
  std::snprintf(line, sizeof(line),
                "P50 : %f P95 : %f P99 : %f P100 : %f COUNT : %llu SUM : %llu",
                data.median, data.percentile95, data.percentile99, data.max,
                static_cast<unsigned long long>(data.count),
                static_cast<unsigned long long>(data.sum));
  return line;
}

std::string Statistics::ToString() const {
  std::string out;
  for (uint32_t i = 0; i < TICKER_ENUM_MAX; ++i) {
    out += std::string(kTickerNames[i]) +
           " COUNT : " + std::to_string(getTickerCount(i)) + "\n";
  }
  for (uint32_t i = 0; i < HISTOGRAM_ENUM_MAX; ++i) {
    out += std::string(kHistogramNames[i]) + " " +
           Statistics::getHistogramString(i) + "\n";
  }
  return out;
}

std::shared_ptr<Statistics> CreateDBStatistics() {
  return std::make_shared<ShardedStatistics>();
}

}  // namespace tamis
