// SPDX-License-Identifier: Apache-2.0
#include "db/base/event_log.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/kept_lines.h"
#include "tests/support/simulated_file_system.h"
#include "util/base/fake_clock.h"

namespace tamis {
namespace {

class EventLogTest : public testing::Test {
 protected:
  EventLogTest() : fs_(NewSimulatedFileSystem()) {
    EXPECT_TRUE(fs_->CreateDirIfMissing("/db").ok());
    options_.file_system = fs_;
    // 2023-11-14 22:13:20 UTC.
    options_.clock = std::make_shared<FakeClock>(1'700'000'000'000'000);
  }
  std::string Log() {
    std::string text;
    EXPECT_TRUE(fs_->GetContents("/db/LOG", &text).ok());
    return text;
  }
  std::vector<std::string> OldLogs() {
    std::vector<std::string> names;
    EXPECT_TRUE(fs_->GetChildren("/db", &names).ok());
    std::erase_if(names, [](const std::string& name) {
      return !name.starts_with("LOG.old.");
    });
    std::sort(names.begin(), names.end());
    return names;
  }

  const std::shared_ptr<SimulatedFileSystem> fs_;
  DBOptions options_;
};

TEST_F(EventLogTest, ALineIsTimeAndKeyValuePairs) {
  EventLog log(options_, "/db");
  log.Event("plain");
  log.Event("flush_end")
      .Add("job", 3)
      .Add("path", Slice("/db/000012.sst"))
      .Add("status", Status::OK());
  EXPECT_EQ(Log(),
            "2023/11/14-22:13:20.000000 event=plain\n"
            "2023/11/14-22:13:20.000001 event=flush_end job=3 "
            "path=/db/000012.sst status=OK\n");
}

TEST_F(EventLogTest, ValuesAreQuotedWhereNeeded) {
  const struct {
    std::string value;
    const char* written;
  } cases[] = {
      {"plain/path-1.2", "plain/path-1.2"},
      {"", "\"\""},
      {"two words", "\"two words\""},
      {"a=b", "\"a=b\""},
      {"say \"hi\"", "\"say \\\"hi\\\"\""},
      {"back\\slash", "\"back\\\\slash\""},
      {"line\nbreak", "\"line\\x0Abreak\""},  // an event stays one line
      {std::string("\0\x1b[31m\r\x7f", 8), "\"\\x00\\x1B[31m\\x0D\\x7F\""},
      {"\xc3\xa9\xff", "\"\\xC3\\xA9\\xFF\""},
  };
  for (const auto& c : cases) {
    EventLog log(options_, "/db");
    log.Event("e").Add("v", Slice(c.value));
    const std::string text = Log();
    EXPECT_EQ(text.substr(text.find(" v=") + 3), std::string(c.written) + "\n");
  }
}

TEST_F(EventLogTest, EveryOpenStartsANewFile) {
  for (int i = 0; i < 3; ++i) {
    EventLog log(options_, "/db");
    log.Event("open").Add("n", static_cast<uint64_t>(i));
  }
  EXPECT_NE(Log().find("n=2"), std::string::npos);
  const auto old = OldLogs();
  ASSERT_EQ(old.size(), 2u);
  std::string text;
  ASSERT_TRUE(fs_->GetContents("/db/" + old[0], &text).ok());
  EXPECT_NE(text.find("n=0"), std::string::npos);
}

TEST_F(EventLogTest, RotatesBySizeAndKeepsTheNewestFiles) {
  options_.max_log_file_size = 200;
  options_.keep_log_file_num = 3;
  EventLog log(options_, "/db");
  for (uint64_t i = 0; i < 100; ++i) log.Event("tick").Add("n", i);
  EXPECT_LT(Log().size(), 200u);
  const auto old = OldLogs();
  ASSERT_EQ(old.size(), 3u);
  // The last line of the newest old file comes right before the new one's.
  std::string text;
  ASSERT_TRUE(fs_->GetContents("/db/" + old.back(), &text).ok());
  EXPECT_GE(text.size(), 200u);
  const std::string all = text + Log();
  EXPECT_NE(all.find("n=99\n"), std::string::npos);
  EXPECT_NE(all.find("n=95\n"), std::string::npos);
  EXPECT_EQ(all.find("n=10\n"), std::string::npos);
}

TEST_F(EventLogTest, RotatesByTimeAtTheFirstLineAfterIt) {
  options_.log_file_time_to_roll = 60;
  EventLog log(options_, "/db");
  log.Event("first");
  options_.clock->SleepForMicroseconds(59'000'000);
  log.Event("second");
  EXPECT_TRUE(OldLogs().empty());
  options_.clock->SleepForMicroseconds(1'000'000);
  log.Event("third");
  ASSERT_EQ(OldLogs().size(), 1u);
  EXPECT_EQ(Log().find("second"), std::string::npos);
  EXPECT_NE(Log().find("third"), std::string::npos);
  // The time of the new file begins with it.
  options_.clock->SleepForMicroseconds(59'000'000);
  log.Event("fourth");
  EXPECT_EQ(OldLogs().size(), 1u);
}

TEST_F(EventLogTest, ATimeBeyondAllClocksNeverComes) {
  options_.log_file_time_to_roll = SIZE_MAX;
  EventLog log(options_, "/db");
  options_.clock->SleepForMicroseconds(uint64_t{1} << 50);
  log.Event("tick");
  EXPECT_TRUE(OldLogs().empty());
}

TEST_F(EventLogTest, ADirectoryOfLogsHasTheNamesOfTheDatabases) {
  options_.db_log_dir = "/logs";
  options_.keep_log_file_num = 1;
  for (const char* directory :
       {"/srv/my db", "/srv/my db", "/srv/my db", "/b"}) {
    EventLog log(options_, directory);
    log.Event("open");
  }
  std::vector<std::string> names;
  ASSERT_TRUE(fs_->GetChildren("/logs", &names).ok());
  std::sort(names.begin(), names.end());
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names[0], "b_LOG");
  EXPECT_EQ(names[1], "srv_my_db_LOG");
  EXPECT_TRUE(names[2].starts_with("srv_my_db_LOG.old."));
}

TEST_F(EventLogTest, JobsAreNumbered) {
  EventLog log(options_, "/db");
  EXPECT_EQ(log.NextJob(), 1u);
  EXPECT_EQ(log.NextJob(), 2u);
}

TEST_F(EventLogTest, AnUnwritableLogFailsNoOperation) {
  EventLog log(options_, "/db");
  log.Event("before");
  fs_->SetFaultHook(
      [](const SimulatedFileSystem::Call&) { return Status::NoSpace("full"); });
  log.Event("lost");
  fs_->SetFaultHook(nullptr);
  log.Event("lost too");
  EXPECT_EQ(Log().find("lost"), std::string::npos);
  EventLog nowhere(options_, "/no/such/directory");
  nowhere.Event("nowhere");
}

TEST_F(EventLogTest, AUsersLoggerGetsTheLinesInsteadOfTheFile) {
  const auto kept = std::make_shared<KeptLines>();
  options_.info_log = kept;
  for (const bool silent : {false, true}) {
    EventLog log(options_, "/db", silent);
    EXPECT_EQ(log.logger(), kept.get());
    log.Event("flush_end").Add("job", 3).Add("path", Slice("a b"));
    log.Event("failed").Add("status", Status::IOError("100 %s"));
  }
  EXPECT_EQ(kept->lines(),
            (std::vector<std::string>{
                "event=flush_end job=3 path=\"a b\"",
                "[ERROR] event=failed status=\"IO error: 100 %s\"",
                "event=flush_end job=3 path=\"a b\"",
                "[ERROR] event=failed status=\"IO error: 100 %s\""}));
  EXPECT_TRUE(fs_->FileExists("/db/LOG").IsPathNotFound());
}

TEST_F(EventLogTest, TheLevelOmitsLines) {
  options_.info_log_level = ERROR_LEVEL;
  EventLog log(options_, "/db");
  log.Event("plain").Add("status", Status::OK());
  log.Event("failed").Add("status", Status::IOError("x"));
  EXPECT_EQ(Log(),
            "2023/11/14-22:13:20.000000 event=failed status=\"IO error: x\"\n");
}

TEST_F(EventLogTest, ItsLoggerWritesToTheFile) {
  options_.info_log_level = WARN_LEVEL;
  EventLog log(options_, "/db");
  Info(log.logger(), "not %d", 1);
  Warn(log.logger(), "%s and %d", "text", 2);
  EXPECT_EQ(Log(),
            "2023/11/14-22:13:20.000000 event=message text=\"text and 2\"\n");
}

class Throws : public KeptLines {
 public:
  using KeptLines::Logv;
  void Logv(const char*, va_list) override { throw std::runtime_error("no"); }
};

TEST_F(EventLogTest, ALoggerThatThrowsFailsNoOperation) {
  options_.info_log = std::make_shared<Throws>();
  EventLog log(options_, "/db");
  log.Event("plain");
  EXPECT_EQ(log.NextJob(), 1u);
}

}  // namespace
}  // namespace tamis
