// SPDX-License-Identifier: Apache-2.0
#include "db/repair/repair_layout.h"

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/data_driven.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

// "3 a-m 0..20 L6": number, user keys, sequence numbers, and the level where
// the MANIFEST has it, if it does. "a-m)" ends in a range tombstone.
RepairTable ParseTable(const std::string& line) {
  RepairTable table;
  table.meta.size = 100;
  std::istringstream words(line);
  std::string keys;
  std::string seqnos;
  std::string level;
  uint64_t number = 0;
  words >> number >> keys >> seqnos >> level;
  table.meta.number = FileNumber(number);
  table.meta.smallest_seqno = std::stoull(seqnos);
  table.meta.largest_seqno = std::stoull(seqnos.substr(seqnos.find("..") + 2));
  const size_t dash = keys.find('-');
  std::string largest = keys.substr(dash + 1);
  table.meta.smallest =
      InternalKey(keys.substr(0, dash), table.meta.largest_seqno);
  if (largest.ends_with(')')) {
    largest.pop_back();
    table.meta.largest =
        InternalKey(largest, kMaxSequenceNumber, kTypeRangeDeletion);
  } else {
    table.meta.largest = InternalKey(largest, table.meta.smallest_seqno);
  }
  if (!level.empty()) table.level = Level(std::stoi(level.substr(1)));
  return table;
}

std::vector<RepairTable> ParseTables(const DataCase& data) {
  std::vector<RepairTable> tables;
  for (const std::string& line : data.InputLines()) {
    tables.push_back(ParseTable(line));
  }
  return tables;
}

// "L6:3+4 L5:7", by number, oldest first.
std::string Plan(const DataCase& data) {
  const std::vector<RepairTable> tables = ParseTables(data);
  std::string text;
  for (const RepairRun& run : PlanRepair(Bytewise(), tables)) {
    text += (text.empty() ? "L" : " L") + run.level.ToString() + ":";
    for (size_t i = 0; i < run.tables.size(); ++i) {
      text +=
          (i == 0 ? "" : "+") + tables[run.tables[i]].meta.number.ToString();
    }
  }
  return text;
}

std::string Epochs(const DataCase& data) {
  std::vector<RepairTable> tables = ParseTables(data);
  NumberEpochs(&tables);
  std::string text;
  for (const RepairTable& table : tables) {
    text += table.meta.number.ToString() + ": " +
            table.meta.epoch_number.ToString() + "\n";
  }
  return text;
}

TEST(RepairLayoutTest, KeepsValidLevelsAndOtherwiseSortsByAge) {
  RunDataFile("db/repair/layout.txt", {{"plan", Plan}, {"epochs", Epochs}});
}

}  // namespace
}  // namespace tamis
