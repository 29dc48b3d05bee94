// SPDX-License-Identifier: Apache-2.0
//
// Paths of a Ceph cluster: tamis_ldb and tamis_sst_dump hand over to programs
// that know them. (tests/cluster/drill.py reads databases by them.)
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tools/program.h"

namespace tamis {
namespace {

class ClusterPathsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(TAMIS_BIN_DIR "/tamis_rados_ldb")) {
      GTEST_SKIP() << "librados is not installed";
    }
  }
  static void ExpectError(const std::string& tool,
                          const std::vector<std::string>& arguments,
                          int exit_code, const std::string& what) {
    const Outcome outcome = RunOurs(tool, arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.text;
    EXPECT_NE(outcome.text.find(tool + ": "), std::string::npos)
        << outcome.text;
    EXPECT_NE(outcome.text.find(what), std::string::npos) << outcome.text;
  }
};

TEST_F(ClusterPathsTest, AMalformedPathIsAnError) {
  for (const char* path :
       {"rados://", "rados:///volume/db", "rados://id@/volume/db"}) {
    ExpectError("tamis_ldb", {std::string("--db=") + path, "scan"}, 1,
                "expected rados://POOL/VOLUME/PATH");
  }
  ExpectError("tamis_ldb", {"--db=rados://a,b,c,d/volume/db", "scan"}, 1,
              "one to three pools");
  ExpectError("tamis_ldb", {"--db=rados://pool/vol ume/db", "scan"}, 1,
              "volume \"vol ume\"");
  ExpectError("tamis_sst_dump", {"--file=rados://"}, 1,
              "expected rados://POOL/VOLUME/PATH");
}

TEST_F(ClusterPathsTest, ABulkLoadNeedsADirectoryOfThisMachine) {
  ExpectError("tamis_ldb",
              {"--db=rados://pool/volume/db", "load", "--bulk_load"}, 2,
              "one of this machine");
}

TEST_F(ClusterPathsTest, OtherPathsAreThoseOfTheOperatingSystem) {
  const Outcome ours = RunOurs("tamis_ldb", {"--db=/no/such/db", "scan"});
  const Outcome other =
      RunOurs("tamis_rados_ldb", {"--db=/no/such/db", "scan"});
  EXPECT_EQ(ours.exit_code, 1);
  EXPECT_EQ(ours.text, other.text);
}

}  // namespace
}  // namespace tamis
