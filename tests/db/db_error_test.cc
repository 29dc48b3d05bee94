// SPDX-License-Identifier: Apache-2.0
//
// A disk that fails: writes fail with its error, reads work, Resume recovers,
// and all acknowledged writes are kept.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "filter/filter_registry.h"
#include "tests/db/test_db.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

class DBErrorTest : public DBTest {
 protected:
  // Fails every call of this operation on paths that hold the text.
  void Fail(const std::string& operation, const std::string& path) {
    failed_ = 0;
    fs_->SetFaultHook(
        [this, operation, path](const SimulatedFileSystem::Call& call) {
          if (call.operation != operation ||
              call.path.find(path) == std::string::npos) {
            return Status::OK();
          }
          ++failed_;
          return Status::NoSpace(call.path, "the disk is full");
        });
  }
  void Heal() { fs_->SetFaultHook(nullptr); }
  std::string BackgroundError() {
    std::string text;
    EXPECT_TRUE(db_->GetProperty(DB::Properties::kBackgroundError, &text));
    return text;
  }
  // Writes that were acknowledged.
  void PutAcknowledged(const std::string& key, const std::string& value) {
    Put(key, value);
    acknowledged_[key] = value;
  }
  void ExpectAcknowledged() {
    for (const auto& [key, value] : acknowledged_) {
      EXPECT_EQ(Get(key), value) << key;
    }
  }

  std::map<std::string, std::string> acknowledged_;
  int failed_ = 0;
};

TEST_F(DBErrorTest, ReadsAndResumeWorkWhereverTheDiskFails) {
  struct Case {
    const char* what;
    const char* operation;
    const char* path;
    enum { kWrite, kSyncedWrite, kFlushWAL, kFlush, kCompact } by;
  };
  const Case cases[] = {
      {"log append", "flush", ".log", Case::kWrite},
      {"log sync", "sync", ".log", Case::kSyncedWrite},
      {"log sync by FlushWAL", "sync", ".log", Case::kFlushWAL},
      {"log sync before a flush", "sync", ".log", Case::kFlush},
      {"new log", "create", ".log", Case::kFlush},
      {"new table", "create", ".sst", Case::kFlush},
      {"table append", "append", ".sst", Case::kFlush},
      {"table sync", "sync", ".sst", Case::kFlush},
      {"directory sync", "sync_dir", "db", Case::kFlush},
      {"MANIFEST append", "append", "MANIFEST", Case::kFlush},
      {"MANIFEST sync", "sync", "MANIFEST", Case::kFlush},
      {"table append in a compaction", "append", ".sst", Case::kCompact},
      {"MANIFEST sync in a compaction", "sync", "MANIFEST", Case::kCompact},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    acknowledged_.clear();
    Open();
    PutAcknowledged("table", "1");
    Flush();
    PutAcknowledged("table2", "2");
    Flush();
    if (c.by != Case::kCompact) PutAcknowledged("memory", "3");

    Fail(c.operation, c.path);
    Status status;
    if (c.by == Case::kWrite || c.by == Case::kSyncedWrite) {
      WriteOptions options;
      options.sync = c.by == Case::kSyncedWrite;
      status = db_->Put(options, "failed", "x");
    } else if (c.by == Case::kFlushWAL) {
      status = db_->FlushWAL(/*sync=*/true);
    } else if (c.by == Case::kFlush) {
      status = db_->Flush(FlushOptions());
    } else {
      status = db_->CompactRange(CompactRangeOptions(), nullptr, nullptr);
    }
    EXPECT_TRUE(status.IsNoSpace()) << status;
    EXPECT_GT(failed_, 0);

    // The error stays, and is the answer to every write.
    Heal();
    EXPECT_EQ(Property(DB::Properties::kBackgroundErrors), 1u);
    EXPECT_NE(BackgroundError().find("the disk is full"), std::string::npos);
    EXPECT_TRUE(db_->Put(WriteOptions(), "failed2", "x").IsNoSpace());
    EXPECT_TRUE(db_->Flush(FlushOptions()).IsNoSpace());
    EXPECT_TRUE(db_->FlushWAL(true).IsNoSpace());
    EXPECT_TRUE(
        db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).IsNoSpace());
    ExpectAcknowledged();
    EXPECT_EQ(Get("failed"), "NOT_FOUND");
    EXPECT_EQ(Get("failed2"), "NOT_FOUND");
    EXPECT_EQ(LogLines("event=background_error").size(), 1u);

    ASSERT_TRUE(db_->Resume().ok());
    EXPECT_EQ(Property(DB::Properties::kBackgroundErrors), 0u);
    EXPECT_EQ(BackgroundError(), "OK");
    ExpectAcknowledged();
    EXPECT_EQ(Get("failed"), "NOT_FOUND");
    PutAcknowledged("after", "4");
    Flush();
    PutAcknowledged("after2", "5");
    Compact();
    ExpectAcknowledged();

    // And over a power cut, which keeps what was synced.
    WriteOptions sync;
    sync.sync = true;
    ASSERT_TRUE(db_->Put(sync, "last", "6").ok());
    acknowledged_["last"] = "6";
    fs_->CutPower();
    db_.reset();
    fs_->Restart(11);
    Open();
    ExpectAcknowledged();
    EXPECT_EQ(Get("failed"), "NOT_FOUND");
    Destroy();
  }
}

