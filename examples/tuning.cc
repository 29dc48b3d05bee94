// SPDX-License-Identifier: Apache-2.0
//
// Options as text, changed while the database is open, and what was derived
// from them. Run: tuning DIRECTORY
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include <tamis/convenience.h>
#include <tamis/db.h>
#include <tamis/statistics.h>

static void Check(const tamis::Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << "\n";
  std::exit(1);
}

int main(int argc, char** argv) {
  const std::string directory = argc > 1 ? argv[1] : "tuning_db";
  tamis::Options options;
  options.create_if_missing = true;
  // As RocksDB's programs and files have them. An unknown name is an error.
  Check(tamis::GetOptionsFromString(
      tamis::ConfigOptions(), options,
      "write_buffer_size=8M;compression=kLZ4Compression;"
      "block_based_table_factory={block_size=8K;filter_policy=ribbonfilter:12}",
      &options));
  options.statistics = tamis::CreateDBStatistics();
  const tamis::Status unknown = tamis::GetOptionsFromString(
      tamis::ConfigOptions(), options, "write_bufer_size=8M", &options);
  std::cout << unknown.ToString() << "\n";

  Check(tamis::DestroyDB(directory, options));
  std::unique_ptr<tamis::DB> db;
  Check(tamis::DB::Open(options, directory, &db));
  // Takes effect at once, and is in the OPTIONS file of the directory.
  Check(db->SetOptions({{"write_buffer_size", "1M"}}));
  Check(db->SetDBOptions({{"max_background_jobs", "4"}}));
  std::cout << "write_buffer_size " << db->GetOptions().write_buffer_size
            << ", max_background_jobs "
            << db->GetDBOptions().max_background_jobs << "\n";

  for (int i = 0; i < 1000; ++i) {
    Check(db->Put({}, "key" + std::to_string(i), "value"));
  }
  std::string value;
  for (int i = 0; i < 1000; ++i) {
    Check(db->Get({}, "key" + std::to_string(i), &value));
  }
  std::cout << options.statistics->getTickerCount(tamis::MEMTABLE_HIT)
            << " reads found their key in the memtable\n";
}
