// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/ycsb_benchmarks.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "tools/bench_data.h"
#include "tools/tamis_db_bench/bench_thread.h"
#include "tools/ycsb_workload.h"

namespace tamis::bench {

namespace {

// Runs the operations of a thread. An error ends them and is in the stats.
class YcsbClient {
 public:
  explicit YcsbClient(const ThreadContext& t)
      : t_(t),
        values_(static_cast<size_t>(t.settings->ycsb_value_size), SeedOf(t),
                t.settings->compression_ratio) {}

  // Returns the bytes of keys and values that were read or written.
  uint64_t Run(const ycsb::Operation& operation) {
    switch (operation.kind) {
      case ycsb::Kind::kRead:
        ++t_.ycsb->reads;
        return Read(operation);
      case ycsb::Kind::kUpdate:
        ++t_.ycsb->updates;
        return Write(operation.number);
      case ycsb::Kind::kInsert:
        return Insert();
      case ycsb::Kind::kScan:
        return Scan(operation);
      case ycsb::Kind::kReadModifyWrite:
        break;
    }
    ++t_.ycsb->read_modify_writes;
    uint64_t bytes = 0;
    Get(keys_.Make(operation.number), &bytes);
    return bytes + Write(operation.number);
  }

  uint64_t Write(uint64_t number) {
    const Slice key = keys_.Make(number);
    const Slice value = values_.Next();
    Check(t_.db->Put(WriteOptions{.sync = t_.settings->sync}, key, value));
    return key.size() + value.size();
  }

 private:
  bool Check(const Status& status) {
    if (!status.ok()) t_.stats->Fail(status.ToString());
    return status.ok();
  }

  bool Get(const Slice& key, uint64_t* bytes) {
    const Status status = t_.db->Get(ReadOptions(), key, &value_);
    const bool found = !status.IsNotFound() && Check(status);
    if (found) *bytes += key.size() + value_.size();
    value_.Reset();
    return found;
  }

  uint64_t Read(const ycsb::Operation& operation) {
    const Slice key = operation.absent ? keys_.MakeAbsent(operation.number)
                                       : keys_.Make(operation.number);
    uint64_t bytes = 0;
    const bool found = Get(key, &bytes);
    if (operation.absent) ++t_.ycsb->absent;
    if (found) ++t_.ycsb->found;
    if (found && operation.absent) {
      t_.stats->Fail("an absent key was found: " + key.ToString());
    }
    return bytes;
  }

  uint64_t Insert() {
    ++t_.ycsb->inserts;
    const uint64_t number = t_.records->StartInsert();
    const uint64_t bytes = Write(number);
    if (!t_.stats->failed()) t_.records->Inserted(number);
    return bytes;
  }

  uint64_t Scan(const ycsb::Operation& operation) {
    ++t_.ycsb->scans;
    const std::unique_ptr<Iterator> it(t_.db->NewIterator(ReadOptions()));
    uint64_t bytes = 0;
    uint64_t left = operation.scan_length;
    it->Seek(keys_.Make(operation.number));
    for (; it->Valid() && left > 0; it->Next(), --left) {
      bytes += it->key().size() + it->value().size();
      ++t_.ycsb->scanned;
    }
    Check(it->status());
    return bytes;
  }

