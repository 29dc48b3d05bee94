// SPDX-License-Identifier: Apache-2.0
//
// Tables with many deletions are compacted by themselves.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tamis/utilities/table_properties_collectors.h"

#include "tests/db/test_db.h"

namespace tamis {
namespace {

// Whether a collector asks for the compaction of a table: "p" is a Put, "d" a
// Delete, "s" a SingleDelete, "m" a Merge, "r" a DeleteRange.
bool NeedsCompaction(CompactOnDeletionCollectorFactory* factory,
                     const std::string& entries) {
  const std::unique_ptr<TablePropertiesCollector> collector(
      factory->CreateTablePropertiesCollector({}));
  if (collector == nullptr) return false;
  for (const char entry : entries) {
    const auto type = static_cast<EntryType>(std::string("pdsmr").find(entry));
    EXPECT_TRUE(collector->AddUserKey("key", "", type, 1, 0).ok());
  }
  UserCollectedProperties properties;
  EXPECT_TRUE(collector->Finish(&properties).ok());
  EXPECT_TRUE(properties.empty());
  return collector->NeedCompact();
}

TEST(CompactOnDeletionCollectorTest, MarksAWindowWithManyDeletions) {
  const auto factory = NewCompactOnDeletionCollectorFactory(4, 3);
  EXPECT_FALSE(NeedsCompaction(factory.get(), ""));
  EXPECT_FALSE(NeedsCompaction(factory.get(), "dd"));
  EXPECT_TRUE(NeedsCompaction(factory.get(), "ddd"));
  EXPECT_TRUE(NeedsCompaction(factory.get(), "pppdpddppp"));
  EXPECT_TRUE(NeedsCompaction(factory.get(), "ppppddpd"));
  EXPECT_TRUE(NeedsCompaction(factory.get(), "sdms"));
  EXPECT_FALSE(NeedsCompaction(factory.get(), "ddppddppddppdd"));
  EXPECT_FALSE(NeedsCompaction(factory.get(), "dppdd"));
  EXPECT_FALSE(NeedsCompaction(factory.get(), "rrrrmmmmpp"));
}

TEST(CompactOnDeletionCollectorTest, MarksAShareOfDeletions) {
  const auto factory = NewCompactOnDeletionCollectorFactory(0, 0, 0.5);
  EXPECT_FALSE(NeedsCompaction(factory.get(), ""));
  EXPECT_FALSE(NeedsCompaction(factory.get(), "ppd"));
  EXPECT_TRUE(NeedsCompaction(factory.get(), "pd"));
  EXPECT_TRUE(NeedsCompaction(factory.get(), "dppd"));
  EXPECT_FALSE(NeedsCompaction(factory.get(), "dppdp"));
}

TEST(CompactOnDeletionCollectorTest, ChangesAreForLaterTables) {
  const auto factory = NewCompactOnDeletionCollectorFactory(10, 5);
  EXPECT_FALSE(NeedsCompaction(factory.get(), "dd"));
  factory->SetDeletionTrigger(2);
  EXPECT_TRUE(NeedsCompaction(factory.get(), "dd"));
  factory->SetWindowSize(1);
  EXPECT_FALSE(NeedsCompaction(factory.get(), "dd"));
  factory->SetWindowSize(0);
  factory->SetDeletionRatio(1);
  EXPECT_TRUE(NeedsCompaction(factory.get(), "dd"));
  EXPECT_FALSE(NeedsCompaction(factory.get(), "ddp"));
  factory->SetDeletionRatio(1.5);
  EXPECT_FALSE(NeedsCompaction(factory.get(), "dd"));
  EXPECT_EQ(factory->GetWindowSize(), 0u);
  EXPECT_EQ(factory->GetDeletionTrigger(), 2u);
  EXPECT_EQ(factory->GetDeletionRatio(), 1.5);
  EXPECT_EQ(factory->ToString(),
            "CompactOnDeletionCollector (Sliding window size = 0 Deletion "
            "trigger = 2 Deletion ratio = 1.500000)");
}

class CompactOnDeletionTest : public DBTest {};

TEST_F(CompactOnDeletionTest, DeletedKeysLeaveByThemselves) {
  for (const bool collects : {false, true}) {
    options_.table_properties_collector_factories.clear();
    if (collects) {
      options_.table_properties_collector_factories.push_back(
          NewCompactOnDeletionCollectorFactory(100, 80));
    }
    Open();
    PutMany(1000);
    Flush();
    Compact();
    ASSERT_EQ(Levels().substr(0, 2), "0,");
    const std::string before = Levels();
    for (int i = 200; i < 300; ++i) Delete(Key(i));
    Flush();
    RunJobs();
    EXPECT_EQ(Levels() == before, collects) << Levels();
    EXPECT_EQ(Get(Key(250)), "NOT_FOUND");
    // Few deletions are not worth it.
    for (int i = 300; i < 320; ++i) Delete(Key(i));
    Flush();
    RunJobs();
    EXPECT_NE(Levels(), before);
    Destroy();
  }
}

}  // namespace
}  // namespace tamis
