// SPDX-License-Identifier: Apache-2.0
//
// A Logger shows the same lines at every level as in RocksDB, and a directory
// of LOG files has the same names.
#include "tamis/logger.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>

#include "tamis/db.h"

#include "tests/support/directories.h"

namespace {

template <typename Logger, typename Level>
class Keeps : public Logger {
 public:
  explicit Keeps(Level level) : Logger(level) {}
  using Logger::Logv;
  void Logv(const char* format, va_list ap) override {
    char line[200];
    std::vsnprintf(line, sizeof(line), format, ap);
    text += std::string(line) + "\n";
  }
  void Flush() override { text += "flush\n"; }
  std::string text;
};

template <typename Logger, typename Level>
std::string Show() {
  std::string shown;
  for (int level = 0; level < 6; ++level) {
    const auto keeps =
        std::make_shared<Keeps<Logger, Level>>(static_cast<Level>(level));
    const std::shared_ptr<Logger> shared = keeps;
    Logger* const raw = keeps.get();
    const auto all = [](const auto& logger) {
      Debug(logger, "debug %d", 1);
      Info(logger, "info %d", 1);
      Warn(logger, "warn %d", 1);
      Error(logger, "error %d", 1);
      Fatal(logger, "fatal %d", 1);
      Header(logger, "header %d", 1);
      Log(logger, "log %d", 1);
      for (int of_line = 0; of_line < 6; ++of_line) {
        Log(static_cast<Level>(of_line), logger, "level %d", of_line);
      }
      LogFlush(logger);
    };
    all(raw);
    all(shared);
    shown += keeps->text + std::to_string(raw->GetInfoLogLevel()) + " " +
             std::to_string(raw->GetLogFileSize()) + " ";
    raw->SetInfoLogLevel(static_cast<Level>(3));
    Warn(raw, "omitted");
    Error(raw, "shown");
    shown += keeps->text;
    const auto closed = raw->Close();
    const auto again = raw->Close();
    shown += closed.ToString() + again.ToString() + "\n";
  }
  Logger* const none = nullptr;
  Info(none, "nothing");
  return shown;
}

TEST(LoggerTest, LevelsAreRocksDBs) {
  const std::string shown = Show<tamis::Logger, tamis::InfoLogLevel>();
  EXPECT_EQ(shown, (Show<rocksdb::Logger, rocksdb::InfoLogLevel>()));
  EXPECT_NE(shown.find("[WARN] warn 1\n"), std::string::npos) << shown;
}

// Opens the database, closes it, and returns the names in the directory of LOG.
template <typename DB, typename Options>
std::vector<std::string> NamesOfLogs(const std::string& root) {
  Options options;
  options.create_if_missing = true;
  options.db_log_dir = root + "/logs";
  DB* db = nullptr;
  const auto status = DB::Open(options, root + "/a b+c,d.e_f-g", &db);
  EXPECT_TRUE(status.ok()) << status.ToString();
  delete db;
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(root + "/logs")) {
    names.push_back(file.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(LoggerTest, EachEngineRenamesTheOthersLogInADirectoryOfLogs) {
  const tamis::TemporaryDirectory root(tamis::MemoryParent());
  const std::string path = root.Path("");  // ends with a '/'
  const auto first = NamesOfLogs<rocksdb::DB, rocksdb::Options>(path);
  ASSERT_EQ(first.size(), 1u);
  const auto second = NamesOfLogs<tamis::DB, tamis::Options>(path);
  ASSERT_EQ(second.size(), 2u);
  EXPECT_EQ(second[0], first[0]);
  EXPECT_TRUE(second[1].starts_with(first[0] + ".old."));
  const auto third = NamesOfLogs<rocksdb::DB, rocksdb::Options>(path);
  ASSERT_EQ(third.size(), 3u);
  EXPECT_EQ(third[0], first[0]);
  EXPECT_TRUE(third[2].starts_with(first[0] + ".old."));
}

}  // namespace
