// SPDX-License-Identifier: Apache-2.0
#include "db/version/level_index.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/tables.h"
#include "util/base/random.h"

namespace tamis {
namespace {

// A few bytes, with much in common, of every length.
std::string RandomKey(const std::string& prefix, Random* random) {
  std::string key = prefix;
  for (size_t n = random->Uniform(12); n > 0; --n) {
    key.push_back(static_cast<char>('a' + random->Uniform(3)));
  }
  return key;
}

// Files from every second key to the next one, in the order's sense; versions
// of some keys run on into the next file.
std::vector<TableFilePtr> FilesOver(const std::vector<std::string>& keys) {
  std::vector<TableFilePtr> files;
  for (size_t i = 0; i + 1 < keys.size(); i += 2) {
    FileMetaData meta;
    meta.number = FileNumber(i + 1);
    const bool runs_on = i > 0 && i % 3 == 0;
    meta.smallest =
        runs_on ? InternalKey(keys[i - 1], 4) : InternalKey(keys[i], 9);
    meta.largest = InternalKey(keys[i + 1], 5);
    files.push_back(std::make_shared<const TableFile>(std::move(meta)));
  }
  return files;
}

class LevelIndexTest : public testing::TestWithParam<bool> {};

// Against a look at every file, with and without what all keys begin with.
TEST_P(LevelIndexTest, AgreesWithALinearSearch) {
  const Comparator* const comparator =
      GetParam() ? BytewiseComparator() : ReverseBytewiseComparator();
  const KeyOrder order(comparator);
  Random random(17);
  for (int round = 0; round < 300; ++round) {
    const std::string prefix = round % 3 == 0   ? ""
                               : round % 3 == 1 ? "p"
                                                : "a long prefix of all";
    std::set<std::string> distinct;
    for (size_t n = random.Uniform(40); n > 0; --n) {
      distinct.insert(RandomKey(prefix, &random));
    }
    std::vector<std::string> keys(distinct.begin(), distinct.end());
    if (!GetParam()) std::reverse(keys.begin(), keys.end());
    const std::vector<TableFilePtr> files = FilesOver(keys);
    const LevelIndex index(order, files);
    for (int i = 0; i < 50; ++i) {
      const std::string user_key =
          random.OneIn(8) ? RandomKey("", &random) : RandomKey(prefix, &random);
      const LookupKey key(user_key, random.Uniform(12));
      size_t begin = 0;
      while (begin < files.size() && order.Compare(files[begin]->meta.largest,
                                                   key.internal_key()) < 0) {
        ++begin;
      }
      ASSERT_EQ(FindFile(order, files, key.internal_key()), begin) << user_key;
      ASSERT_EQ(index.FindFirst(key.internal_key()), begin) << user_key;
      size_t end = begin;
      for (size_t f = 0; f < files.size(); ++f) {
        const Slice smallest = ExtractUserKey(files[f]->meta.smallest);
        const Slice largest = ExtractUserKey(files[f]->meta.largest);
        const bool begins_behind = comparator->Compare(user_key, smallest) < 0;
        if (f == end && !begins_behind) ++end;
        ASSERT_EQ(index.Spans(f, user_key),
                  !begins_behind && comparator->Compare(user_key, largest) <= 0)
            << user_key << " and file " << f;
        ASSERT_EQ(index.EndsWith(f, user_key), largest == user_key)
            << user_key << " and file " << f;
        ASSERT_TRUE(index.EndsWith(f, largest)) << "file " << f;
        ASSERT_EQ(
            index.SharesItsFirstKey(f),
            f > 0 && smallest == ExtractUserKey(files[f - 1]->meta.largest))
            << "file " << f;
      }
      const LevelIndex::Range range = index.FindSpanning(key);
      ASSERT_EQ(range.end - range.begin, end - begin) << user_key;
      if (!range.empty()) {
        ASSERT_EQ(range.begin, begin) << user_key;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, LevelIndexTest, testing::Bool(),
                         [](const auto& suite) {
                           return suite.param ? "Bytewise" : "Reverse";
                         });

}  // namespace
}  // namespace tamis