TEST_F(DBErrorTest, WithoutResumeAReopenFindsEveryAcknowledgedWrite) {
  const struct {
    const char* operation;
    const char* path;
  } cases[] = {{"flush", ".log"},    {"sync", ".sst"},   {"append", "MANIFEST"},
               {"sync", "MANIFEST"}, {"sync_dir", "db"}, {"create", ".log"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.operation) + " " + c.path);
    acknowledged_.clear();
    Open();
    PutAcknowledged("a", "1");
    Flush();
    PutAcknowledged("b", "2");
    Fail(c.operation, c.path);
    if (std::string(c.path) == ".log") {
      EXPECT_FALSE(db_->Put(WriteOptions(), "c", "3").ok() &&
                   db_->Flush(FlushOptions()).ok());
    } else {
      EXPECT_FALSE(db_->Flush(FlushOptions()).ok());
    }
    Heal();
    db_.reset();
    Open();
    ExpectAcknowledged();
    Destroy();
  }
}

TEST_F(DBErrorTest, AFailedResumeKeepsTheBackgroundError) {
  Open();
  PutAcknowledged("a", "1");
  Fail("flush", ".log");
  EXPECT_TRUE(db_->Put(WriteOptions(), "b", "2").IsNoSpace());
  for (const auto& [operation, path] :
       std::vector<std::pair<const char*, const char*>>{{"create", ".log"},
                                                        {"create", ".sst"},
                                                        {"sync", ".sst"},
                                                        {"create", "MANIFEST"},
                                                        {"sync", "MANIFEST"},
                                                        {"rename", "dbtmp"},
                                                        {"sync", "dbtmp"}}) {
    Fail(operation, path);
    const Status status = db_->Resume();
    EXPECT_TRUE(status.IsNoSpace()) << operation << path << ": " << status;
    EXPECT_GT(failed_, 0) << operation << path;
    EXPECT_EQ(Property(DB::Properties::kBackgroundErrors), 1u);
    EXPECT_FALSE(db_->Put(WriteOptions(), "b", "2").ok());
    ExpectAcknowledged();
  }
  Heal();
  ASSERT_TRUE(db_->Resume().ok());
  PutAcknowledged("b", "3");
  ExpectAcknowledged();
  Reopen();
  ExpectAcknowledged();
  ASSERT_TRUE(db_->Resume().ok());  // nothing to resume from
}

TEST_F(DBErrorTest, AFailedFlushLeavesNoTable) {
  Open();
  Put("a", "1");
  for (const char* operation : {"append", "sync", "close"}) {
    Fail(operation, ".sst");
    EXPECT_FALSE(db_->Flush(FlushOptions()).ok()) << operation;
    EXPECT_GT(failed_, 0) << operation;
    EXPECT_EQ(TablesOnDisk(), 0u) << operation;
    Heal();
    ASSERT_TRUE(db_->Resume().ok()) << operation;
    EXPECT_EQ(Get("a"), "1");
    Put("a", "1");
    Compact();
    Destroy();
    Open();
    Put("a", "1");
  }
}

