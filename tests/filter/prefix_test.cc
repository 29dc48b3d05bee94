// SPDX-License-Identifier: Apache-2.0
//
// The filter entries that keys add, one by one.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "filter/filter_entries.h"

namespace tamis {

namespace {

using Strings = std::vector<std::string>;

// Records the added entries in order.
class Recorder final : public FilterBuilder {
 public:
  void Add(const FilterKey& key) override {
    entries.push_back(key.user_key().ToString());
  }
  size_t num_keys() const override { return entries.size(); }
  size_t EstimateSizeBytes() const override { return 0; }
  size_t ApproximateMemoryUsage() const override { return 0; }
  Result<std::string> Finish() override { return std::string(); }

  Strings entries;
};

class PrefixTest : public testing::Test {
 protected:
  FilterEntryRule Rule(bool whole_keys, size_t prefix_length) {
    fixed_.reset(NewFixedPrefixTransform(prefix_length));
    return {whole_keys, prefix_length == 0 ? nullptr : fixed_.get()};
  }
  // The entries of the keys, and whether they were counted right.
  template <typename Entries>
  Strings EntriesOf(Entries entries, const Strings& keys) {
    Recorder recorder;
    size_t added = 0;
    for (const std::string& key : keys) {
      added += entries.Add(FilterKey(key), &recorder);
    }
    EXPECT_EQ(added, recorder.entries.size());
    return recorder.entries;
  }

 private:
  std::unique_ptr<const SliceTransform> fixed_;
};

TEST_F(PrefixTest, WholeKeysAreAddedUnchanged) {
  const Strings keys = {"a1", "a1", "b", "c1"};
  EXPECT_EQ(EntriesOf(FilterEntries(Rule(true, 0)), keys), keys);
  EXPECT_EQ(EntriesOf(ChunkEntries(Rule(true, 0)), keys), keys);
}

TEST_F(PrefixTest, APrefixFollowsItsFirstKey) {
  EXPECT_EQ(EntriesOf(FilterEntries(Rule(true, 2)),
                      {"aa1", "aa1", "aa2", "b", "b", "bb1", "bb2", "bb2"}),
            (Strings{"aa1", "aa", "aa2", "b", "b", "bb1", "bb", "bb2"}));
}

TEST_F(PrefixTest, PrefixesAloneHaveTheEmptyStringAmongThem) {
  EXPECT_EQ(EntriesOf(FilterEntries(Rule(false, 2)), {"aa1"}), (Strings{"aa"}));
  EXPECT_EQ(
      EntriesOf(FilterEntries(Rule(false, 2)), {"aa1", "aa2", "b", "bb1"}),
      (Strings{"aa", "", "aa", "bb"}));
}

TEST_F(PrefixTest, InAChunkThePrefixComesFirst) {
  EXPECT_EQ(
      EntriesOf(ChunkEntries(Rule(true, 2)), {"aa1", "aa1", "b", "aa2", "bb1"}),
      (Strings{"aa", "aa1", "aa1", "b", "aa2", "bb", "bb1"}));
  EXPECT_EQ(EntriesOf(ChunkEntries(Rule(false, 2)), {"aa1", "aa1", "b", "bb1"}),
            (Strings{"aa", "bb"}));
}

TEST_F(PrefixTest, EveryChunkHasItsPrefixes) {
  ChunkEntries entries(Rule(false, 2));
  Recorder recorder;
  entries.Add(FilterKey("aa1"), &recorder);
  entries.NextChunk();
  entries.Add(FilterKey("aa2"), &recorder);
  EXPECT_EQ(recorder.entries, (Strings{"aa", "aa"}));
}

TEST_F(PrefixTest, APartitionEndsWithTheNextPrefix) {
  FilterEntries entries(Rule(true, 2));
  Recorder recorder;
  entries.Add(FilterKey("aa1"), &recorder);
  entries.AddPrefixAfter("bb1", &recorder);
  EXPECT_EQ(recorder.entries, (Strings{"aa1", "aa", "bb"}));
  recorder.entries.clear();
  entries.NextPartition();
  entries.Add(FilterKey("bb1"), &recorder);
  EXPECT_EQ(recorder.entries, (Strings{"aa", "bb1", "bb"}));
  // A key without a prefix adds none, nor does one whose prefix is there.
  recorder.entries.clear();
  entries.AddPrefixAfter("c", &recorder);
  entries.AddPrefixAfter("bb2", &recorder);
  EXPECT_TRUE(recorder.entries.empty());
}

TEST_F(PrefixTest, APartitionThatBeginsWithAKeyWithoutPrefixHasTheLastOne) {
  FilterEntries entries(Rule(true, 2));
  Recorder recorder;
  entries.Add(FilterKey("aa1"), &recorder);
  entries.AddPrefixAfter("b", &recorder);
  entries.NextPartition();
  recorder.entries.clear();
  entries.Add(FilterKey("b"), &recorder);
  EXPECT_EQ(recorder.entries, (Strings{"aa", "b"}));
}

TEST_F(PrefixTest, ByTheNewerRuleThePrefixComesFirst) {
  FilterEntryRule rule = Rule(true, 2);
  rule.prefix_first = true;
  EXPECT_EQ(EntriesOf(FilterEntries(rule),
                      {"aa1", "aa1", "aa2", "b", "b", "bb", "bb1", "bb1"}),
            (Strings{"aa", "aa1", "aa2", "b", "bb", "bb1"}));
  rule.whole_keys = false;
  EXPECT_EQ(EntriesOf(FilterEntries(rule), {"aa1", "aa2", "b", "bb1"}),
            (Strings{"aa", "bb"}));
}

TEST_F(PrefixTest, ByTheNewerRulePartitionsHaveThePrefixesOfTheirNeighbours) {
  for (const bool whole_keys : {false, true}) {
    FilterEntryRule rule = Rule(whole_keys, 2);
    rule.prefix_first = true;
    FilterEntries entries(rule);
    Recorder recorder;
    entries.Add(FilterKey("aa1"), &recorder);
    entries.AddPrefixAfter("bb1", &recorder);
    EXPECT_EQ(recorder.entries, whole_keys ? (Strings{"aa", "aa1", "bb"})
                                           : (Strings{"aa", "bb"}));
    recorder.entries.clear();
    entries.NextPartition();
    entries.Add(FilterKey("bb1"), &recorder);
    EXPECT_EQ(recorder.entries, whole_keys ? (Strings{"aa", "bb", "bb1"})
                                           : (Strings{"aa", "bb"}));
  }
}

}  // namespace
}  // namespace tamis
