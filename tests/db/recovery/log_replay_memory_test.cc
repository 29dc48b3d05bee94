// SPDX-License-Identifier: Apache-2.0
//
// For logs of any length, an open keeps at most the largest write_buffer_size
// of them in memory, in all families together. The test derives this from the
// tables: when one was written at sequence number S, all entries up to S that
// no earlier table has were in memory.
//
// Shows D14 of docs/durability.md.
#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/db/test_db.h"
#include "util/base/random.h"

namespace tamis {
namespace {

constexpr uint64_t kValueBytes = 1000;
constexpr uint64_t kEntryBytes = kValueBytes + 9;  // with its key
constexpr uint64_t kLogBytes = 64 << 20;
constexpr uint64_t kEntries = kLogBytes / kEntryBytes;
constexpr uint64_t kWriteBufferSize = 4 << 20;

struct WrittenTable {
  uint64_t number = 0;
  SequenceNumber largest_seqno = 0;
  uint64_t entries = 0;
};

class LogReplayMemoryTest : public DBTest {
 protected:
  // Every memtable stays in the log. `shares`: of 100 entries, how many each
  // family has.
  void WriteLog(const std::vector<uint64_t>& shares) {
    families_.clear();
    for (size_t i = 0; i < shares.size(); ++i) {
      families_.push_back(i == 0 ? kDefaultColumnFamilyName
                                 : "family" + std::to_string(i));
    }
    options_.create_missing_column_families = true;
    options_.disable_auto_compactions = true;
    options_.write_buffer_size = 1 << 30;
    OpenFamilies();
    Random random(301);
    const std::string value(kValueBytes, 'v');
    for (uint64_t i = 0; i < kEntries; ++i) {
      size_t family = 0;
      for (uint64_t at = random.Uniform(100); at >= shares[family]; ++family) {
        at -= shares[family];
      }
      // Each key once, in no order: 7919 is prime to their number.
      const std::string key = Key(static_cast<int>(i * 7919 % kEntries));
      const Status status =
          db_->Put(WriteOptions(), handles_[family].get(), key, value);
      ASSERT_TRUE(status.ok()) << status;
    }
    CloseFamilies();
  }

  void OpenFamilies() {
    std::vector<ColumnFamilyDescriptor> descriptors;
    for (const std::string& name : families_) {
      descriptors.emplace_back(name, options_);
    }
    std::vector<ColumnFamilyHandle*> handles;
    const Status status =
        DB::Open(options_, kTestDirectory, descriptors, &handles, &db_);
    ASSERT_TRUE(status.ok()) << status;
    for (ColumnFamilyHandle* handle : handles) handles_.emplace_back(handle);
  }
  void CloseFamilies() {
    handles_.clear();
    const Status status = db_->Close();
    ASSERT_TRUE(status.ok()) << status;
    db_.reset();
  }

  // In the order in which they were written.
  std::vector<WrittenTable> Tables() {
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    std::vector<WrittenTable> tables;
    for (const auto& handle : handles_) {
      TablePropertiesCollection all;
      const Status status = db_->GetPropertiesOfAllTables(handle.get(), &all);
      EXPECT_TRUE(status.ok()) << status;
      for (const auto& table : all) {
        const auto file = std::find_if(
            files.begin(), files.end(),
            [&](const auto& one) { return table.first.ends_with(one.name); });
        if (file == files.end()) continue;
        tables.push_back({file->file_number, file->largest_seqno,
                          table.second->num_entries});
      }
    }
    std::sort(tables.begin(), tables.end(),
              [](const auto& a, const auto& b) { return a.number < b.number; });
    return tables;
  }

  void ExpectReplayWithinMemory() {
    options_.write_buffer_size = kWriteBufferSize;
    OpenFamilies();
    uint64_t written = 0;  // entries in tables so far
    const std::vector<WrittenTable> tables = Tables();
    for (const WrittenTable& table : tables) {
      // The first sequence number is 1.
      EXPECT_LE((table.largest_seqno - written) * kEntryBytes, kWriteBufferSize)
          << "table " << table.number;
      written += table.entries;
    }
    EXPECT_EQ(written, kEntries);
    // Nor are they cut smaller than they need be: the largest memtable is
    // written, which is at least its share. The rest is for what the memtable
    // adds to the data, and for the last table of each family.
    const uint64_t most =
        families_.size() * (kLogBytes * 3 / 2 / kWriteBufferSize + 1);
    EXPECT_LE(tables.size(), most);
    CloseFamilies();
  }

  std::vector<std::string> families_;
  std::vector<std::unique_ptr<ColumnFamilyHandle>> handles_;
};

TEST_F(LogReplayMemoryTest, OneFamilyTakesOneWriteBuffer) {
  WriteLog({100});
  ExpectReplayWithinMemory();
}

TEST_F(LogReplayMemoryTest, ThreeFamiliesTakeOneWriteBufferTogether) {
  WriteLog({34, 33, 33});
  ExpectReplayWithinMemory();
}

TEST_F(LogReplayMemoryTest, AFamilyAmongIdleOnesTakesOneWriteBuffer) {
  WriteLog({4, 90, 6});
  ExpectReplayWithinMemory();
}

}  // namespace
}  // namespace tamis
