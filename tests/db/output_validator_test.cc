// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/output_validator.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tamis/iostats_context.h"

#include "tests/db/test_db.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

const Entries kEntries = {{InternalKey("a", 3), "1"},
                          {InternalKey("ab", 2), "2"},
                          {InternalKey("b", 1), ""}};

// What a validator that saw these entries says of a table with kEntries.
Status CheckAgainst(const Entries& seen, bool enabled = true) {
  TableBuildOptions options(Bytewise());
  options.file_name = "test.sst";
  const std::string table = BuildTable(options, kEntries);
  const auto reader = OpenTable(table);
  EXPECT_TRUE(reader.ok()) << reader.status();
  OutputValidator validator(enabled);
  for (const auto& [key, value] : seen) validator.Add(key, value);
  return validator.Check(**reader, "test.sst", /*readahead_bytes=*/4096);
}

TEST(OutputValidatorTest, ATableHasWhatWentIntoIt) {
  EXPECT_EQ(CheckAgainst(kEntries), Status::OK());
}

TEST(OutputValidatorTest, EveryOtherTableIsWrong) {
  Entries seen = kEntries;
  seen.pop_back();
  const Status status = CheckAgainst(seen);
  EXPECT_TRUE(status.IsCorruption());
  EXPECT_EQ(status.ToString(),
            "Corruption: test.sst: read back, the new table has 3 entries; 2 "
            "were written, and they are not the same. It was not used");
  EXPECT_TRUE(CheckAgainst({}).IsCorruption());
  seen = kEntries;
  seen[1].second = "3";
  EXPECT_TRUE(CheckAgainst(seen).IsCorruption()) << "a value";
  seen = kEntries;
  seen[2].first = InternalKey("b", 2);
  EXPECT_TRUE(CheckAgainst(seen).IsCorruption()) << "a sequence number";
  seen = kEntries;
  std::swap(seen[0].second, seen[1].second);
  EXPECT_TRUE(CheckAgainst(seen).IsCorruption()) << "values of other keys";
}

TEST(OutputValidatorTest, WithoutTheOptionNothingIsCompared) {
  EXPECT_EQ(CheckAgainst({}, /*enabled=*/false), Status::OK());
}

class ParanoidFileChecksTest : public DBTest {
 protected:
  // Flushes 1000 entries of 100 bytes. Returns the bytes that were read.
  uint64_t ReadByFlush() {
    PutMany(1000);
    get_iostats_context()->Reset();
    Flush();
    return get_iostats_context()->bytes_read;
  }
};

TEST_F(ParanoidFileChecksTest, EveryNewTableIsReadAsAWhole) {
  options_.disable_auto_compactions = true;
  options_.paranoid_file_checks = true;
  Open();
  EXPECT_GT(ReadByFlush(), 100'000u);
  ASSERT_EQ(db_->SetOptions({{"paranoid_file_checks", "false"}}), Status::OK());
  EXPECT_LT(ReadByFlush(), 50'000u);

  // A compaction reads its output beside its input.
  Compact();
  uint64_t read[2] = {};
  for (const bool paranoid : {false, true}) {
    ASSERT_EQ(db_->SetOptions(
                  {{"paranoid_file_checks", paranoid ? "true" : "false"}}),
              Status::OK());
    get_iostats_context()->Reset();
    Compact(/*force=*/true);
    read[paranoid ? 1 : 0] = get_iostats_context()->bytes_read;
  }
  EXPECT_GT(read[1], read[0] + 100'000);
  EXPECT_EQ(Get(Key(999)), Noise(100, 999));
}

}  // namespace
}  // namespace tamis
