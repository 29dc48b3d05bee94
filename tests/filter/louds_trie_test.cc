// SPDX-License-Identifier: Apache-2.0
#include "filter/louds_trie.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "filter/bit_select.h"
#include "filter/louds_builder.h"
#include "tests/support/sorted_keys.h"
#include "util/base/random.h"
#include "util/coding/shared_prefix.h"

namespace tamis {
namespace {

// The paths of ends, and those of leaves with their keys.
struct Contents {
  std::vector<std::string> ends;
  std::map<std::string, uint32_t> leaves;
};

size_t Shared(const Keys& keys, size_t i) {
  return i == 0 || i >= keys.size() ? 0
                                    : SharedPrefixLength(keys[i - 1], keys[i]);
}

Contents Expected(const Keys& keys, size_t depth) {
  Contents contents;
  for (size_t i = 0; i < keys.size(); ++i) {
    const size_t differs = std::max(Shared(keys, i), Shared(keys, i + 1)) + 1;
    if (keys[i].size() < std::min(differs, depth)) {
      contents.ends.push_back(keys[i]);
    } else {
      contents.leaves.emplace(keys[i].substr(0, std::min(differs, depth)),
                              static_cast<uint32_t>(i));
    }
  }
  return contents;
}

struct Trie {
  explicit Trie(const Keys& keys, uint32_t depth = kLoudsDepthMax) {
    LoudsBuilder builder;
    for (size_t i = 0; i < keys.size(); ++i) {
      builder.Add(static_cast<uint32_t>(i), keys[i], Shared(keys, i),
                  Shared(keys, i + 1));
    }
    builder.CutAt(depth);
    shape = builder.AppendTo(&bytes, &leaf_keys);
  }

  // Walks through all of the trie.
  Contents Walk(size_t depth) const {
    Contents contents;
    const LoudsTrie trie(bytes.data(), shape);
    LoudsTrie::Node root;
    EXPECT_TRUE(trie.Root(&root));
    WalkFrom(trie, root, "", depth, &contents);
    return contents;
  }
  void WalkFrom(const LoudsTrie& trie, const LoudsTrie::Node& node,
                const std::string& path, size_t depth,
                Contents* contents) const {
    if (node.has_end()) contents->ends.push_back(path);
    for (uint32_t label = 0;; ++label) {
      const LoudsTrie::Branch branch = trie.LowerBound(node, label);
      if (branch.label() == LoudsTrie::Branch::kNone) break;
      label = branch.label();
      const bool has_after =
          trie.LowerBound(node, label + 1).label() != LoudsTrie::Branch::kNone;
      EXPECT_EQ(trie.HasAfter(node, branch), has_after);
      const std::string next = path + static_cast<char>(label);
      if (!branch.is_leaf()) {
        LoudsTrie::Node child;
        ASSERT_TRUE(trie.Child(branch, &child)) << next;
        WalkFrom(trie, child, next, depth, contents);
      } else if (next.size() == depth) {
        contents->leaves.emplace(next, 0);  // has no key
      } else {
        const uint32_t leaf = trie.Leaf(branch);
        ASSERT_LT(leaf, leaf_keys.size());
        contents->leaves.emplace(next, leaf_keys[leaf]);
      }
    }
  }