TEST_F(DBErrorTest, AnUndeletableFileIsLeftToTheNextOpen) {
  Open();
  for (int i = 0; i < 2; ++i) {
    Put("a", std::to_string(i));
    Flush();
  }
  Fail("remove", ".sst");
  Compact();
  EXPECT_EQ(failed_, 2);
  EXPECT_EQ(TablesOnDisk(), 3u);
  EXPECT_EQ(LiveFiles().size(), 1u);
  Put("b", "2");  // no error of the database
  Heal();
  Reopen();
  EXPECT_EQ(TablesOnDisk(), LiveFiles().size());
  EXPECT_EQ(Contents(), "a=1 b=2");
}

TEST_F(DBErrorTest, ACorruptTableStopsTheCompactionAndKeepsTheInputs) {
  Open();
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 100; ++k) {
      Put(Key(k), Noise(100, static_cast<uint64_t>(k)));
    }
    Flush();
  }
  ASSERT_TRUE(db_->Close().ok());
  const std::string path =
      std::string(kTestDirectory) + "/" + FilesEndingIn(".sst")[0];
  std::string bytes;
  ASSERT_TRUE(fs_->GetContents(path, &bytes).ok());
  bytes[3000] = static_cast<char>(bytes[3000] ^ 64);
  ASSERT_TRUE(fs_->SetContents(path, bytes).ok());
  options_.disable_auto_compactions = true;
  Reopen();
  const Status status =
      db_->CompactRange(CompactRangeOptions(), nullptr, nullptr);
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.message().find(".sst"), std::string::npos) << status;
  EXPECT_EQ(LiveFiles().size(), 2u);
  EXPECT_EQ(TablesOnDisk(), 2u);
  EXPECT_TRUE(db_->Put(WriteOptions(), "a", "1").IsCorruption());
  EXPECT_EQ(Get(Key(99)), Noise(100, 99));
}

TEST_F(DBErrorTest, ACompactionReadsNoFilterAndReplacesDamagedOnes) {
  BlockBasedTableOptions table;
  table.range_filter = BlockBasedTableOptions::kFence;
  for (const int round : {0, 1, 2, 3}) {
    const bool rewrites = round % 2 == 1;  // filters alone
    if (round >= 2) {
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = true;
    }
    SetTable(table);
    options_.disable_auto_compactions = true;
    options_.max_open_files = 1;  // the other table is opened again
    Open();
    for (int i = 0; i < 2; ++i) {
      for (int k = 0; k < 1000; ++k) Put(Key(k), std::to_string(i));
      Flush();
    }
    for (const std::string& name : FilesEndingIn(".sst")) {
      const std::string path = std::string(kTestDirectory) + "/" + name;
      std::string bytes;
      ASSERT_TRUE(fs_->GetContents(path, &bytes).ok());
      int filters = 0;
      const auto layout = (*OpenTable(bytes))->ReadLayout();
      for (const auto& [key, handle] : layout->metaindex) {
        if (!ParseMetaindexKey(key)) continue;
        ++filters;
        bytes[handle.offset] = static_cast<char>(bytes[handle.offset] ^ 64);
      }
      ASSERT_EQ(filters, 2);
      ASSERT_TRUE(fs_->SetContents(path, bytes).ok());
    }
    EXPECT_NE(Contents().find("Corruption"), std::string::npos);
    if (rewrites) {
      EXPECT_TRUE(db_->RewriteFilters({}).ok());
    } else {
      Compact();
    }
    EXPECT_EQ(Get(Key(1)), "1");
    EXPECT_EQ(Contents().find("Corruption"), std::string::npos);
    EXPECT_EQ(LiveFiles().size(), rewrites ? 2u : 1u);
    Destroy();
  }
}

TEST_F(DBErrorTest, AReadErrorIsNotNotFound) {
  Open();
  Put("a", "old");
  Flush();
  Put("a", "new");
  Flush();
  const std::string newer = std::string(kTestDirectory) + LiveFiles()[0].name;
  ASSERT_TRUE(db_->Close().ok());
  std::string bytes;
  ASSERT_TRUE(fs_->GetContents(newer, &bytes).ok());
  std::string spoiled = bytes;
  for (size_t i = 0; i < 20; ++i) spoiled[i] = '\x55';
  ASSERT_TRUE(fs_->SetContents(newer, spoiled).ok());
  Reopen();
  std::string value;
  const Status status = db_->Get(ReadOptions(), "a", &value);
  EXPECT_TRUE(status.IsCorruption()) << status;  // and not "old"
}

}  // namespace
}  // namespace tamis
