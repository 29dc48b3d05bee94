// SPDX-License-Identifier: Apache-2.0
#include "db/level_index.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/tables.h"
#include "util/random.h"

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

// Files from every second key to the next one, in the order's sense.
std::vector<TableFilePtr> FilesOver(const std::vector<std::string>& keys) {
  std::vector<TableFilePtr> files;
  for (size_t i = 0; i + 1 < keys.size(); i += 2) {
    FileMetaData meta;
    meta.number = i + 1;
    meta.smallest = InternalKey(keys[i], 9);
    meta.largest = InternalKey(keys[i + 1], 5);
    files.push_back(std::make_shared<const TableFile>(std::move(meta)));
  }
  return files;
}

class LevelIndexTest : public testing::TestWithParam<bool> {};

// Against a look at every file, with and without what all keys begin with.
TEST_P(LevelIndexTest, FindsWhatALookAtEveryFileFinds) {
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
      const std::string target = InternalKey(user_key, random.Uniform(12));
      size_t expected = 0;
      while (expected < files.size() &&
             order.Compare(files[expected]->meta.largest, target) < 0) {
        ++expected;
      }
      ASSERT_EQ(index.Find(target), expected) << target;
      ASSERT_EQ(FindFile(order, files, target), expected) << target;
      const LookupKey newest(user_key, kMaxSequenceNumber);
      const size_t found = index.Find(newest.internal_key());
      ASSERT_EQ(index.FindSpanning(newest),
                found < files.size() && index.Spans(found, user_key)
                    ? found
                    : files.size());
      for (size_t f = 0; f < files.size(); ++f) {
        const Slice smallest = ExtractUserKey(files[f]->meta.smallest);
        ASSERT_EQ(index.BeginsBehind(f, user_key),
                  comparator->Compare(user_key, smallest) < 0)
            << user_key << " and " << smallest.ToString();
        const Slice largest = ExtractUserKey(files[f]->meta.largest);
        ASSERT_EQ(index.Spans(f, user_key),
                  comparator->Compare(user_key, smallest) >= 0 &&
                      comparator->Compare(user_key, largest) <= 0);
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
