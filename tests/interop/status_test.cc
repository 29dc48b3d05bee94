// SPDX-License-Identifier: Apache-2.0
//
// Every Status is named, numbered and judged as in RocksDB: bindings parse the
// texts and switch on the numbers.
#include "tamis/status.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/status.h>

#include "tamis/db.h"

#include "tests/support/directories.h"

namespace {

// Any code with any subcode, with and without a message.
template <typename Status>
struct Any : public Status {
  using typename Status::Code;
  using typename Status::SubCode;
  Any(int code, int subcode)
      : Status(static_cast<Code>(code), static_cast<SubCode>(subcode)) {}
  Any(int code, int subcode, const std::string& msg, const std::string& msg2)
      : Status(static_cast<Code>(code), static_cast<SubCode>(subcode), msg,
               msg2) {}
};

// What a client can learn.
template <typename Status>
std::string Show(const Status& s) {
  std::string judged;
  for (const bool is : {s.ok(),
                        s.IsOkOverwritten(),
                        s.IsNotFound(),
                        s.IsCorruption(),
                        s.IsNotSupported(),
                        s.IsInvalidArgument(),
                        s.IsIOError(),
                        s.IsMergeInProgress(),
                        s.IsIncomplete(),
                        s.IsShutdownInProgress(),
                        s.IsTimedOut(),
                        s.IsAborted(),
                        s.IsLockLimit(),
                        s.IsBusy(),
                        s.IsDeadlock(),
                        s.IsExpired(),
                        s.IsTryAgain(),
                        s.IsCompactionTooLarge(),
                        s.IsColumnFamilyDropped(),
                        s.IsNoSpace(),
                        s.IsMemoryLimit(),
                        s.IsPathNotFound(),
                        s.IsManualCompactionPaused(),
                        s.IsTxnNotPrepared(),
                        s.IsIOFenced()}) {
    judged += is ? '1' : '0';
  }
  return std::to_string(s.code()) + "/" + std::to_string(s.subcode()) + " " +
         judged + " '" + s.ToString() + "' " +
         (s.getState() == nullptr ? "none" : s.getState());
}

TEST(StatusTest, EveryCodeAndSubcodeIsRocksDBs) {
  ASSERT_EQ(static_cast<int>(tamis::Status::kMaxCode),
            static_cast<int>(rocksdb::Status::kMaxCode));
  ASSERT_EQ(static_cast<int>(tamis::Status::kMaxSubCode),
            static_cast<int>(rocksdb::Status::kMaxSubCode));
  const std::string nul("a\0b", 3);
  for (int code = 0; code < tamis::Status::kMaxCode; ++code) {
    for (int sub = 0; sub < tamis::Status::kMaxSubCode; ++sub) {
      EXPECT_EQ(Show(Any<tamis::Status>(code, sub)),
                Show(Any<rocksdb::Status>(code, sub)));
      if (code == 0) continue;  // a success has no message
      for (const std::string& msg : {std::string(), std::string("m"), nul}) {
        for (const std::string& msg2 : {std::string(), std::string("n")}) {
          EXPECT_EQ(Show(Any<tamis::Status>(code, sub, msg, msg2)),
                    Show(Any<rocksdb::Status>(code, sub, msg, msg2)));
        }
      }
    }
  }
}

// All that the functions of Status make, one a line.
template <typename S>
std::string ShowMade() {
  std::string lines;
  const auto add = [&lines](const S& status) { lines += Show(status) + "\n"; };
  add(S::OK());
  add(S::OkOverwritten());
  add(S::NotFound(S::kLockLimit, "m", "n"));
#define ADD_CODE(name)        \
  add(S::name());             \
  add(S::name(S::kDeadlock)); \
  add(S::name("m"));          \
  add(S::name("m", "n"))
  ADD_CODE(NotFound);
  ADD_CODE(Corruption);
  ADD_CODE(NotSupported);
  ADD_CODE(InvalidArgument);
  ADD_CODE(IOError);
  ADD_CODE(MergeInProgress);
  ADD_CODE(Incomplete);
  ADD_CODE(ShutdownInProgress);
  ADD_CODE(TimedOut);
  ADD_CODE(Aborted);
  ADD_CODE(Busy);
  ADD_CODE(Expired);
  ADD_CODE(TryAgain);
  ADD_CODE(CompactionTooLarge);
  ADD_CODE(ColumnFamilyDropped);
#undef ADD_CODE
#define ADD_SUBCODE(name) \
  add(S::name());         \
  add(S::name("m"));      \
  add(S::name("m", "n"))
  ADD_SUBCODE(NoSpace);
  ADD_SUBCODE(SpaceLimit);
  ADD_SUBCODE(PathNotFound);
  ADD_SUBCODE(MemoryLimit);
  ADD_SUBCODE(TxnNotPrepared);
#undef ADD_SUBCODE
  return lines;
}

TEST(StatusTest, FunctionsMakeWhatRocksDBsMake) {
  EXPECT_EQ(ShowMade<tamis::Status>(), ShowMade<rocksdb::Status>());
}

// The codes of failures that clients tell apart, in one engine.
template <typename DB, typename Options, typename WriteOptions,
          typename Destroy>
std::string CodesOfRefusals(const Destroy& destroy) {
  const tamis::TemporaryDirectory directory;
  const std::string path = directory.Path("db");
  Options options;
  options.create_if_missing = true;
  std::string codes;
  const auto add = [&codes](const char* what, const auto& status) {
    codes += std::string(what) + " " + std::to_string(status.code()) + "/" +
             std::to_string(status.subcode()) + "\n";
  };
  DB* db = nullptr;
  add("open", DB::Open(options, path, &db));
  std::unique_ptr<DB> owner(db);
  if (db == nullptr) return codes;
  add("merge", db->Merge(WriteOptions(), "k", "v"));
  DB* second = nullptr;
  add("open again", DB::Open(options, path, &second));
  add("destroy", destroy(path, options));
  return codes;
}

TEST(StatusTest, ALockedDirectoryAndAMergeWithoutOperatorAreRefusedAlike) {
  const std::string codes =
      CodesOfRefusals<tamis::DB, tamis::Options, tamis::WriteOptions>(
          [](const std::string& path, const tamis::Options& options) {
            return tamis::DestroyDB(path, options);
          });
  EXPECT_EQ(
      codes,
      (CodesOfRefusals<rocksdb::DB, rocksdb::Options, rocksdb::WriteOptions>(
          [](const std::string& path, const rocksdb::Options& options) {
            return rocksdb::DestroyDB(path, options);
          })));
  EXPECT_EQ(codes, "open 0/0\nmerge 3/0\nopen again 5/0\ndestroy 5/0\n");
}

}  // namespace
