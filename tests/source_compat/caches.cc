// SPDX-License-Identifier: Apache-2.0
//
// Caches in every shape in which programs make them, a budget for memtables,
// and snapshots that release themselves.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/snapshot.h>
#include <rocksdb/table.h>

#include "program.h"

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::Cache;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::HyperClockCacheOptions;
using ROCKSDB_NAMESPACE::LRUCacheOptions;
using ROCKSDB_NAMESPACE::ManagedSnapshot;
using ROCKSDB_NAMESPACE::NewBlockBasedTableFactory;
using ROCKSDB_NAMESPACE::NewLRUCache;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::WriteOptions;

std::vector<std::shared_ptr<Cache>> Caches() {
  constexpr size_t kMiB = 1 << 20;
  LRUCacheOptions by_members;
  by_members.capacity = 3 * kMiB;
  by_members.num_shard_bits = 2;
  by_members.strict_capacity_limit = false;
  by_members.high_pri_pool_ratio = 0.25;
  HyperClockCacheOptions clock(4 * kMiB, 4096);
  return {NewLRUCache(kMiB), NewLRUCache(2 * kMiB, 4, false, 0.5),
          NewLRUCache(by_members), clock.MakeSharedCache()};
}

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  for (const std::shared_ptr<Cache>& cache : Caches()) {
    BlockBasedTableOptions table;
    table.block_cache = cache;
    Options options;
    options.create_if_missing = true;
    options.db_write_buffer_size = 64 << 10;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    DB* opened = nullptr;
    Check(DB::Open(options, path, &opened));
    const std::unique_ptr<DB> db(opened);
    std::cout << "capacity " << cache->GetCapacity() << ", memtables "
              << db->GetDBOptions().db_write_buffer_size << " "
              << db->GetDBOptions().write_buffer_manager->buffer_size() << "\n";

    Check(db->Put(WriteOptions(), "key", "before"));
    ManagedSnapshot snapshot(db.get());  // not const in RocksDB
    Check(db->Put(WriteOptions(), "key", "after"));
    ReadOptions then;
    then.snapshot = snapshot.snapshot();
    std::string value;
    Check(db->Get(then, "key", &value));
    std::cout << "then " << value;
    Check(db->Get(ReadOptions(), "key", &value));
    std::cout << ", now " << value << "\n";
    uint64_t snapshots = 0;
    {
      const ManagedSnapshot another(db.get(), db->GetSnapshot());
      db->GetIntProperty(DB::Properties::kNumSnapshots, &snapshots);
      std::cout << snapshots << " snapshots, ";
    }
    db->GetIntProperty(DB::Properties::kNumSnapshots, &snapshots);
    std::cout << "then " << snapshots << "\n";
  }
  return 0;
}
