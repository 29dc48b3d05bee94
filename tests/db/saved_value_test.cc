// SPDX-License-Identifier: Apache-2.0
//
// Large values in backward iteration: shown where they are, and safe there.
#include "db/saved_value.h"

#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tamis/utilities/merge_operators.h"

#include "tests/db/test_db.h"

namespace tamis {
namespace {

constexpr size_t kLarge = 8000;
constexpr int kKeys = 40;

class SavedValueTest : public DBTest {
 protected:
  std::string ValueOf(int i) const {
    return Noise(kLarge, static_cast<uint64_t>(i));
  }

  // Where a forward iteration shows the values.
  std::map<std::string, const char*> Places() {
    std::map<std::string, const char*> places;
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      places[it->key().ToString()] = it->value().data();
    }
    EXPECT_EQ(places.size(), size_t{kKeys});
    return places;
  }

  // Iterates back over all keys, and returns how many values are elsewhere.
  int CopiesBackward(const std::map<std::string, const char*>& places) {
    int copies = 0;
    int i = kKeys;
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    for (it->SeekToLast(); it->Valid(); it->Prev()) {
      --i;
      EXPECT_EQ(it->key(), Slice(Key(i)));
      EXPECT_EQ(it->value(), Slice(ValueOf(i)));
      copies += it->value().data() != places.at(it->key().ToString());
    }
    EXPECT_EQ(i, 0);
    return copies;
  }
};

TEST_F(SavedValueTest, IsShownInPlaceInAMemtable) {
  Open();
  PutMany(kKeys, kLarge);
  EXPECT_EQ(CopiesBackward(Places()), 0);
}

TEST_F(SavedValueTest, IsShownInPlaceInAResidentBlock) {
  Open();
  PutMany(kKeys, kLarge);
  Compact();
  EXPECT_EQ(CopiesBackward(Places()), 0);
}

TEST_F(SavedValueTest, IsShownInPlaceInAMerge) {
  options_.disable_auto_compactions = true;
  Open();
  for (const int remainder : {0, 1, 2}) {
    for (int i = remainder; i < kKeys; i += 3) Put(Key(i), ValueOf(i));
    if (remainder < 2) Flush();
  }
  EXPECT_EQ(CopiesBackward(Places()), 0);
}

TEST_F(SavedValueTest, IsCopiedFromABlockThatIsNotResident) {
  BlockBasedTableOptions table;
  table.no_block_cache = true;
  SetTable(table);
  Open();
  PutMany(kKeys, kLarge);
  Compact();
  EXPECT_GT(CopiesBackward(Places()), 0);
}

// Everything that held the value at the time goes while it is shown.
TEST_F(SavedValueTest, OutlivesTheCachesAndTheTablesUseOfIt) {
  BlockBasedTableOptions table;
  table.block_cache = NewLRUCache(4 * kLarge);
  SetTable(table);
  Open();
  PutMany(kKeys, kLarge);
  Compact();
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  std::string value;
  int i = kKeys;
  for (it->SeekToLast(); it->Valid(); it->Prev()) {
    --i;
    for (int other = 0; other < kKeys; ++other) {
      ASSERT_TRUE(db_->Get(ReadOptions(), Key(other), &value).ok());
      ASSERT_TRUE(db_->Get(ReadOptions(), Key(other), &value).ok());
    }
    if (i == kKeys / 2) {
      for (int other = 0; other < kKeys; ++other) Put(Key(other), "new");
      Compact();
    }
    ASSERT_EQ(it->key(), Slice(Key(i)));
    ASSERT_EQ(it->value(), Slice(ValueOf(i)));
  }
  EXPECT_EQ(i, 0);
}

TEST_F(SavedValueTest, IsOfTheNewestVersionThatTheSnapshotSees) {
  options_.disable_auto_compactions = true;
  options_.merge_operator = MergeOperators::CreateStringAppendOperator();
  Open();
  Put("a", Noise(kLarge, 1));
  Put("b", Noise(kLarge, 2));
  Flush();
  Put("a", Noise(kLarge, 3));
  Merge("b", "operand");
  Put("c", Noise(kLarge, 4));
  const Snapshot* const snapshot = db_->GetSnapshot();
  Put("a", Noise(kLarge, 5));
  Delete("c");
  ReadOptions at;
  at.snapshot = snapshot;
  const std::unique_ptr<Iterator> it(db_->NewIterator(at));
  it->SeekToLast();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value(), Slice(Noise(kLarge, 4)));
  it->Prev();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value(), Slice(Noise(kLarge, 2) + ",operand"));
  it->Prev();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value(), Slice(Noise(kLarge, 3)));
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), Slice("b"));
  EXPECT_EQ(it->value(), Slice(Noise(kLarge, 2) + ",operand"));
  db_->ReleaseSnapshot(snapshot);
}

}  // namespace
}  // namespace tamis
