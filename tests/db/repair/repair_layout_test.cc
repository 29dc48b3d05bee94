// SPDX-License-Identifier: Apache-2.0
#include "db/repair/repair_layout.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/tables.h"

namespace tamis {
namespace {

// Keys [smallest, largest], sequence numbers [first, last].
RepairTable Table(uint64_t number, const std::string& smallest,
                  const std::string& largest, SequenceNumber first,
                  SequenceNumber last, int level = -1) {
  RepairTable table;
  table.level = level;
  table.meta.number = number;
  table.meta.size = 100;
  table.meta.smallest = InternalKey(smallest, last);
  table.meta.largest = InternalKey(largest, first);
  table.meta.smallest_seqno = first;
  table.meta.largest_seqno = last;
  return table;
}

// "L6: 3+4 L5: 7", by number, oldest first.
std::string Plan(const std::vector<RepairTable>& tables) {
  const RepairPlan plan = PlanRepair(Bytewise(), tables);
  std::string text = plan.as_they_were ? "kept" : "by age";
  for (const RepairPlan::Run& run : plan.runs) {
    text += " L" + std::to_string(run.level) + ":";
    for (size_t i = 0; i < run.tables.size(); ++i) {
      text += (i == 0 ? "" : "+") +
              std::to_string(tables[run.tables[i]].meta.number);
    }
  }
  return text;
}

TEST(RepairLayoutTest, LevelsThatHoldAreKept) {
  EXPECT_EQ(
      Plan({Table(3, "a", "m", 0, 20, 6), Table(4, "n", "z", 0, 25, 6),
            Table(5, "a", "z", 10, 30, 5), Table(6, "a", "z", 31, 40, 0)}),
      "kept L6:3 L6:4 L5:5 L0:6");
}

TEST(RepairLayoutTest, WhatIsNewerThanAllThatIsListedGoesToLevel0) {
  EXPECT_EQ(Plan({Table(3, "a", "m", 1, 20, 6), Table(8, "a", "z", 21, 30),
                  Table(9, "a", "z", 31, 40)}),
            "kept L6:3 L0:8 L0:9");
}

TEST(RepairLayoutTest, WhatIsOlderThanAListedTableIsNotPutAboveIt) {
  EXPECT_EQ(Plan({Table(3, "a", "m", 11, 20, 1), Table(8, "a", "z", 1, 10)}),
            "by age L6:8 L5:3");
}

TEST(RepairLayoutTest, UnlistedTablesOfDistinctAgesStayInLevel0) {
  EXPECT_EQ(Plan({Table(3, "a", "m", 11, 20), Table(8, "a", "z", 1, 10)}),
            "kept L0:8 L0:3");
}

TEST(RepairLayoutTest, TablesWithoutCommonKeysStandSideBySide) {
  EXPECT_EQ(Plan({Table(3, "a", "b", 0, 0), Table(4, "c", "d", 0, 0),
                  Table(5, "e", "f", 0, 9)}),
            "by age L6:3 L6:4 L6:5");
}

TEST(RepairLayoutTest, TablesThatNoAgeTellsApartAreMerged) {
  EXPECT_EQ(Plan({Table(3, "a", "m", 1, 20), Table(4, "k", "z", 10, 30)}),
            "by age L6:3+4");
  // What is merged spans more, and meets others.
  EXPECT_EQ(Plan({Table(3, "a", "c", 1, 20), Table(4, "b", "n", 10, 30),
                  Table(5, "m", "z", 25, 28), Table(6, "a", "z", 31, 40)}),
            "by age L6:3+4+5 L5:6");
}

TEST(RepairLayoutTest, TheSameChangesTwiceAreMerged) {
  EXPECT_EQ(Plan({Table(3, "a", "c", 5, 5), Table(4, "a", "c", 5, 5)}),
            "by age L6:3+4");
}

TEST(RepairLayoutTest, ARangeTombstonesEndIsNotOfTheTable) {
  RepairTable left = Table(3, "a", "m", 0, 20);
  left.meta.largest = InternalKey("m", kMaxSequenceNumber, kTypeRangeDeletion);
  EXPECT_EQ(Plan({left, Table(4, "m", "z", 0, 30)}), "by age L6:3 L6:4");
}

// More layers than levels: the newest share level 0, where ages may not nest
// even in tables that share no keys.
TEST(RepairLayoutTest, NestedTablesOfLevel0AreMerged) {
  std::vector<RepairTable> tables;
  for (uint64_t i = 0; i < 7; ++i) {
    tables.push_back(Table(i + 1, "a", "z", 10 * i + 1, 10 * i + 10));
  }
  tables.push_back(Table(8, "a", "f", 71, 90));
  tables.push_back(Table(9, "g", "z", 75, 80));
  EXPECT_EQ(Plan(tables), "by age L6:1 L5:2 L4:3 L3:4 L2:5 L1:6 L0:7 L0:8+9");
}

TEST(RepairLayoutTest, EpochsRiseWithAge) {
  std::vector<RepairTable> tables = {
      Table(9, "a", "z", 41, 50, 0), Table(8, "a", "z", 31, 40, 0),
      Table(3, "a", "m", 0, 20, 6), Table(4, "n", "z", 0, 25, 6),
      Table(5, "a", "z", 26, 30, 5)};
  NumberEpochs(&tables);
  std::string epochs;
  for (const RepairTable& table : tables) {
    epochs += std::to_string(table.meta.epoch_number) + " ";
  }
  EXPECT_EQ(epochs, "4 3 1 1 2 ");
}

}  // namespace
}  // namespace tamis
