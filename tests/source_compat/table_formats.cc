// SPDX-License-Identifier: Apache-2.0
//
// Plain and cuckoo tables, the kinds of memtables, factories in options.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/memtablerep.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include "program.h"

using namespace rocksdb;  // NOLINT: in the manner of RocksDB's examples

namespace {

void FillAndRead(const Options& options, const std::string& path) {
  DB* db = nullptr;
  Check(DB::Open(options, path, &db));
  for (int i = 0; i < 300; ++i) {
    char key[16];
    std::snprintf(key, sizeof(key), "%02d/%05d", i / 25, i);
    char value[16];
    std::snprintf(value, sizeof(value), "value%05d", i * 31 % 1000);
    Check(db->Put(WriteOptions(), key, value));
    if (i % 100 == 99) Check(db->Flush(FlushOptions()));
  }
  std::string value;
  for (const char* key : {"00/00000", "05/00130", "11/00299", "05/99999"}) {
    const Status status = db->Get(ReadOptions(), key, &value);
    std::printf("%s: %s\n", key,
                status.ok() ? value.c_str() : status.ToString().c_str());
  }
  TablePropertiesCollection all;
  Check(db->GetPropertiesOfAllTables(&all));
  uint64_t entries = 0;
  for (const auto& [name, properties] : all) entries += properties->num_entries;
  std::printf("%zu tables, %d entries\n", all.size(),
              static_cast<int>(entries));
  delete db;
}

// Forward within a prefix, which is all that RocksDB has for a plain table.
void SeekInPrefix(const Options& options, const std::string& path) {
  DB* db = nullptr;
  Check(DB::Open(options, path, &db));
  ReadOptions read;
  read.prefix_same_as_start = true;
  Iterator* it = db->NewIterator(read);
  int n = 0;
  for (it->Seek("07"); it->Valid(); it->Next()) {
    if (n++ == 0) std::printf("first: %s\n", it->key().ToString().c_str());
  }
  std::printf("%d of the prefix, %s\n", n, it->status().ToString().c_str());
  delete it;
  delete db;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  Options options;
  options.create_if_missing = true;
  options.allow_mmap_reads = true;
  options.allow_concurrent_memtable_write = false;

  PlainTableOptions plain;
  plain.user_key_len = kPlainTableVariableLength;
  plain.encoding_type = kPrefix;
  plain.bloom_bits_per_key = 8;
  plain.hash_table_ratio = 0.75;
  plain.index_sparseness = 8;
  options.prefix_extractor.reset(NewFixedPrefixTransform(2));
  options.memtable_factory.reset(NewHashLinkListRepFactory(1000));
  options.table_factory.reset(NewPlainTableFactory(plain));
  std::printf("%s %s\n", options.table_factory->Name(),
              options.memtable_factory->Name());
  FillAndRead(options, path + "_plain");
  SeekInPrefix(options, path + "_plain");

  DBOptions loaded;
  std::vector<ColumnFamilyDescriptor> families;
  Check(
      LoadLatestOptions(ConfigOptions(), path + "_plain", &loaded, &families));
  const auto& factory = families.front().options.table_factory;
  const auto* const read = factory->GetOptions<PlainTableOptions>();
  std::printf("%s, index_sparseness %d, %d bits\n", factory->Name(),
              static_cast<int>(read->index_sparseness),
              read->bloom_bits_per_key);

  CuckooTableOptions cuckoo;
  cuckoo.hash_table_ratio = 0.8;
  options.prefix_extractor.reset();
  options.memtable_factory.reset(new VectorRepFactory());
  options.table_factory.reset(NewCuckooTableFactory(cuckoo));
  std::printf("%s %s\n", options.table_factory->Name(),
              options.memtable_factory->Name());
  FillAndRead(options, path + "_cuckoo");

  // Tables of both formats in one database, read and written.
  const std::shared_ptr<TableFactory> block_based(NewBlockBasedTableFactory());
  options.table_factory.reset(NewAdaptiveTableFactory(block_based));
  options.memtable_factory.reset(new SkipListFactory());
  FillAndRead(options, path + "_adaptive");

  ColumnFamilyOptions parsed;
  Check(GetColumnFamilyOptionsFromString(
      ConfigOptions(), parsed,
      "plain_table_factory={user_key_len=66;bloom_bits_per_key=20;}", &parsed));
  std::printf(
      "%s %u\n", parsed.table_factory->Name(),
      parsed.table_factory->GetOptions<PlainTableOptions>()->user_key_len);
  return 0;
}
