// SPDX-License-Identifier: Apache-2.0
//
// A database with tables in two directories.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/db/test_db.h"

namespace tamis {

class DbPathsFixture : public DBTest {
 protected:
  DbPathsFixture() {
    EXPECT_TRUE(fs_->CreateDirIfMissing("/disk").ok());
    // The second path gets level 2 and deeper ones.
    options_.db_paths = {{kFast, 512 << 10}, {kSlow, 1 << 30}};
    options_.write_buffer_size = 64 << 10;
    options_.target_file_size_base = 64 << 10;
    options_.max_bytes_for_level_base = 256 << 10;
  }

  std::vector<std::string> NamesIn(const std::string& directory,
                                   const std::string& suffix = ".sst") {
    std::vector<std::string> names;
    fs_->GetChildren(directory, &names).PermitUncheckedError();
    std::erase_if(names, [&](const std::string& name) {
      return !name.ends_with(suffix);
    });
    std::sort(names.begin(), names.end());
    return names;
  }
  // By directory, the tables that the metadata says are there. Checks that
  // exactly these files exist.
  std::map<std::string, std::vector<std::string>> TablesByDirectory() {
    std::map<std::string, std::vector<std::string>> live;
    for (const LiveFileMetaData& file : LiveFiles()) {
      EXPECT_EQ(file.db_path, file.directory);
      live[file.directory].push_back(file.relative_filename);
    }
    for (const std::string& directory :
         {kFast, kSlow, std::string(kTestDirectory)}) {
      std::sort(live[directory].begin(), live[directory].end());
      EXPECT_EQ(NamesIn(directory), live[directory]) << directory;
    }
    return live;
  }
  void CompactTo(uint32_t path, bool force = true) {
    CompactRangeOptions options;
    options.target_path_id = path;
    if (force) {
      options.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    }
    ASSERT_EQ(db_->CompactRange(options, nullptr, nullptr), Status::OK());
  }
  void ExpectAll(int n) {
    for (int i = 0; i < n; ++i) {
      ASSERT_EQ(Get(Key(i)), Noise(100, static_cast<uint64_t>(i))) << i;
    }
  }
  void ExpectRefused(const Status& status, const std::string& words) {
    EXPECT_TRUE(status.IsInvalidArgument()) << status;
    EXPECT_NE(status.message().find(words), std::string::npos) << status;
  }

  const std::string kFast = "/disk/fast";
  const std::string kSlow = "/disk/slow";
};

}  // namespace tamis
