// SPDX-License-Identifier: Apache-2.0
//
// With atomic_flush, the n-th allocation of a call that switches the memtables
// of several families, and flushes them, fails, for every n. All or none become
// immutable, and all or none are flushed. Either a flush of immutable memtables
// is scheduled, or an error is set: no write waits for a flush that never
// comes.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/failures/failures.h"
#include "tests/failures/quiet_file_system.h"
#include "tests/support/effort.h"
#include "tests/support/simulated_file_system.h"

namespace tamis::process {
namespace {

const std::vector<std::string> kFamilies = {kDefaultColumnFamilyName, "one",
                                            "two", "three"};
constexpr size_t kBuffer = 64 << 10;

class SwitchTest : public testing::Test {
 protected:
  SwitchTest() {
    options_.create_if_missing = true;
    options_.create_missing_column_families = true;
    options_.atomic_flush = true;
    options_.write_buffer_size = kBuffer;
    options_.file_system = std::make_shared<QuietFileSystem>(files_);
    options_.job_runner = runner_;
  }
  ~SwitchTest() override { Close(); }

  void Open() {
    std::vector<ColumnFamilyDescriptor> families;
    for (const std::string& name : kFamilies) {
      families.emplace_back(name, options_);
    }
    const Status status = DB::Open(options_, "/db", families, &handles_, &db_);
    ASSERT_TRUE(status.ok()) << status;
  }
  void Close() {
    for (ColumnFamilyHandle* handle : handles_) delete handle;
    handles_.clear();
    db_.reset();
  }

  Status PutToAll(const std::string& key) {
    WriteBatch batch;
    for (ColumnFamilyHandle* handle : handles_) {
      const Status status = batch.Put(handle, key, key);
      if (!status.ok()) return status;
    }
    WriteOptions options;
    options.sync = true;
    return db_->Write(options, &batch);
  }
  void ExpectInAll(const std::string& key) {
    for (ColumnFamilyHandle* handle : handles_) {
      std::string value;
      const Status status = db_->Get({}, handle, key, &value);
      EXPECT_TRUE(status.ok()) << handle->GetName() << " " << status;
    }
  }

  // Of each family.
  std::vector<uint64_t> Frozen() const {
    std::vector<uint64_t> frozen;
    for (ColumnFamilyHandle* handle : handles_) {
      EXPECT_TRUE(db_->GetIntProperty(handle,
                                      DB::Properties::kNumImmutableMemTable,
                                      &frozen.emplace_back()));
    }
    return frozen;
  }
  void ExpectAllOrNone() {
    const std::vector<uint64_t> frozen = Frozen();
    EXPECT_EQ(frozen, std::vector<uint64_t>(frozen.size(), frozen[0]));
  }
  // After a call that failed.
  void CheckGoesOn() {
    ExpectAllOrNone();
    runner_->RunUntilIdle();
    ExpectAllOrNone();
    ExpectInAll("key");
    if (!PutToAll("after").ok()) {
      const Status resumed = db_->Resume();
      ASSERT_TRUE(resumed.ok()) << resumed;
      EXPECT_TRUE(PutToAll("after").ok());
    }
    ASSERT_EQ(Frozen(), std::vector<uint64_t>(kFamilies.size(), 0));
    // A full one waits until the one before it is a table; the runner ends the
    // process where it would wait for ever.
    for (size_t bytes = 0; bytes < 3 * kBuffer; bytes += kBuffer / 4) {
      const std::string value(kBuffer / 4, 'v');
      ASSERT_TRUE(db_->Put({}, handles_[0], "k", value).ok());
    }
  }

  const std::shared_ptr<SimulatedFileSystem> files_ = NewSimulatedFileSystem();
  const std::shared_ptr<DeterministicJobRunner> runner_ =
      NewDeterministicJobRunner(7);
  Options options_;
  std::unique_ptr<DB> db_;
  std::vector<ColumnFamilyHandle*> handles_;
};

TEST_F(SwitchTest, IsAtomicWhicheverAllocationFails) {
  uint64_t failures = 0;
  for (uint64_t n = 1;; n += Stride()) {
    SCOPED_TRACE(std::to_string(n));
    Open();
    if (HasFatalFailure()) return;
    ASSERT_TRUE(PutToAll("key").ok());
    Failures::Arm(Failures::Kind::kAllocation, n);
    const Status status = db_->Flush(FlushOptions());
    const bool failed = Failures::Disarm();
    EXPECT_TRUE(status.ok() || status.IsMemoryLimit()) << status;
    if (!status.ok()) ++failures;
    CheckGoesOn();
    if (HasFailure()) return;
    files_->CutPower();
    Close();
    files_->Restart(n);
    Open();
    ExpectInAll("key");
    ExpectInAll("after");
    Close();
    if (HasFailure() || !failed) break;
  }
  EXPECT_GT(failures, 50U / Stride());
}

}  // namespace
}  // namespace tamis::process
