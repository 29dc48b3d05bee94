// SPDX-License-Identifier: Apache-2.0
//
// Opens a database with the options that it was last opened with, and changes
// some of them as text.
#include <iostream>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <rocksdb/cache.h>
#include <rocksdb/compaction_filter.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include "program.h"

using namespace rocksdb;

namespace {

class NoOpFilter : public CompactionFilter {
 public:
  const char* Name() const override { return "NoOpFilter"; }
};

void Print(const char* when, const DBOptions& db_options,
           const std::vector<ColumnFamilyDescriptor>& families) {
  std::cout << when << ": " << families.size()
            << " families, bytes_per_sync=" << db_options.bytes_per_sync
            << ", max_open_files=" << db_options.max_open_files << "\n";
  for (const ColumnFamilyDescriptor& family : families) {
    std::cout << "  " << family.name
              << ": write_buffer_size=" << family.options.write_buffer_size
              << ", trigger="
              << family.options.level0_file_num_compaction_trigger
              << ", compression=" << int{family.options.compression}
              << ", comparator=" << family.options.comparator->Name()
              << ", table=" << family.options.table_factory->Name()
              << ", filter " << (family.options.compaction_filter != nullptr)
              << "\n";
    const auto* table =
        family.options.table_factory->GetOptions<BlockBasedTableOptions>();
    std::cout << "    block_size=" << table->block_size << ", policy "
              << (table->filter_policy != nullptr) << "\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  NoOpFilter filter;
  DBOptions db_options;
  db_options.create_if_missing = true;
  db_options.create_missing_column_families = true;
  db_options.bytes_per_sync = 123456;
  db_options.max_open_files = 700;
  BlockBasedTableOptions table;
  table.block_size = 8 * 1024;
  table.block_cache = NewLRUCache(16 << 20);
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  std::vector<ColumnFamilyDescriptor> families = {
      ColumnFamilyDescriptor(kDefaultColumnFamilyName, ColumnFamilyOptions()),
      ColumnFamilyDescriptor("second", ColumnFamilyOptions())};
  families[0].options.table_factory.reset(NewBlockBasedTableFactory(table));
  families[0].options.write_buffer_size = 4 << 20;
  families[1].options.level0_file_num_compaction_trigger = 7;
  families[1].options.compression = kNoCompression;
  families[1].options.compaction_filter = &filter;
  families[1].options.comparator = ReverseBytewiseComparator();
  BlockBasedTableOptions plain;
  plain.filter_policy = nullptr;  // RocksDB's default
  families[1].options.table_factory.reset(NewBlockBasedTableFactory(plain));

  std::vector<ColumnFamilyHandle*> handles;
  DB* db = nullptr;
  Check(DB::Open(db_options, path, families, &handles, &db));
  Check(db->Put(WriteOptions(), handles[1], "key", "value"));
  for (ColumnFamilyHandle* handle : handles) delete handle;
  delete db;

  ConfigOptions config;
  DBOptions loaded;
  std::vector<ColumnFamilyDescriptor> loaded_families;
  Check(LoadLatestOptions(config, path, &loaded, &loaded_families));
  Print("loaded", loaded, loaded_families);

  // Objects have no text.
  const std::shared_ptr<Cache> cache = NewLRUCache(1 << 20);
  for (ColumnFamilyDescriptor& family : loaded_families) {
    auto* options =
        family.options.table_factory->GetOptions<BlockBasedTableOptions>();
    options->block_cache = cache;
  }
  loaded_families[1].options.compaction_filter = &filter;
  Check(DB::Open(loaded, path, loaded_families, &handles, &db));
  std::string value;
  Check(db->Get(ReadOptions(), handles[1], "key", &value));
  std::cout << "key = " << value << "\n";

  Check(db->SetOptions(handles[1], {{"write_buffer_size", "1048576"},
                                    {"disable_auto_compactions", "true"}}));
  std::cout << "no such option: "
            << db->SetOptions({{"no_such_option", "1"}}).IsInvalidArgument()
            << "\n";
  const Options now = db->GetOptions(handles[1]);
  std::cout << "now: " << now.write_buffer_size << " "
            << now.disable_auto_compactions << "\n";
  for (ColumnFamilyHandle* handle : handles) delete handle;
  delete db;
  loaded_families.clear();
  Check(LoadLatestOptions(config, path, &loaded, &loaded_families));
  Print("changed", loaded, loaded_families);

  ColumnFamilyOptions parsed;
  Check(GetColumnFamilyOptionsFromString(
      config, ColumnFamilyOptions(),
      "write_buffer_size=8M;max_write_buffer_number=3;"
      "block_based_table_factory={block_size=16k;filter_policy=bloomfilter:12:"
      "false}",
      &parsed));
  std::cout
      << "parsed: " << parsed.write_buffer_size << " "
      << parsed.max_write_buffer_number << " "
      << parsed.table_factory->GetOptions<BlockBasedTableOptions>()->block_size
      << "\n";
  std::unordered_map<std::string, std::string> map;
  Check(StringToMap("a=1; b={c=2;d=3}; e=", &map));
  std::cout << "map: " << map.size() << " " << map["a"] << " " << map["b"]
            << "\n";

  config.sanity_level = ConfigOptions::kSanityLevelLooselyCompatible;
  Check(CheckOptionsCompatibility(config, path, loaded, loaded_families));
  loaded_families[0].options.comparator = ReverseBytewiseComparator();
  std::cout << "other comparator: "
            << CheckOptionsCompatibility(config, path, loaded, loaded_families)
                   .IsInvalidArgument()
            << "\n";
  return 0;
}
