// SPDX-License-Identifier: Apache-2.0
//
// SetOptions changes the prefix extractor: tables of the old and of the new one
// lie beside each other, and no answer may depend on which filters are used.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter_policy.h"
#include "tamis/slice_transform.h"
#include "tamis/statistics.h"

#include "tests/db/test_db.h"
#include "util/base/random.h"

namespace tamis {
namespace {

// The part of a key before the slash. It has no id that Tamis knows.
class UpToSlash final : public SliceTransform {
 public:
  const char* Name() const override { return "UpToSlash"; }
  Slice Transform(const Slice& key) const override {
    const char* const end = std::find(key.data(), key.data() + key.size(), '/');
    return {key.data(), static_cast<size_t>(end - key.data())};
  }
  bool InDomain(const Slice& key) const override {
    return Transform(key).size() < key.size();
  }
};

class LivePrefixExtractorTest : public DBTest {
 protected:
  LivePrefixExtractorTest() {
    options_.disable_auto_compactions = true;
    options_.prefix_extractor.reset(NewFixedPrefixTransform(4));
  }
  void Set(const std::string& extractor) {
    ASSERT_EQ(db_->SetOptions({{"prefix_extractor", extractor}}), Status::OK());
  }
  // The newest table's extractor.
  std::string ExtractorOfTable() {
    TablePropertiesCollection tables;
    EXPECT_TRUE(db_->GetPropertiesOfAllTables(&tables).ok());
    std::string newest;
    for (const auto& one : tables) newest = std::max(newest, one.first);
    return tables.at(newest)->prefix_extractor_name;
  }
  // What a scan from the key shows, forwards.
  std::string Shown(const ReadOptions& options, const std::string& from) {
    std::string shown;
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    for (it->Seek(from); it->Valid(); it->Next()) {
      shown += it->key().ToString() + " ";
    }
    EXPECT_EQ(it->status(), Status::OK());
    return shown;
  }
  static ReadOptions SamePrefix() {
    ReadOptions options;
    options.prefix_same_as_start = true;
    return options;
  }
};

TEST_F(LivePrefixExtractorTest, NewTablesAndIteratorsHaveTheNewOne) {
  Open();
  Put("aaaa1", "");
  Flush();
  EXPECT_EQ(ExtractorOfTable(), "rocksdb.FixedPrefix.4");
  const std::unique_ptr<Iterator> old(db_->NewIterator(SamePrefix()));
  Set("rocksdb.FixedPrefix.2");
  EXPECT_EQ(db_->GetOptions().prefix_extractor->GetId(),
            "rocksdb.FixedPrefix.2");
  Put("aaab1", "");
  Put("aaba1", "");
  Put("abaa1", "");
  Flush();
  EXPECT_EQ(ExtractorOfTable(), "rocksdb.FixedPrefix.2");
  EXPECT_EQ(Shown(SamePrefix(), "aaaa"), "aaaa1 aaab1 aaba1 ");
  old->Seek("aaaa");
  ASSERT_TRUE(old->Valid());
  old->Next();
  EXPECT_FALSE(old->Valid()) << "its prefixes are those of its creation";
  Set("nullptr");
  EXPECT_EQ(db_->GetOptions().prefix_extractor, nullptr);
  EXPECT_EQ(Shown(SamePrefix(), "aaaa"), "aaaa1 aaab1 aaba1 abaa1 ");
}

// The table's filter answers for four bytes, the iterator shows what has two in
// common with its target.
TEST_F(LivePrefixExtractorTest, AFilterOfLongerPrefixesHidesNothing) {
  Open();
  Put("aaaa1", "");
  Put("aazz1", "");
  Flush();
  Set("rocksdb.FixedPrefix.2");
  EXPECT_EQ(Shown(SamePrefix(), "aabb"), "aazz1 ");
  EXPECT_EQ(Shown(SamePrefix(), "aaaa"), "aaaa1 aazz1 ");
}

TEST_F(LivePrefixExtractorTest, AFilterOfShorterPrefixesHidesNothing) {
  options_.prefix_extractor.reset(NewFixedPrefixTransform(2));
  Open();
  Put("aaaa1", "");
  Put("aazz1", "");
  Flush();
  Set("rocksdb.FixedPrefix.4");
  EXPECT_EQ(Shown(SamePrefix(), "aazz"), "aazz1 ");
  EXPECT_EQ(Shown(SamePrefix(), "aabb"), "");
}

// Opened anew, the old table is read with a family that has another extractor.
TEST_F(LivePrefixExtractorTest, ATableIsProbedWithItsOwnIfThatIsBuiltIn) {
  Open();
  Put("aaaa1", "");
  Put("zzzz1", "");
  Flush();
  for (const char* other : {"rocksdb.CappedPrefix.3", "nullptr"}) {
    db_.reset();
    options_.prefix_extractor = nullptr;
    Open();
    Set(other);
    ASSERT_TRUE(options_.statistics->Reset().ok());
    ReadOptions bounded;
    const Slice upper("bbbb9");
    bounded.iterate_upper_bound = &upper;
    bounded.auto_prefix_mode = true;
    EXPECT_EQ(Shown(bounded, "bbbb1"), "") << other;
    EXPECT_EQ(Tick(BLOOM_FILTER_PREFIX_CHECKED), 1u) << other;
    EXPECT_EQ(Tick(BLOOM_FILTER_PREFIX_USEFUL), 1u) << other;
  }
}

TEST_F(LivePrefixExtractorTest, AUsersIsNotGuessed) {
  options_.prefix_extractor = std::make_shared<UpToSlash>();
  Open();
  Put("a/1", "");
  Put("z/1", "");
  Flush();
  EXPECT_TRUE(
      db_->SetOptions({{"prefix_extractor", "Another"}}).IsNotSupported());
  db_.reset();
  options_.prefix_extractor.reset(NewFixedPrefixTransform(1));
  Open();
  ASSERT_TRUE(options_.statistics->Reset().ok());
  EXPECT_EQ(Shown(SamePrefix(), "b/1"), "");
  EXPECT_EQ(Shown(SamePrefix(), "a"), "a/1 ");
  EXPECT_EQ(Tick(BLOOM_FILTER_PREFIX_CHECKED), 0u);
}

// Random keys over few prefixes, written under one extractor after the other.
TEST_F(LivePrefixExtractorTest, AnswersAreThoseWithoutFilters) {
  const std::vector<std::string> extractors = {
      "rocksdb.FixedPrefix.1", "rocksdb.FixedPrefix.3",
      "rocksdb.CappedPrefix.2", "nullptr", "rocksdb.Noop"};
  Open();
  Random random(301);
  const auto key = [&random] {
    std::string made;
    for (uint64_t n = 1 + random.Uniform(5); n > 0; --n) {
      made.push_back(static_cast<char>('a' + random.Uniform(3)));
    }
    return made;
  };
  for (int round = 0; round < 30; ++round) {
    Set(extractors[random.Uniform(extractors.size())]);
    for (int i = 0; i < 3; ++i) Put(key(), "");
    Flush();
    if (round == 20) Compact();
    for (int i = 0; i < 50; ++i) {
      const std::string from = key();
      const std::string upper_bytes = key();
      const Slice upper(upper_bytes);
      ReadOptions options;
      options.prefix_same_as_start = random.OneIn(2);
      options.auto_prefix_mode = random.OneIn(2);
      if (random.OneIn(2)) options.iterate_upper_bound = &upper;
      ReadOptions plain = options;
      plain.auto_prefix_mode = false;
      plain.total_order_seek = true;  // asks no filter
      ASSERT_EQ(Shown(options, from), Shown(plain, from))
          << "round " << round << ", " << from << " to " << upper_bytes;
    }
  }
}

}  // namespace
}  // namespace tamis
