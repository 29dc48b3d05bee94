// SPDX-License-Identifier: Apache-2.0
//
// Statistics of the database and the counters of the thread.
#include <cinttypes>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include "program.h"

using namespace rocksdb;

namespace {

void Print(const Statistics& statistics, const char* name, Tickers ticker) {
  std::cout << name << " = " << statistics.getTickerCount(ticker) << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.compression = kNoCompression;
  options.statistics = CreateDBStatistics();
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  DB* db = nullptr;
  Check(DB::Open(options, path, &db));
  const Statistics& statistics = *options.statistics;

  for (int i = 0; i < 20000; i += 2) {
    Check(db->Put(WriteOptions(), Key(i), std::string(100, 'v')));
  }
  Check(db->Flush(FlushOptions()));
  std::string value;
  int found = 0;
  for (int i = 0; i < 19999; ++i) {
    if (db->Get(ReadOptions(), Key(i), &value).ok()) ++found;
  }
  std::cout << "found " << found << "\n";
  // Both engines build the same filter, bit for bit.
  Print(statistics, "keys written", NUMBER_KEYS_WRITTEN);
  Print(statistics, "keys read", NUMBER_KEYS_READ);
  Print(statistics, "bytes read", BYTES_READ);
  Print(statistics, "memtable misses", MEMTABLE_MISS);
  Print(statistics, "hits in level 0", GET_HIT_L0);
  Print(statistics, "filter useful", BLOOM_FILTER_USEFUL);
  Print(statistics, "filter positive", BLOOM_FILTER_FULL_POSITIVE);
  Print(statistics, "filter true positive", BLOOM_FILTER_FULL_TRUE_POSITIVE);

  HistogramData gets;
  options.statistics->histogramData(DB_GET, &gets);
  std::cout << "timed gets " << gets.count << "\n";
  HistogramData bytes;
  options.statistics->histogramData(BYTES_PER_READ, &bytes);
  std::cout << "bytes per read " << bytes.max << ", in all " << bytes.sum
            << "\n";
  std::map<std::string, uint64_t> map;
  std::cout << "map " << options.statistics->getTickerMap(&map) << " "
            << map["rocksdb.number.keys.written"] << "\n";
  std::string text;
  std::cout << "property "
            << db->GetProperty("rocksdb.options-statistics", &text) << " "
            << (text.find("rocksdb.number.keys.read COUNT : 19999\n") !=
                std::string::npos)
            << "\n";

  SetPerfLevel(PerfLevel::kEnableCount);
  get_perf_context()->Reset();
  Check(db->Put(WriteOptions(), "fresh", "value"));
  Check(db->Get(ReadOptions(), "fresh", &value));
  std::cout << "from memtables " << get_perf_context()->get_from_memtable_count
            << "\n";
  get_perf_context()->Reset();
  for (int i = 1; i < 200; i += 2) {
    std::cout << db->Get(ReadOptions(), Key(i), &value).IsNotFound();
  }
  std::cout << "\nfilters: " << get_perf_context()->bloom_sst_miss_count
            << " no, " << get_perf_context()->bloom_sst_hit_count << " maybe\n";
  SetPerfLevel(PerfLevel::kDisable);

  {
    std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
    }
    Check(it->status());
  }
  Print(statistics, "seeks", NUMBER_DB_SEEK);
  Print(statistics, "nexts", NUMBER_DB_NEXT);
  Print(statistics, "nexts found", NUMBER_DB_NEXT_FOUND);
  Print(statistics, "iterated bytes", ITER_BYTES_READ);
  Check(options.statistics->Reset());
  Print(statistics, "reset", NUMBER_DB_NEXT);
  delete db;
  return 0;
}
