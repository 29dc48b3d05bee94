// SPDX-License-Identifier: Apache-2.0
//
// A database that tamis_ldb works on.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/directories.h"
#include "tests/tools/program.h"

namespace tamis {

class LdbFixture : public testing::Test {
 protected:
  Outcome Ours(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "--db=" + db_);
    return RunOurs("tamis_ldb", arguments);
  }
  Outcome OursOn(const std::string& input,
                 std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "--db=" + db_);
    return RunOursOn(input, "tamis_ldb", arguments);
  }
  // What changes something, and says no more than that it did.
  void Must(const std::vector<std::string>& arguments) const {
    const Outcome outcome = Ours(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    EXPECT_EQ(outcome.text, "OK\n");
  }

  const TemporaryDirectory directory_;
  const std::string db_ = directory_.Path("db");
};

}  // namespace tamis
