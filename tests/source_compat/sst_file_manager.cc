// SPDX-License-Identifier: Apache-2.0
//
// Counts the tables of two databases, reaches the limit, and deletes slowly.
#include <iostream>
#include <memory>
#include <string>
#include <thread>

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_manager.h>
#include <rocksdb/statistics.h>

#include "program.h"

using namespace rocksdb;

namespace {

void Fill(DB* db, int first) {
  for (int i = first; i < first + 10; ++i) {
    Check(db->Put(WriteOptions(), Key(i), std::string(10000, 'v')));
  }
}

void Print(const char* what, const Status& status) {
  std::cout << what << ": code " << static_cast<int>(status.code())
            << " subcode " << static_cast<int>(status.subcode()) << "\n";
}

// Obsolete files may be deleted after the call that made them so.
void AwaitFiles(SstFileManager* manager, size_t files) {
  while (manager->GetTrackedFiles().size() != files) {
    std::this_thread::yield();
  }
  std::cout << files << " files\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  Status status = Status::Corruption("not set");
  std::shared_ptr<SstFileManager> manager(
      NewSstFileManager(Env::Default(), nullptr, "", /*rate_bytes_per_sec=*/0,
                        /*delete_existing_trash=*/true, &status));
  Check(status);
  Options options;
  options.create_if_missing = true;
  options.compression = kNoCompression;
  options.level0_file_num_compaction_trigger = 100;
  options.statistics = CreateDBStatistics();
  options.sst_file_manager = manager;
  DB* db = nullptr;
  DB* other = nullptr;
  Check(DB::Open(options, path, &db));
  Check(DB::Open(options, path + "_other", &other));

  Fill(db, 0);
  Check(db->Flush(FlushOptions()));
  Fill(db, 5);
  Check(db->Flush(FlushOptions()));
  Fill(other, 0);
  Check(other->Flush(FlushOptions()));
  std::cout << manager->GetTrackedFiles().size() << " files, about "
            << manager->GetTotalSize() / 10000 << "0000 bytes\n";
  std::cout << "rate " << manager->GetDeleteRateBytesPerSecond() << ", ratio "
            << manager->GetMaxTrashDBRatio() << ", trash "
            << manager->GetTotalTrashSize() << "\n";

  // No room for a compaction, though the limit is not reached.
  manager->SetMaxAllowedSpaceUsage(350'000);
  std::cout << "reached: " << manager->IsMaxAllowedSpaceReached() << "\n";
  Print("CompactRange",
        db->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  manager->SetMaxAllowedSpaceUsage(510'000);
  manager->SetCompactionBufferSize(100'000);
  Print("CompactRange with a buffer",
        db->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  manager->SetCompactionBufferSize(0);
  Print("CompactRange with room",
        db->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  AwaitFiles(manager.get(), 2);

  // A flush reaches it: the table is there, and writes fail.
  manager->SetMaxAllowedSpaceUsage(300'000);
  Fill(db, 20);
  Print("Flush", db->Flush(FlushOptions()));
  std::cout << "reached: " << manager->IsMaxAllowedSpaceReached()
            << manager->IsMaxAllowedSpaceReachedIncludingCompactions() << "\n";
  Print("Put", db->Put(WriteOptions(), "a", "1"));
  Print("Flush", db->Flush(FlushOptions()));
  Print("CompactRange",
        db->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  std::string value;
  Print("Get", db->Get(ReadOptions(), Key(25), &value));
  ColumnFamilyHandle* family = nullptr;
  Print("CreateColumnFamily",
        db->CreateColumnFamily(ColumnFamilyOptions(), "x", &family));
  Print("DropColumnFamily", db->DropColumnFamily(family));
  Check(db->DestroyColumnFamilyHandle(family));
  // The other database learns of it with its next flush.
  Print("Put in the other", other->Put(WriteOptions(), "a", "1"));
  Print("Flush of the other", other->Flush(FlushOptions()));

  // An open ends it; closed databases count.
  delete other;
  delete db;
  std::cout << manager->GetTrackedFiles().size() << " files\n";
  Check(DestroyDB(path + "_other", options));
  manager->SetMaxAllowedSpaceUsage(0);
  Check(DB::Open(options, path, &db));
  std::cout << manager->GetTrackedFiles().size() << " files\n";
  Print("Put", db->Put(WriteOptions(), "a", "1"));

  // What a compaction replaces is trash for a moment.
  manager->SetDeleteRateBytesPerSecond(1'000'000);
  manager->SetMaxTrashDBRatio(100);
  Check(db->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  AwaitFiles(manager.get(), 1);
  std::cout << "marked "
            << (options.statistics->getTickerCount(FILES_MARKED_TRASH) > 0)
            << ", at once "
            << (options.statistics->getTickerCount(FILES_DELETED_IMMEDIATELY) >
                0)
            << "\n";
  delete db;
  manager->SetDeleteRateBytesPerSecond(0);
  Check(DestroyDB(path, options));
  std::cout << manager->GetTotalSize() << " bytes\n";
  return 0;
}
