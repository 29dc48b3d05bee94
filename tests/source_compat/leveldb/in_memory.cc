// SPDX-License-Identifier: Apache-2.0
//
// A program for LevelDB whose database is in memory. Run: program DIRECTORY
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/helpers/memenv.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/status.h"

namespace {

void Check(const leveldb::Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << "\n";
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string path = std::string(argv[1]) + "/database";
  const std::unique_ptr<leveldb::Env> env(
      leveldb::NewMemEnv(leveldb::Env::Default()));
  leveldb::Options options;
  options.env = env.get();
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 10;
  for (int round = 0; round < 2; ++round) {
    leveldb::DB* opened = nullptr;
    Check(leveldb::DB::Open(options, path, &opened));
    const std::unique_ptr<leveldb::DB> db(opened);
    for (int i = round; i < 2000; i += 2) {
      Check(db->Put(leveldb::WriteOptions(), "key" + std::to_string(i),
                    std::string(100, 'v')));
    }
    int keys = 0;
    const std::unique_ptr<leveldb::Iterator> it(
        db->NewIterator(leveldb::ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++keys;
    Check(it->status());
    std::cout << keys << " keys\n";
  }
  const std::string current = path + "/CURRENT";
  std::cout << "in memory: " << env->FileExists(current)
            << ", on the disk: " << leveldb::Env::Default()->FileExists(current)
            << "\n";
  return 0;
}
