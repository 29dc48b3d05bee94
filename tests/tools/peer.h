// SPDX-License-Identifier: Apache-2.0
//
// RocksDB's ldb beside ours.
#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/directories.h"

namespace tamis {

inline bool PeerIsThere() {
  return RunCommand("command -v ldb >/dev/null").exit_code == 0;
}

// The same words get the same answer. ldb works on a copy: opening changes
// directories.
inline void ExpectAsLdb(const std::string& db, const std::string& words) {
  SCOPED_TRACE(words);
  const CommandResult got = RunCommand(std::string(TAMIS_BIN_DIR) +
                                       "/tamis_ldb --db=" + db + " " + words);
  const std::string copy = db + "_copy";
  CopyDirectory(db, copy);
  CommandResult expected =
      RunCommand("ldb --db=" + copy + " " + words + " 2>/dev/null");
  for (size_t at = expected.output.find(copy); at != std::string::npos;
       at = expected.output.find(copy)) {
    expected.output.replace(at, copy.size(), db);
  }
  EXPECT_EQ(got.exit_code, expected.exit_code);
  EXPECT_EQ(got.output, expected.output);
  std::filesystem::remove_all(copy);
}

}  // namespace tamis