  const ThreadContext& t_;
  ycsb::KeyMaker keys_;
  ValuePool values_;
  PinnableSlice value_;
};

// Runs next() as one operation, and counts it. Returns false after an error.
template <typename Next>
bool Timed(const ThreadContext& t, const Quota& quota, Next&& next) {
  const auto start = quota.Begin();
  const uint64_t bytes = next();
  const std::chrono::nanoseconds spent =
      std::chrono::steady_clock::now() - start;
  if (t.stats->failed()) return false;
  t.ycsb->latency.Add(static_cast<uint64_t>(spent.count()));
  t.stats->Done(1, bytes);
  return true;
}

template <typename... Values>
std::string YcsbFormat(const char* format, Values... values) {
  char text[256];
  const int n = std::snprintf(text, sizeof(text), format, values...);
  return {text, static_cast<size_t>(n)};
}

using Count = unsigned long long;  // for %llu

double Percent(uint64_t part, uint64_t whole) {
  return whole == 0
             ? 0
             : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string LatencyLine(const LatencyHistogram& latency) {
  const auto micros = [&latency](double share) {
    return latency.QuantileMicros(share);
  };
  return YcsbFormat(
      "latency    mean %.3f p50 %.3f p99 %.3f p99.9 %.3f max %.3f micros",
      latency.Mean() / 1e3, micros(0.5), micros(0.99), micros(0.999),
      static_cast<double>(latency.most()) / 1e3);
}

std::string OperationLine(const YcsbResults& all) {
  return YcsbFormat(
      "operations %llu reads (%llu found, %llu of absent keys), %llu updates, "
      "%llu inserts, %llu scans (%llu entries), %llu read-modify-writes",
      Count{all.reads}, Count{all.found}, Count{all.absent}, Count{all.updates},
      Count{all.inserts}, Count{all.scans}, Count{all.scanned},
      Count{all.read_modify_writes});
}

std::string CacheLine(const PerfContext& perf) {
  const uint64_t hits = perf.block_cache_hit_count;
  return YcsbFormat(
      "cache      %.2f %% hits (%llu of %llu); %llu index and %llu filter "
      "blocks read",
      Percent(hits, hits + perf.block_read_count), Count{hits},
      Count{hits + perf.block_read_count}, Count{perf.index_block_read_count},
      Count{perf.filter_block_read_count});
}

std::string FilterLine(const PerfContext& perf, DB* db) {
  uint64_t useful = 0;
  uint64_t positive = 0;
  uint64_t true_positive = 0;
  for (const PerfContextByLevel& level : perf.level_to_perf_context) {
    useful += level.bloom_filter_useful;
    positive += level.bloom_filter_full_positive;
    true_positive += level.bloom_filter_full_true_positive;
  }
  TablePropertiesCollection tables;
  uint64_t bytes = 0;
  if (db->GetPropertiesOfAllTables(&tables).ok()) {
    for (const auto& [name, table] : tables) bytes += table->filter_size;
  }
  return YcsbFormat(
      "filters    %llu bytes in %zu tables; %llu probes useful, %llu positive, "
      "%llu wasted reads",
      Count{bytes}, tables.size(), Count{useful}, Count{positive},
      Count{positive - true_positive});
}

}  // namespace

void YcsbResults::Add(const YcsbResults& other) {
  latency.Merge(other.latency);
  reads += other.reads;
  found += other.found;
  absent += other.absent;
  updates += other.updates;
  inserts += other.inserts;
  scans += other.scans;
  scanned += other.scanned;
  read_modify_writes += other.read_modify_writes;
  perf.block_cache_hit_count += other.perf.block_cache_hit_count;
  perf.block_read_count += other.perf.block_read_count;
  perf.index_block_read_count += other.perf.index_block_read_count;
  perf.filter_block_read_count += other.perf.filter_block_read_count;
  for (size_t i = 0; i < perf.level_to_perf_context.size(); ++i) {
    PerfContextByLevel& own = perf.level_to_perf_context[i];
    const PerfContextByLevel& theirs = other.perf.level_to_perf_context[i];
    own.bloom_filter_useful += theirs.bloom_filter_useful;
    own.bloom_filter_full_positive += theirs.bloom_filter_full_positive;
    own.bloom_filter_full_true_positive +=
        theirs.bloom_filter_full_true_positive;
  }
}

void YcsbLoad(const ThreadContext& thread) {
  const Settings& s = *thread.settings;
  const auto threads = static_cast<uint64_t>(s.threads);
  const auto me = static_cast<uint64_t>(thread.index);
  const uint64_t end = s.num * (me + 1) / threads;
  YcsbClient client(thread);
  Quota quota(thread, s.num);
  for (uint64_t i = s.num * me / threads; i < end && quota.Take(1) != 0; ++i) {
    ++thread.ycsb->inserts;
    if (!Timed(thread, quota, [&] { return client.Write(i); })) break;
  }
  thread.ycsb->perf = *get_perf_context();
}

void YcsbRun(const ThreadContext& thread, char workload) {
  const Settings& s = *thread.settings;
  const uint64_t operations = s.reads_or_num();
  YcsbClient client(thread);
  ycsb::OperationSource source(
      *ycsb::FindMix(workload),
      {.distribution = s.ycsb_distribution,
       .absent_share = s.ycsb_absent,
       .operations = operations * static_cast<uint64_t>(s.threads),
       .seed = SeedOf(thread)},
      thread.records);
  thread.stats->Start();  // without the preparation
  // --duration ends it before its time only.
  Quota quota(thread, operations);
  for (uint64_t i = 0; i < operations && quota.Take(1) != 0; ++i) {
    const ycsb::Operation operation = source.Next();
    if (!Timed(thread, quota, [&] { return client.Run(operation); })) break;
  }
  thread.ycsb->perf = *get_perf_context();
}

std::string YcsbReport(const std::string& name,
                       std::span<const YcsbResults> threads, DB* db) {
  YcsbResults all;
  for (const YcsbResults& thread : threads) all.Add(thread);
  std::string report;
  for (const std::string& line :
       {LatencyLine(all.latency), OperationLine(all), CacheLine(all.perf),
        FilterLine(all.perf, db)}) {
    report += YcsbFormat("%-12s : ", name.c_str()) + line + "\n";
  }
  return report;
}

}  // namespace tamis::bench
