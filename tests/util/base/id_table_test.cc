// SPDX-License-Identifier: Apache-2.0
#include "util/base/id_table.h"

#include <map>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "util/base/random.h"

namespace tamis {
namespace {

template <typename Value>
void AddAlways(IdTable<Value>* table, uint64_t id, Value value) {
  table->MakeRoom([](const Value&) { return true; });
  table->Add(id, std::move(value));
}

TEST(IdTableTest, FindsEveryAddedId) {
  IdTable<int> table;
  EXPECT_EQ(table.Find(1), nullptr);
  std::map<uint64_t, int> model;
  Random random(301);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t id = 1 + random.Uniform(2000);
    int* const found = table.Find(id);
    ASSERT_EQ(found != nullptr, model.contains(id));
    if (found != nullptr) {
      EXPECT_EQ(*found, model[id]);
      continue;
    }
    AddAlways(&table, id, i);
    model[id] = i;
    EXPECT_EQ(table.size(), model.size());
  }
  int sum = 0;
  table.ForEach([&sum](int value) { sum += value; });
  for (const auto& [id, value] : model) sum -= value;
  EXPECT_EQ(sum, 0);
}

TEST(IdTableTest, SearchesAreShort) {
  // One after the other, and far apart, at every power of two.
  for (int shift = 0; shift < 50; ++shift) {
    IdTable<int> table;
    for (uint64_t i = 1; i <= 5000; ++i) AddAlways(&table, i << shift, 0);
    EXPECT_LE(table.LongestSearch(), 16u) << shift;
  }
}

TEST(IdTableTest, DropsUnusedEntries) {
  IdTable<std::shared_ptr<uint64_t>> table;
  const auto of_use = [](const std::shared_ptr<uint64_t>& value) {
    return *value % 1000 == 0;
  };
  std::weak_ptr<uint64_t> early;
  for (uint64_t id = 1; id <= 10'000; ++id) {
    auto value = std::make_shared<uint64_t>(id);
    if (id == 7) early = value;
    table.MakeRoom(of_use);
    table.Add(id, std::move(value));
    ASSERT_LE(table.size(), 4 + 4 * (id / 1000));
  }
  EXPECT_TRUE(early.expired());
  for (uint64_t id = 1000; id <= 10'000; id += 1000) {
    ASSERT_NE(table.Find(id), nullptr);
    EXPECT_EQ(**table.Find(id), id);
  }
}

}  // namespace
}  // namespace tamis
