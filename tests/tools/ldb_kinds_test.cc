// SPDX-License-Identifier: Apache-2.0
//
// tamis_ldb on a database whose values have times, and as a secondary instance.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/tools/ldb_fixture.h"
#include "tests/tools/peer.h"

namespace tamis {
namespace {

using LdbKindsTest = LdbFixture;

TEST_F(LdbKindsTest, ValuesWithTimesAreReadAndWritten) {
  Must({"--create_if_missing", "--ttl", "put", "k", "v"});
  Must({"--ttl", "put", "other", "w"});
  EXPECT_EQ(Ours({"--ttl", "get", "k"}).text, "v\n");
  EXPECT_EQ(Ours({"--ttl", "scan"}).text, "k : v\nother : w\n");
  // Four bytes of time follow the value.
  const std::string whole = Ours({"get", "k", "--value_hex"}).text;
  EXPECT_EQ(whole.size(), std::string("0x7601234567\n").size()) << whole;
  EXPECT_EQ(whole.substr(0, 4), "0x76");
  if (!PeerIsThere()) GTEST_SKIP() << "RocksDB's ldb is not there";
  // Which says first that it can open only one family so, and then prints.
  const std::string theirs =
      RunCommand("ldb --db=" + db_ + " --ttl scan 2>/dev/null").output;
  EXPECT_TRUE(theirs.ends_with("k : v\nother : w\n")) << theirs;
}

TEST_F(LdbKindsTest, ASecondaryInstanceReads) {
  Must({"--create_if_missing", "put", "k", "v"});
  const std::string secondary =
      "--secondary_path=" + directory_.Path("secondary");
  EXPECT_EQ(Ours({secondary, "get", "k"}).text, "v\n");
  EXPECT_EQ(Ours({"scan", secondary}).text, "k : v\n");
  EXPECT_TRUE(std::filesystem::exists(directory_.Path("secondary") + "/LOG"));
  EXPECT_EQ(Ours({secondary, "put", "k", "w"}).exit_code, 2);
  EXPECT_EQ(Ours({secondary, "--ttl", "get", "k"}).exit_code, 1);
  EXPECT_EQ(Ours({"get", "k"}).text, "v\n");
}

}  // namespace
}  // namespace tamis
