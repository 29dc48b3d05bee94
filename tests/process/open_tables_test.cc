// SPDX-License-Identifier: Apache-2.0
//
// Where the number of open tables is limited, the n-th allocation of a read
// that opens tables fails, for every n. The limit still holds then, every table
// can still be opened, and the database closes.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/failures/failures.h"
#include "tests/failures/quiet_file_system.h"
#include "util/file_system_memory.h"

namespace tamis::process {
namespace {

constexpr int kTables = 12;

std::string Key(int i) { return "key" + std::to_string(100 + i); }

class OpenTablesTest : public testing::Test {
 protected:
  OpenTablesTest() {
    options_.create_if_missing = true;
    options_.file_system =
        std::make_shared<QuietFileSystem>(NewMemoryFileSystem());
    options_.job_runner = NewDeterministicJobRunner(7);
    options_.disable_auto_compactions = true;
    options_.level0_slowdown_writes_trigger = 1000;
    options_.level0_stop_writes_trigger = 1000;
  }

  void Open() {
    const Status status = DB::Open(options_, "/db", &db_);
    ASSERT_TRUE(status.ok()) << status;
  }
  void Fill() {
    Open();
    for (int i = 0; i < kTables; ++i) {
      ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), "value").ok());
      ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
    }
    ASSERT_TRUE(db_->Close().ok());
  }
  Status ReadAll() {
    for (int i = 0; i < kTables; ++i) {
      std::string value;
      const Status status = db_->Get(ReadOptions(), Key(i), &value);
      if (!status.ok()) return status;
    }
    return Status::OK();
  }

  Options options_;
  std::unique_ptr<DB> db_;
};

TEST_F(OpenTablesTest, AreCountedRightWhicheverAllocationFails) {
  Fill();
  for (const int limit : {1, 5, kTables + 1}) {
    options_.max_open_files = limit;
    uint64_t failures = 0;
    for (uint64_t n = 1;; ++n) {
      SCOPED_TRACE(std::to_string(limit) + ", " + std::to_string(n));
      db_.reset();
      Open();
      Failures::Arm(Failures::Kind::kAllocation, n);
      const Status status = ReadAll();
      const bool failed = Failures::Disarm();
      // Some allocations are for what a read can do without.
      EXPECT_TRUE(status.ok() || status.IsMemoryLimit()) << status;
      if (!failed) break;
      failures += status.ok() ? 0U : 1U;
      for (int i = 0; i < 2; ++i) {
        const Status again = ReadAll();
        ASSERT_TRUE(again.ok()) << again;
      }
      const Status closed = db_->Close();
      EXPECT_TRUE(closed.ok()) << closed;
    }
    EXPECT_GT(failures, uint64_t{kTables});
  }
}

}  // namespace
}  // namespace tamis::process
