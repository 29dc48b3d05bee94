// SPDX-License-Identifier: Apache-2.0
//
// The n-th allocation of TryCatchUpWithPrimary fails, for every n. Two families
// that are always written together stay equal in a secondary instance; a later
// call succeeds, or says that the instance must be opened anew, and reads go
// on.
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

class SecondaryMemoryTest : public testing::Test {
 protected:
  struct Instance {
    std::unique_ptr<DB> db;
    std::vector<ColumnFamilyHandle*> handles;
    ~Instance() {
      for (ColumnFamilyHandle* handle : handles) delete handle;
    }
  };

  SecondaryMemoryTest() {
    options_.create_if_missing = true;
    options_.create_missing_column_families = true;
    options_.file_system = std::make_shared<QuietFileSystem>(files_);
    options_.job_runner = runner_;
  }
  std::vector<ColumnFamilyDescriptor> Families() const {
    return {{kDefaultColumnFamilyName, options_}, {"other", options_}};
  }
  void Open(Instance* primary, Instance* secondary) {
    Status status =
        DB::Open(options_, "/db", Families(), &primary->handles, &primary->db);
    ASSERT_TRUE(status.ok()) << status;
    status = DB::OpenAsSecondary(options_, "/db", "/secondary", Families(),
                                 &secondary->handles, &secondary->db);
    ASSERT_TRUE(status.ok()) << status;
  }
  static void PutToAll(const Instance& primary, const std::string& value) {
    WriteBatch batch;
    for (ColumnFamilyHandle* handle : primary.handles) {
      ASSERT_TRUE(batch.Put(handle, "key", value).ok());
    }
    ASSERT_TRUE(primary.db->Write(WriteOptions(), &batch).ok());
  }
  // What all families have.
  static std::string ValueIn(const Instance& instance) {
    std::vector<std::string> values;
    for (const Status& status : instance.db->MultiGet(
             ReadOptions(), instance.handles, {"key", "key"}, &values)) {
      EXPECT_TRUE(status.ok()) << status;
    }
    EXPECT_EQ(values[0], values[1]);
    return values[0];
  }

  const std::shared_ptr<SimulatedFileSystem> files_ = NewSimulatedFileSystem();
  const std::shared_ptr<DeterministicJobRunner> runner_ =
      NewDeterministicJobRunner(7);
  Options options_;
};

TEST_F(SecondaryMemoryTest, ACatchUpIsWholeOrNothingWhicheverAllocationFails) {
  uint64_t failures = 0;
  bool has_failed = true;
  for (uint64_t n = 1; has_failed; n += Stride()) {
    SCOPED_TRACE(std::to_string(n));
    Instance primary;
    Instance secondary;
    Open(&primary, &secondary);
    if (HasFatalFailure()) return;
    PutToAll(primary, "first");
    ASSERT_TRUE(secondary.db->TryCatchUpWithPrimary().ok());
    // New tables, a new log, and an entry in each.
    ASSERT_TRUE(primary.db->Flush(FlushOptions(), primary.handles).ok());
    PutToAll(primary, "second");
    Failures::Arm(Failures::Kind::kAllocation, n);
    const Status status = secondary.db->TryCatchUpWithPrimary();
    has_failed = Failures::Disarm();
    EXPECT_TRUE(status.ok() || status.IsMemoryLimit()) << status;
    EXPECT_EQ(ValueIn(secondary), status.ok() ? "second" : "first");
    if (!status.ok()) {
      ++failures;
      const Status later = secondary.db->TryCatchUpWithPrimary();
      if (later.ok()) {
        EXPECT_EQ(ValueIn(secondary), "second");
      } else {
        EXPECT_NE(later.ToString().find("anew"), std::string::npos) << later;
        EXPECT_EQ(ValueIn(secondary), "first");
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(failures, 50U / Stride());
}

}  // namespace
}  // namespace tamis::process
