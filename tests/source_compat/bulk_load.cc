// SPDX-License-Identifier: Apache-2.0
//
// Loads a database without compactions, compacts it, opens it for reads, and
// asks for its memory and its numbers.
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>
#include <rocksdb/utilities/memory_util.h>

#include "program.h"

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::Cache;
using ROCKSDB_NAMESPACE::CompactRangeOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::MemoryUtil;
using ROCKSDB_NAMESPACE::NewBlockBasedTableFactory;
using ROCKSDB_NAMESPACE::NewLRUCache;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::TablePropertiesCollection;
using ROCKSDB_NAMESPACE::WriteOptions;

std::unique_ptr<DB> Open(const Options& options, const std::string& path) {
  DB* opened = nullptr;
  Check(DB::Open(options, path, &opened));
  return std::unique_ptr<DB>(opened);
}

void PrintNumbers(DB* db) {
  std::cout << "levels " << db->NumberLevels() << ", stop at "
            << db->Level0StopWriteTrigger(db->DefaultColumnFamily())
            << ", flushes to " << db->MaxMemCompactionLevel() << "\n";
}

void Load(const std::string& path) {
  Options options;
  options.create_if_missing = true;
  options.PrepareForBulkLoad();
  const std::unique_ptr<DB> db = Open(options, path);
  PrintNumbers(db.get());
  std::string session;
  Check(db->GetDbSessionId(session));
  std::cout << "session of " << session.size() << " characters\n";
  for (int table = 0; table < 6; ++table) {
    for (int i = 0; i < 100; ++i) {
      Check(db->Put(WriteOptions(), Key(table + i * 6), "value"));
    }
    Check(db->Flush(FlushOptions()));
  }
  std::string files;
  db->GetProperty("rocksdb.num-files-at-level0", &files);
  std::cout << files << " tables in level 0\n";
  TablePropertiesCollection tables;
  Check(db->GetPropertiesOfAllTables(&tables));
  for (const auto& table : tables) {
    if (table.second->db_session_id != session)
      std::cout << "another session\n";
  }
  Check(db->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  db->GetProperty("rocksdb.num-files-at-level1", &files);
  std::cout << "then " << files << " in level 1\n";
}

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  Load(path);

  BlockBasedTableOptions table;
  table.block_cache = NewLRUCache(1 << 20);
  Options options;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  const std::unique_ptr<DB> db = Open(options, path);
  PrintNumbers(db.get());
  std::string value;
  Check(db->Get(ReadOptions(), Key(17), &value));
  Check(db->Put(WriteOptions(), Key(17), "another"));
  const std::unordered_set<const Cache*> caches = {table.block_cache.get()};
  std::map<MemoryUtil::UsageType, uint64_t> usage;
  Check(
      MemoryUtil::GetApproximateMemoryUsageByType({db.get()}, caches, &usage));
  std::cout << usage.size() << " kinds of memory: memtables "
            << (usage[MemoryUtil::kMemTableTotal] > 0) << ", unflushed "
            << (usage[MemoryUtil::kMemTableUnFlushed] > 0) << ", tables "
            << (usage[MemoryUtil::kTableReadersTotal] > 0) << ", caches "
            << (usage[MemoryUtil::kCacheTotal] > 0) << "\n";
  return 0;
}
