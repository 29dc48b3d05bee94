// SPDX-License-Identifier: Apache-2.0
//
// Flushes and compactions whose blocks a second thread writes: the same tables,
// the same errors, no files left.
#include <atomic>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class DBTableHelpersTest : public DBTest {
 protected:
  // On threads, with tables that are cut often.
  void Use(uint32_t parallel_threads) {
    options_.job_runner = nullptr;
    options_.compression_opts.parallel_threads = parallel_threads;
    options_.target_file_size_base = 100'000;
    options_.write_buffer_size = 4 << 20;
    options_.disable_auto_compactions = true;
    options_.max_bgerror_resume_count = 0;
    BlockBasedTableOptions table;
    table.block_size = 1024;
    SetTable(table);
    Open();
  }
  // Values of which a part, more or less, can be compressed.
  void Fill() {
    for (int round = 0; round < 4; ++round) {
      for (int i = 0; i < 4000; ++i) {
        const auto n = static_cast<size_t>(i * 7 % 200);
        std::string value = Noise(n, static_cast<uint64_t>(round * 9999 + i));
        value.append(static_cast<size_t>(i / 10), 'v');
        Put(Key(i * 4 + round), value);
      }
      Flush();
    }
  }
  // Level, number, size and bounds of every table.
  std::vector<std::string> Tables() {
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    std::vector<std::string> tables;
    for (const LiveFileMetaData& file : files) {
      tables.push_back(std::to_string(file.level) + " " + file.name + " " +
                       std::to_string(file.size) + " " + file.smallestkey +
                       " " + file.largestkey);
    }
    return tables;
  }
};

TEST_F(DBTableHelpersTest, TablesAreTheSameWithAndWithoutHelpers) {
  std::vector<std::vector<std::string>> flushed;
  std::vector<std::vector<std::string>> compacted;
  for (const uint32_t threads : {1u, 2u, 2u, 8u}) {
    Use(threads);
    Fill();
    flushed.push_back(Tables());
    Compact();
    compacted.push_back(Tables());
    EXPECT_EQ(Get(Key(5)), Noise(7, 9999 + 1));
    db_.reset();  // inputs are unlinked when nobody waits for it
    EXPECT_EQ(TablesOnDisk(), compacted.back().size());
    Destroy();
    EXPECT_EQ(flushed.back(), flushed[0]);
    EXPECT_EQ(compacted.back(), compacted[0]);
  }
  EXPECT_EQ(flushed[0].size(), 4u);
  EXPECT_GE(compacted[0].size(), 8u);
}

// Wherever in a table the file fails.
TEST_F(DBTableHelpersTest, AnErrorOfAHelperFailsTheFlushOrCompaction) {
  Use(2);
  Fill();
  std::atomic<int> appends{0};
  const auto fail_from = [&](int append) {
    appends = 0;
    fs_->SetFaultHook(
        [&appends, append](const SimulatedFileSystem::Call& call) -> Status {
          if (call.operation == "append" && call.path.ends_with(".sst") &&
              ++appends >= append) {
            return Status::NoSpace(call.path, "append");
          }
          return Status::OK();
        });
  };
  for (const int append : {1, 2, 50, 300, 1000, 2500}) {
    const std::vector<std::string> before = Tables();
    fail_from(append);
    const Status status =
        db_->CompactRange(CompactRangeOptions(), nullptr, nullptr);
    EXPECT_TRUE(status.IsNoSpace()) << append << " " << status;
    fs_->SetFaultHook(nullptr);
    ASSERT_TRUE(db_->Resume().ok());
    ASSERT_EQ(Tables(), before);
    ASSERT_EQ(TablesOnDisk(), before.size());
  }
  for (const int append : {1, 2, 50, 100}) {
    for (int i = 0; i < 500; ++i) Put(Key(i), Noise(200, 1));
    const std::vector<std::string> before = Tables();
    fail_from(append);
    EXPECT_FALSE(db_->Flush(FlushOptions()).ok());
    fs_->SetFaultHook(nullptr);
    ASSERT_EQ(Tables(), before);
    ASSERT_TRUE(db_->Resume().ok());
    ASSERT_EQ(TablesOnDisk(), Tables().size());
  }
  Compact();
  EXPECT_EQ(Get(Key(1)), Noise(200, 1));
}

// A runner whose only thread is taken by the compaction itself.
TEST_F(DBTableHelpersTest, ABusyThreadIsNotWaitedFor) {
  Use(1);
  db_.reset();
  options_.compression_opts.parallel_threads = 2;
  options_.job_runner = NewThreadJobRunner(1, 1);
  Open();
  Fill();
  Compact();
  EXPECT_EQ(Get(Key(5)), Noise(7, 9999 + 1));
}

}  // namespace
}  // namespace tamis
