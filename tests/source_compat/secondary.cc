// SPDX-License-Identifier: Apache-2.0
//
// A secondary instance follows a primary of two column families: writes, a
// flush, a compaction, a family that is dropped, iterators.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include "program.h"

using namespace rocksdb;

namespace {

using Handles = std::vector<ColumnFamilyHandle*>;

void Print(const char* when, DB* db, const Handles& handles) {
  std::cout << when << "\n";
  for (ColumnFamilyHandle* handle : handles) {
    const std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions(), handle));
    std::cout << "  " << handle->GetName() << ":";
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      std::cout << " " << it->key().ToString() << "=" << it->value().ToString();
    }
    Check(it->status());
    std::cout << "\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  Options options;
  options.create_if_missing = true;
  DB* primary = nullptr;
  Check(DB::Open(options, path, &primary));
  ColumnFamilyHandle* users = nullptr;
  Check(primary->CreateColumnFamily(options, "users", &users));
  Check(primary->Put(WriteOptions(), "a", "1"));
  Check(primary->Put(WriteOptions(), users, "ann", "31"));

  Options following;
  following.max_open_files = -1;
  DB* secondary = nullptr;
  Handles handles;
  Check(DB::OpenAsSecondary(
      following, path, path + ".secondary",
      {{kDefaultColumnFamilyName, following}, {"users", following}}, &handles,
      &secondary));
  Print("opened", secondary, handles);

  Check(primary->Put(WriteOptions(), "b", "2"));
  Check(primary->Put(WriteOptions(), users, "bob", "42"));
  Print("before it catches up", secondary, handles);
  Check(secondary->TryCatchUpWithPrimary());
  Print("after a write", secondary, handles);

  Check(primary->Delete(WriteOptions(), "a"));
  Check(primary->Flush(FlushOptions()));
  Check(primary->Flush(FlushOptions(), users));
  Check(primary->DeleteRange(WriteOptions(), users, "ann", "b"));
  Check(primary->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  Check(secondary->TryCatchUpWithPrimary());
  Print("after flushes and a compaction", secondary, handles);

  std::cout << "it may write: " << secondary->Put(WriteOptions(), "k", "v").ok()
            << "\n"
            << "the primary may catch up: "
            << primary->TryCatchUpWithPrimary().ok() << "\n";

  Check(primary->DropColumnFamily(users));
  Check(primary->Put(WriteOptions(), "c", "3"));
  Check(secondary->TryCatchUpWithPrimary());
  Print("after a drop", secondary, handles);

  for (ColumnFamilyHandle* handle : handles) {
    Check(secondary->DestroyColumnFamilyHandle(handle));
  }
  delete secondary;
  Check(primary->DestroyColumnFamilyHandle(users));
  delete primary;
  return 0;
}
