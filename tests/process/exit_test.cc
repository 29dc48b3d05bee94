// SPDX-License-Identifier: Apache-2.0
//
// Ways in which a process ends with an open database. The next open shows all
// acknowledged writes.
#include <csignal>
#include <cstdlib>
#include <exception>
#include <memory>
#include <ostream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/process/child.h"
#include "tests/support/directories.h"

namespace tamis::process {
namespace {

constexpr int kPuts = 500;

// Made while main runs, so that it is destroyed before all that was made before
// main; and one that is made before.
DB* static_db_of_function(DB* opened) {
  static const std::unique_ptr<DB> db(opened);
  return db.get();
}
std::unique_ptr<DB> db_of_namespace;

struct AtThreadEnd {
  std::unique_ptr<DB> db;
};

struct Ending {
  const char* name;
  int expected;  // exit code, or 128 + signal
  void (*end)(DB* db);
};
void PrintTo(const Ending& ending, std::ostream* out) { *out << ending.name; }

const Ending kEndings[] = {
    {"ExitWithAStaticOfAFunction", 0,
     [](DB* db) {
       static_db_of_function(db);
       std::exit(0);
     }},
    {"ExitWithAStaticOfANamespace", 0,
     [](DB* db) {
       db_of_namespace.reset(db);
       std::exit(0);
     }},
    {"ExitWithAThreadLocal", 0,
     [](DB* db) {
       thread_local AtThreadEnd end;
       end.db.reset(db);
       std::exit(0);
     }},
    {"ExitWithoutADestructor", 0, [](DB*) { std::exit(0); }},
    {"CloseInAnAtexitHandler", 0,
     [](DB* db) {
       static DB* closed = db;
       std::atexit([] {
         Require(closed->Put({}, "at exit", "v").ok(), "put at exit");
         Require(closed->Close().ok(), "close at exit");
         delete closed;
       });
       std::exit(0);
     }},
    {"QuickExit", 0, [](DB*) { std::quick_exit(0); }},
    {"UnderscoreExit", 0, [](DB*) { ::_exit(0); }},
    {"Abort", 128 + SIGABRT, [](DB*) { std::abort(); }},
    {"Terminate", 128 + SIGABRT, [](DB*) { std::terminate(); }},
    {"Kill", 128 + SIGKILL, [](DB*) { ::raise(SIGKILL); }},
};

class ExitTest : public ::testing::TestWithParam<Ending> {};

TEST_P(ExitTest, LosesNoAcknowledgedWrite) {
  const TemporaryDirectory temporary;
  const std::string directory = temporary.Path("db");
  Child child([&] {
    Options options;
    options.create_if_missing = true;
    options.write_buffer_size = 64 << 10;
    DB* db = nullptr;
    Require(DB::Open(options, directory, &db).ok(), "open");
    for (int i = 0; i < kPuts; ++i) {
      Require(db->Put({}, std::to_string(i), std::string(100, 'v')).ok(),
              "put");
    }
    GetParam().end(db);
    return 1;
  });
  EXPECT_EQ(child.Wait(), GetParam().expected);
  std::unique_ptr<DB> db;
  const Status status = DB::Open(Options(), directory, &db);
  ASSERT_TRUE(status.ok()) << status;
  std::string value;
  for (int i = 0; i < kPuts; ++i) {
    ASSERT_TRUE(db->Get({}, std::to_string(i), &value).ok()) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Endings, ExitTest, ::testing::ValuesIn(kEndings),
                         [](const auto& ending) { return ending.param.name; });

}  // namespace
}  // namespace tamis::process