  std::string bytes;
  LoudsShape shape;
  std::vector<uint32_t> leaf_keys;
};

void Check(const Keys& keys, uint32_t depth = kLoudsDepthMax) {
  const Trie trie(keys, depth);
  const Contents walked = trie.Walk(depth);
  Contents expected = Expected(keys, depth);
  for (auto& [path, key] : expected.leaves) {
    if (path.size() == depth) key = 0;
  }
  Keys ends = walked.ends;
  std::ranges::sort(ends);
  EXPECT_EQ(ends, expected.ends);
  EXPECT_EQ(walked.leaves, expected.leaves);
}

TEST(LoudsTrieTest, HasTheShortestPathsOfKeys) {
  Check({"a", "ab", "b"});
  Check({"algae", "alge", "algol", "b"});
  Check({"", "\xff"});
  Check({"\xff", "\xff\xff"});
  Check({"\xff", "\xff\xff", "\xff\xff\xff"});
  Random random(301);
  for (int round = 0; round < 300; ++round) {
    const uint64_t alphabet = round % 3 == 0 ? 256 : round % 3 == 1 ? 3 : 12;
    const uint64_t longest = 1 + random.Uniform(round % 3 == 1 ? 12 : 6);
    Keys keys;
    for (uint64_t n = 2 + random.Uniform(3000); n > 0; --n) {
      std::string key(random.Uniform(longest + 1), '\0');
      for (char& c : key) c = static_cast<char>(255 - random.Uniform(alphabet));
      keys.push_back(std::move(key));
    }
    keys = SortedKeys(std::move(keys));
    if (keys.size() < 2) continue;
    Check(keys);
    Check(keys, static_cast<uint32_t>(1 + random.Uniform(6)));
  }
}

// Nodes of 256 labels and an end, dense and sparse.
TEST(LoudsTrieTest, FullNodesAreRight) {
  Keys keys = {""};
  for (int a = 0; a < 256; ++a) {
    const std::string one(1, static_cast<char>(a));
    keys.push_back(one);
    for (int b = 0; b < 256; ++b) keys.push_back(one + static_cast<char>(b));
  }
  keys = SortedKeys(std::move(keys));
  EXPECT_GT(Trie(keys).shape.dense_nodes, 1u);
  Check(keys);
  // One full node below many small ones stays sparse.
  for (int i = 0; i < 20000; ++i) keys.push_back("x" + std::to_string(i));
  for (int i = 0; i < 256; ++i) {
    keys.push_back(std::string("x1234") + static_cast<char>(i));
  }
  Check(SortedKeys(std::move(keys)));
}

// What a level costs as dense nodes is little beside the rest.
TEST(LoudsTrieTest, UpperLevelsAreDense) {
  Random random(301);
  Keys keys;
  for (int i = 0; i < 100000; ++i) {
    std::string key;
    for (int c = 0; c < 8; ++c) {
      key.push_back(static_cast<char>('0' + random.Uniform(10)));
    }
    keys.push_back(std::move(key));
  }
  keys = SortedKeys(std::move(keys));
  const Trie trie(keys);
  EXPECT_EQ(trie.shape.dense_nodes, 1u + 10u);
  Check(keys);
  EXPECT_EQ(Trie({"a", "b", "c"}).shape.dense_nodes, 0u);
}

TEST(LoudsTrieTest, PathsEndAtTheGreatestDepth) {
  const std::string deep(kLoudsDepthMax, 'd');
  const std::string less = deep.substr(1);
  const Keys keys = {less,       less + "a",  less + "b", deep,
                     deep + "a", deep + "ab", deep + "b", "e"};
  const Trie trie(SortedKeys(keys));
  const Contents walked = trie.Walk(kLoudsDepthMax);
  EXPECT_TRUE(walked.leaves.contains("e"));
  EXPECT_TRUE(walked.leaves.contains(deep));
  EXPECT_EQ(walked.ends, Keys{less});
}

TEST(BitSelectTest, CountsAndFindsBits) {
  Random random(301);
  for (int round = 0; round < 1000; ++round) {
    uint64_t bits = random.Next();
    if (random.OneIn(2)) bits &= random.Next() & random.Next();
    if (round == 0) bits = 0;
    if (round == 1) bits = ~uint64_t{0};
    uint32_t count = 0;
    for (uint32_t place = 0; place < 64; ++place) {
      EXPECT_EQ(CountBitsBelow(bits, place), count);
      if ((bits >> place & 1) == 0) continue;
      EXPECT_EQ(SelectBit(bits, count), place);
      ++count;
    }
    EXPECT_EQ(CountBits(bits), count);
    for (uint32_t skip = count; skip < 64; ++skip) {
      EXPECT_EQ(SelectBit(bits, skip), 64u);
    }
  }
}

}  // namespace
}  // namespace tamis
