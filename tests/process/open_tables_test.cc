// SPDX-License-Identifier: Apache-2.0
//
// The ring of open tables where an allocation fails while tables join it: who
// could not join is not in it, room that nobody used is given back, and the
// limit holds.
#include "db/base/open_tables.h"

#include <array>
#include <memory>
#include <new>
#include <string>

#include <gtest/gtest.h>

#include "tests/failures/failures.h"

namespace tamis::process {
namespace {

constexpr size_t kLimit = 9;
constexpr size_t kTables = 20;

// Counts for a reader, and is never looked at.
std::shared_ptr<const TableReader> FakeReader() {
  const auto owner = std::make_shared<std::string>();
  return {owner, reinterpret_cast<const TableReader*>(owner.get())};
}

TEST(OpenTablesTest, CountTheOpenOnesWhicheverAllocationFails) {
  for (uint64_t n = 1;; ++n) {
    SCOPED_TRACE(n);
    OpenTables tables(kLimit);
    std::array<TableSlot, kTables> slots;
    const auto open = [&](TableSlot* slot) {
      OpenTables::Room room(&tables);
      slot->Set(FakeReader());
      room.Join(slot);
    };
    const auto count = [&] {
      size_t opened = 0;
      for (TableSlot& slot : slots) opened += slot.Get() != nullptr ? 1U : 0U;
      return opened;
    };
    Failures::Arm(Failures::Kind::kAllocation, n);
    for (TableSlot& slot : slots) {
      try {
        open(&slot);
      } catch (const std::bad_alloc&) {
        EXPECT_EQ(slot.Get(), nullptr);
      }
    }
    const bool failed = Failures::Disarm();
    EXPECT_LE(count(), kLimit);
    for (TableSlot& slot : slots) {
      if (slot.Get() == nullptr) open(&slot);
      EXPECT_NE(slot.Get(), nullptr);
    }
    EXPECT_EQ(count(), kLimit);
    if (!failed) break;
  }
}

}  // namespace
}  // namespace tamis::process
