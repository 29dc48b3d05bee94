// SPDX-License-Identifier: Apache-2.0
//
// MultiGet in all its shapes.
#include <iostream>
#include <string>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include "program.h"

using namespace rocksdb;

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  Options options;
  options.create_if_missing = true;
  DB* db = nullptr;
  Check(DB::Open(options, path, &db));
  ColumnFamilyHandle* other = nullptr;
  Check(db->CreateColumnFamily(ColumnFamilyOptions(), "other", &other));
  for (int i = 0; i < 3000; ++i) {
    Check(db->Put(WriteOptions(), Key(i), "v" + std::to_string(i)));
    if (i % 1000 == 999) Check(db->Flush(FlushOptions()));
  }
  Check(db->Put(WriteOptions(), Key(77), "newer"));
  Check(db->Delete(WriteOptions(), Key(78)));
  Check(db->Put(WriteOptions(), other, "only", "here"));

  std::vector<std::string> names;
  for (int i = 3010; i > 0; i -= 101) names.push_back(Key(i));
  names.push_back(Key(77));
  names.push_back(Key(78));
  names.push_back(Key(77));
  std::vector<Slice> keys(names.begin(), names.end());

  std::vector<std::string> strings;
  const std::vector<Status> answers =
      db->MultiGet(ReadOptions(), keys, &strings);
  for (size_t i = 0; i < keys.size(); ++i) {
    std::cout << names[i] << ": " << answers[i].ToString() << " " << strings[i]
              << "\n";
  }

  std::vector<PinnableSlice> values(keys.size());
  std::vector<Status> statuses(keys.size());
  db->MultiGet(ReadOptions(), db->DefaultColumnFamily(), keys.size(),
               keys.data(), values.data(), statuses.data());
  int equal = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (statuses[i] == answers[i] && values[i] == Slice(strings[i])) ++equal;
  }
  std::cout << equal << " equal\n";

  std::vector<ColumnFamilyHandle*> families = {other, other,
                                               db->DefaultColumnFamily()};
  const std::vector<Status> across =
      db->MultiGet(ReadOptions(), families, {"only", "none", "only"}, &strings);
  for (size_t i = 0; i < across.size(); ++i) {
    std::cout << int{across[i].code()} << " " << strings[i] << "\n";
  }

  ReadOptions limited;
  limited.value_size_soft_limit = 12;
  std::vector<std::string> sorted;
  for (int i = 100; i < 110; ++i) sorted.push_back(Key(i));
  keys.assign(sorted.begin(), sorted.end());
  values = std::vector<PinnableSlice>(keys.size());
  statuses.assign(keys.size(), Status());
  db->MultiGet(limited, db->DefaultColumnFamily(), keys.size(), keys.data(),
               values.data(), statuses.data(), /*sorted_input=*/true);
  for (size_t i = 0; i < keys.size(); ++i) {
    std::cout << statuses[i].IsAborted();
    if (statuses[i].ok()) std::cout << values[i].ToString();
    std::cout << " ";
  }
  std::cout << "\n";

  bool value_found = false;
  std::string value;
  std::cout << "may exist "
            << db->KeyMayExist(ReadOptions(), Key(77), &value, &value_found)
            << value_found << value << "\n";
  Check(db->DestroyColumnFamilyHandle(other));
  delete db;
  return 0;
}
