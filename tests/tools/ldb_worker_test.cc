// SPDX-License-Identifier: Apache-2.0
//
// tamis_ldb as a worker of a database's CompactionService, a process for each
// job.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"
#include "tamis/utilities/merge_operators.h"

#include "tests/tools/ldb_fixture.h"

namespace tamis {
namespace {

using JobStatus = CompactionServiceJobStatus;

// Passes the bytes of a job through stdin and stdout.
class Processes final : public CompactionService {
 public:
  explicit Processes(std::string db) : db_(std::move(db)) {}

  const char* Name() const override { return "test.Processes"; }
  CompactionServiceScheduleResponse Schedule(
      const CompactionServiceJobInfo& /*info*/,
      const std::string& input) override {
    input_ = input;
    return {"1", JobStatus::kSuccess};
  }
  JobStatus Wait(const std::string& /*id*/, std::string* result) override {
    std::vector<std::string> arguments = {"--db=" + db_, "compact_job"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    outcome = RunOursOn(input_, "tamis_ldb", arguments);
    *result = outcome.text;
    return outcome.exit_code == 0 ? JobStatus::kSuccess : JobStatus::kFailure;
  }
  void OnInstallation(const std::string& /*id*/, JobStatus status) override {
    told = status;
  }

  std::vector<std::string> more;  // arguments
  Outcome outcome;
  JobStatus told = JobStatus::kUseLocal;

 private:
  const std::string db_;
  std::string input_;
};

TEST_F(LdbFixture, CarriesOutJobsOfACompactionService) {
  const auto processes = std::make_shared<Processes>(db_);
  Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.merge_operator = MergeOperators::CreateStringAppendOperator();
  options.compaction_service = processes;
  std::unique_ptr<DB> db;
  ASSERT_EQ(DB::Open(options, db_, &db), Status::OK());
  const auto compact = [&] {
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(db->Merge({}, "k", "v"), Status::OK());
      ASSERT_EQ(db->Flush({}), Status::OK());
    }
    ASSERT_EQ(db->CompactRange({}, nullptr, nullptr), Status::OK());
  };
  compact();
  EXPECT_EQ(processes->outcome.exit_code, 0) << processes->outcome.text;
  EXPECT_EQ(processes->told, JobStatus::kSuccess);
  processes->more = {directory_.Path("outputs")};
  processes->told = JobStatus::kUseLocal;
  compact();
  EXPECT_EQ(processes->told, JobStatus::kSuccess);
  // Another operator than the database's.
  processes->more = {"--merge_operator=uint64add"};
  compact();
  EXPECT_EQ(processes->outcome.exit_code, 1);
  EXPECT_NE(processes->outcome.text.find("merge_operator"), std::string::npos)
      << processes->outcome.text;
  EXPECT_EQ(processes->told, JobStatus::kFailure);
  std::string value;
  EXPECT_EQ(db->Get({}, "k", &value), Status::OK());
  EXPECT_EQ(value, "v,v,v,v,v,v");
}

TEST_F(LdbFixture, RefusesWhatIsNoJob) {
  const Outcome outcome = OursOn("no job", {"compact_job"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.text.find("not one of this release"), std::string::npos)
      << outcome.text;
}

}  // namespace
}  // namespace tamis
