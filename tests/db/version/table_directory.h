// SPDX-License-Identifier: Apache-2.0
//
// A fixture for tests that open tables of a directory in memory, without a
// database.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "db/base/file_names.h"
#include "db/version/table_cache.h"
#include "tests/support/simulated_file_system.h"
#include "util/base/fake_clock.h"

namespace tamis {

class TableDirectoryTest : public testing::Test {
 protected:
  TableDirectoryTest() : fs_(NewSimulatedFileSystem()) {
    EXPECT_TRUE(fs_->CreateDirIfMissing("/db").ok());
    context_.directory = "/db";
    context_.options.file_system = fs_;
    context_.options.clock = std::make_shared<FakeClock>();
    context_.options.statistics = CreateDBStatistics();
    family_options_.table_factory.reset(NewBlockBasedTableFactory());
  }

  // Writes the table `bytes` under the next file number. `smallest` and
  // `largest` are the bounds that the MANIFEST would give.
  FileMetaData WriteTable(const std::string& bytes, std::string smallest,
                          std::string largest) {
    FileMetaData meta;
    meta.number = FileNumber(++last_number_);
    meta.size = bytes.size();
    meta.smallest = std::move(smallest);
    meta.largest = std::move(largest);
    EXPECT_TRUE(WriteStringToFile(fs_.get(), bytes,
                                  TableFileName("/db", meta.number), true)
                    .ok());
    return meta;
  }
  // How often a table was opened.
  uint64_t Opened() const {
    return context_.options.statistics->getTickerCount(NO_FILE_OPENS);
  }

  const std::shared_ptr<SimulatedFileSystem> fs_;
  DBContext context_;
  ColumnFamilyOptions family_options_;

 private:
  uint64_t last_number_ = 0;
};

}  // namespace tamis
