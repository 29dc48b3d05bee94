// SPDX-License-Identifier: Apache-2.0
//
// DBOptions::info_log, and the Logger that merge operators get: in point reads,
// iterators, flushes and compactions.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"
#include "tests/support/kept_lines.h"

namespace tamis {
namespace {

// Appends, and logs each call.
class Talkative : public MergeOperator {
 public:
  const char* Name() const override { return "test.Talkative"; }
  bool FullMergeV2(const MergeOperationInput& in,
                   MergeOperationOutput* out) const override {
    Warn(in.logger, "full merge of %s", in.key.ToString().c_str());
    if (in.existing_value != nullptr) {
      out->new_value = in.existing_value->ToString();
    }
    for (const Slice& operand : in.operand_list) {
      out->new_value += operand.ToString();
    }
    return true;
  }
  bool PartialMerge(const Slice& key, const Slice& left, const Slice& right,
                    std::string* new_value, Logger* logger) const override {
    Warn(logger, "partial merge of %s", key.ToString().c_str());
    *new_value = left.ToString() + right.ToString();
    return true;
  }
};

// Passes the logger on.
class Associative : public AssociativeMergeOperator {
 public:
  const char* Name() const override { return "test.Associative"; }
  bool Merge(const Slice& key, const Slice* existing, const Slice& value,
             std::string* new_value, Logger* logger) const override {
    Warn(logger, "merge of %s", key.ToString().c_str());
    *new_value =
        (existing == nullptr ? "" : existing->ToString()) + value.ToString();
    return true;
  }
};

class InfoLogTest : public DBTest {
 protected:
  InfoLogTest() {
    options_.merge_operator = std::make_shared<Talkative>();
    options_.disable_auto_compactions = true;
  }
  // Makes reads, an iterator and compactions merge. Returns the values seen.
  std::string MergeEverywhere() {
    Open();
    Put("a", "1");
    Merge("a", "2");
    std::string seen = Get("a") + " " + Contents() + " ";
    // Operands whose base is not known: a partial merge.
    Put("b", "0");
    Flush();
    Compact();
    const Snapshot* const snapshot = db_->GetSnapshot();
    Merge("b", "1");
    Merge("b", "2");
    Flush();
    db_->ReleaseSnapshot(snapshot);
    return seen + Get("b");
  }

  const std::shared_ptr<KeptLines> kept_ = std::make_shared<KeptLines>();
};

TEST_F(InfoLogTest, MergeOperatorsLogToLog) {
  EXPECT_EQ(MergeEverywhere(), "12 a=12 012");
  EXPECT_GE(LogLines("event=message text=\"full merge of a\"").size(), 3u);
  EXPECT_GE(LogLines("event=message text=\"partial merge of b\"").size(), 1u);
}

TEST_F(InfoLogTest, AUsersLoggerGetsEventsAndWhatMergeOperatorsLog) {
  options_.info_log = kept_;
  EXPECT_EQ(MergeEverywhere(), "12 a=12 012");
  EXPECT_GE(kept_->With("[WARN] full merge of a").size(), 3u);
  EXPECT_GE(kept_->With("[WARN] partial merge of b").size(), 1u);
  EXPECT_EQ(kept_->With("event=open_end status=OK").size(), 1u);
  EXPECT_EQ(kept_->With("event=flush_end").size(), 2u);
  EXPECT_TRUE(
      fs_->FileExists(std::string(kTestDirectory) + "/LOG").IsPathNotFound());
}

TEST_F(InfoLogTest, AssociativeOperatorsPassTheLoggerOn) {
  options_.info_log = kept_;
  options_.merge_operator = std::make_shared<Associative>();
  EXPECT_EQ(MergeEverywhere(), "12 a=12 012");
  EXPECT_GE(kept_->With("[WARN] merge of a").size(), 3u);
  EXPECT_GE(kept_->With("[WARN] merge of b").size(), 1u);
}

TEST_F(InfoLogTest, AnOpenForReadingOnlyLogsToAUsersLogger) {
  Open();
  Put("k", "v");
  db_.reset();
  options_.info_log = kept_;
  ASSERT_TRUE(DB::OpenForReadOnly(options_, kTestDirectory, &db_).ok());
  EXPECT_EQ(Get("k"), "v");
  EXPECT_FALSE(kept_->With("event=open_end").empty());
}

}  // namespace
}  // namespace tamis
