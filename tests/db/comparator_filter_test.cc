// SPDX-License-Identifier: Apache-2.0
//
// Which filters the tables and memtables of a user's comparator have: it may
// say whether keys that are equal have equal bytes, or say nothing.
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tamis/perf_context.h"

#include "tests/db/test_db.h"
#include "tests/support/comparators.h"
#include "util/extensions/equal_keys.h"

namespace tamis {
namespace {

class SaysEqualBytes : public NamedComparator {
 public:
  SaysEqualBytes() : NamedComparator("test.Comparator") {}
  bool CanKeysWithDifferentByteContentsBeEqual() const override {
    return false;
  }
};

class ComparatorFilterTest : public DBTest {
 protected:
  void OpenWith(const Comparator* comparator, bool sets_policy) {
    options_.comparator = comparator;
    options_.disable_auto_compactions = true;
    BlockBasedTableOptions table;
    if (sets_policy) table.filter_policy.reset(NewBloomFilterPolicy(10));
    SetTable(table);
    Open();
  }
  // Returns how many of 100 Gets of absent keys filters of tables answered.
  uint64_t Excluded() {
    get_perf_context()->Reset();
    for (int i = 0; i < 100; ++i) Get(Key(i) + "absent");
    return get_perf_context()->bloom_sst_miss_count;
  }

  const NamedComparator says_nothing_{"test.Comparator"};
  const SaysEqualBytes says_equal_bytes_;
  const CaseInsensitive says_may_differ_;
};

TEST_F(ComparatorFilterTest, TheAnswerAndItsAbsenceAreToldApart) {
  EXPECT_EQ(EqualKeysOf(says_nothing_), EqualKeys::kNotDeclared);
  EXPECT_EQ(EqualKeysOf(says_may_differ_), EqualKeys::kMayDiffer);
  EXPECT_EQ(EqualKeysOf(says_equal_bytes_), EqualKeys::kHaveEqualBytes);
  EXPECT_EQ(EqualKeysOf(*BytewiseComparator()), EqualKeys::kHaveEqualBytes);
  EXPECT_EQ(EqualKeysOf(*ReverseBytewiseComparator()),
            EqualKeys::kHaveEqualBytes);
  // Again: the answer of one is not that of the next.
  EXPECT_EQ(EqualKeysOf(says_may_differ_), EqualKeys::kMayDiffer);
  EXPECT_TRUE(says_nothing_.CanKeysWithDifferentByteContentsBeEqual());
}

TEST_F(ComparatorFilterTest, APolicyThatIsSetMakesFiltersAndUsesThem) {
  OpenWith(&says_nothing_, /*sets_policy=*/true);
  PutMany(1000);
  Flush();
  EXPECT_GT(OnlyTable().filter_size, 1000u);
  EXPECT_GT(Excluded(), 90u);
  EXPECT_EQ(Get(Key(7)), Noise(100, 7));
  EXPECT_TRUE(LogLines("event=filters_not_used").empty());
}

TEST_F(ComparatorFilterTest, TheDefaultPolicyMakesNoneAndLogSaysSo) {
  OpenWith(&says_nothing_, /*sets_policy=*/false);
  PutMany(1000);
  Flush();
  EXPECT_EQ(OnlyTable().filter_size, 0u);
  EXPECT_EQ(LogLines("event=filters_not_used family=default "
                     "comparator=test.Comparator reason=\"the comparator does "
                     "not override CanKeysWithDifferentByteContentsBeEqual, "
                     "and filter_policy is not set\"")
                .size(),
            1u);
  EXPECT_EQ(LogLines("filter_reason=\"the comparator does not").size(), 1u);
}

TEST_F(ComparatorFilterTest, WithoutAPolicyThatIsSetFiltersAreNotProbed) {
  OpenWith(&says_nothing_, /*sets_policy=*/true);
  PutMany(1000);
  Flush();
  db_.reset();
  OpenWith(&says_nothing_, /*sets_policy=*/false);
  EXPECT_EQ(Excluded(), 0u);
  EXPECT_EQ(Get(Key(7)), Noise(100, 7));
  db_.reset();
  OpenWith(&says_equal_bytes_, /*sets_policy=*/false);
  EXPECT_GT(Excluded(), 90u);
  EXPECT_TRUE(LogLines("event=filters_not_used").empty());
}

TEST_F(ComparatorFilterTest, APolicyThatIsSetWhileOpenIsUsed) {
  OpenWith(&says_nothing_, /*sets_policy=*/false);
  PutMany(1000);
  Flush();
  EXPECT_EQ(Excluded(), 0u);
  const auto set = [&](const std::string& policy) {
    const Status status =
        db_->SetOptions({{"table_factory.filter_policy", policy}});
    ASSERT_TRUE(status.ok()) << status;
  };
  set("bloomfilter:11:false");
  PutMany(1000);
  Flush();
  EXPECT_GT(Excluded(), 90u);
  // Those that are open stay as they are.
  set("nullptr");
  EXPECT_GT(Excluded(), 90u);
  EXPECT_EQ(Get(Key(7)), Noise(100, 7));
}

TEST_F(ComparatorFilterTest, AComparatorWhoseEqualKeysDifferHasNoFilter) {
  OpenWith(&says_may_differ_, /*sets_policy=*/true);
  PutMany(1000);
  Put("UPPER", "1");
  Flush();
  EXPECT_EQ(OnlyTable().filter_size, 0u);
  EXPECT_EQ(Get("upper"), "1");
  EXPECT_EQ(LogLines("event=filters_not_used family=default "
                     "comparator=test.CaseInsensitive reason=\"the comparator "
                     "says that keys that differ in bytes may be equal\"")
                .size(),
            1u);
}

// The option asks for it, so there is no default that nobody chose.
TEST_F(ComparatorFilterTest, MemTableFiltersNeedNoAnswer) {
  options_.memtable_prefix_bloom_size_ratio = 0.1;
  options_.memtable_whole_key_filtering = true;
  OpenWith(&says_nothing_, /*sets_policy=*/false);
  PutMany(100);
  Excluded();
  EXPECT_GE(get_perf_context()->bloom_memtable_miss_count, 90u);
  Destroy();
  OpenWith(&says_may_differ_, /*sets_policy=*/false);
  PutMany(100);
  Excluded();
  EXPECT_EQ(get_perf_context()->bloom_memtable_miss_count, 0u);
}

}  // namespace
}  // namespace tamis
