// SPDX-License-Identifier: Apache-2.0
#include "table/resident_index.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/comparator.h"

#include "table/index_builder.h"
#include "tests/support/tables.h"
#include "util/base/random.h"

namespace tamis {
namespace {

constexpr uint64_t kKinds = 5;

// Keys whose differences are within a head, behind it, or in their length.
std::string RandomUserKey(Random* random, uint64_t kind) {
  switch (kind) {
    case 0:  // decimal numbers
      return std::to_string(1'000'000'000'000'000 + random->Uniform(3000));
    case 1:  // up to three bytes, zeros among them
      return std::string(random->Uniform(4),
                         static_cast<char>(random->Uniform(3)));
    case 2:  // ends in zeros, which pad heads, too
      return "prefix" + std::string(random->Uniform(12), '\0');
    case 3:  // differs only behind the head
      return "the same for all, and then " +
             std::to_string(random->Uniform(500));
    default: {
      std::string key(random->Uniform(30), '\0');
      for (char& c : key) c = static_cast<char>(random->Uniform(256));
      return key;
    }
  }
}

// Handles about the greatest size and offset that an entry's place has room
// for; a size of ones says that the handle is elsewhere.
constexpr BlockHandle kHandlesAtLimits[] = {
    {.offset = 5, .size = (uint64_t{1} << 23) - 2},
    {.offset = 5, .size = (uint64_t{1} << 23) - 1},
    {.offset = 5, .size = uint64_t{1} << 23},
    {.offset = (uint64_t{1} << 37) - 1, .size = 9},
    {.offset = uint64_t{1} << 37, .size = 9},
    {.offset = (uint64_t{1} << 37) - 1, .size = (uint64_t{1} << 23) - 2},
    {.offset = (uint64_t{1} << 37) - 1, .size = (uint64_t{1} << 23) - 1},
    {.offset = uint64_t{1} << 37, .size = uint64_t{1} << 23},
};

BlockHandle RandomHandle(Random* random) {
  if (random->OneIn(4)) {
    return kHandlesAtLimits[random->Uniform(std::size(kHandlesAtLimits))];
  }
  if (!random->OneIn(10)) {
    return {.offset = random->Uniform(1 << 30), .size = random->Uniform(9000)};
  }
  const uint64_t shift = random->Uniform(64);
  return {.offset = random->Next() >> shift,
          .size = random->Next() >> random->Uniform(64)};
}

struct Case {
  const char* name;
  bool bytewise;
  bool user_keys;
};

class ResidentIndexTest : public testing::TestWithParam<Case> {
 protected:
  // Sets separators_ and handles_, in order.
  void Fill(uint64_t kind, size_t n, Random* random) {
    std::set<std::string> keys;
    for (size_t i = 0; i < n; ++i) {
      keys.insert(InternalKey(RandomUserKey(random, kind),
                              random->Uniform(GetParam().user_keys ? 1 : 3)));
    }
    separators_.assign(keys.begin(), keys.end());
    std::sort(separators_.begin(), separators_.end(),
              [this](const std::string& a, const std::string& b) {
                return order_.Compare(a, b) < 0;
              });
    handles_.clear();
    IndexEntries entries;
    for (const std::string& separator : separators_) {
      handles_.push_back(RandomHandle(random));
      entries.Add(separator, handles_.back());
    }
    const IndexEncoding encoding{.user_keys = GetParam().user_keys,
                                 .delta_handles = false};
    const std::string file = "test.sst";
    auto node = ResidentIndex::Make(
        entries.EncodeBlock(0, entries.size(), encoding), format_, {&file, 7});
    ASSERT_TRUE(node.ok()) << node.status();
    node_ = *std::move(node);
  }
  // What the index holds of an internal key.
  Slice Held(const Slice& internal_key) const {
    return GetParam().user_keys ? ExtractUserKey(internal_key) : internal_key;
  }

  const KeyOrder order_{GetParam().bytewise ? BytewiseComparator()
                                            : ReverseBytewiseComparator()};
  const BlockFormat format_{.keys = GetParam().user_keys
                                        ? BlockFormat::Keys::kUser
                                        : BlockFormat::Keys::kInternal,
                            .values = BlockFormat::Values::kLengthPrefixed,
                            .order = &order_};
  std::vector<std::string> separators_;  // internal keys
  std::vector<BlockHandle> handles_;
  PinnedBytes node_;
};

TEST_P(ResidentIndexTest, HoldsEverySeparatorAndHandle) {
  Random random(5);
  for (uint64_t kind = 0; kind < kKinds; ++kind) {
    for (const size_t n : {0u, 1u, 2u, 31u, 32u, 33u, 400u}) {
      Fill(kind, n, &random);
      if (HasFatalFailure()) return;
      const ResidentIndex index(node_.buffer(), format_);
      ASSERT_EQ(index.count(), separators_.size());
      KeyBuffer buffer;
      for (uint32_t i = 0; i < index.count(); ++i) {
        ASSERT_EQ(index.separator(i, &buffer).ToString(true),
                  Held(separators_[i]).ToString(true))
            << "kind " << kind << ", " << i << " of " << n;
        ASSERT_EQ(index.handle(i), handles_[i]) << i << " of " << n;
        ASSERT_TRUE(index.slot(i)->empty());
      }
    }
  }
}

TEST_P(ResidentIndexTest, LowerBoundAgreesWithALinearSearch) {
  Random random(6);
  for (uint64_t kind = 0; kind < kKinds; ++kind) {
    for (int round = 0; round < 40; ++round) {
      Fill(kind, random.Uniform(150), &random);
      if (HasFatalFailure()) return;
      const ResidentIndex index(node_.buffer(), format_);
      for (int i = 0; i < 60; ++i) {
        const uint64_t other = random.OneIn(4) ? random.Uniform(kKinds) : kind;
        const std::string target =
            random.OneIn(2) || separators_.empty()
                ? InternalKey(RandomUserKey(&random, other), random.Uniform(3))
                : separators_[random.Uniform(separators_.size())];
        uint32_t expected = 0;
        while (expected < separators_.size() &&
               (GetParam().user_keys
                    ? order_.CompareUserKeys(Held(separators_[expected]),
                                             Held(target))
                    : order_.Compare(separators_[expected], target)) < 0) {
          ++expected;
        }
        ASSERT_EQ(index.LowerBound(Held(target)), expected)
            << "kind " << kind << ", " << Slice(target).ToString(true);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, ResidentIndexTest,
    testing::Values(Case{"UserKeys", true, true},
                    Case{"InternalKeys", true, false},
                    Case{"ReverseUserKeys", false, true},
                    Case{"ReverseInternalKeys", false, false}),
    [](const auto& of) { return std::string(of.param.name); });

TEST(ResidentIndexHandleTest, HandlesAtTheLimitsOfAPlaceAreKept) {
  IndexEntries entries;
  int i = 0;
  for (const BlockHandle& handle : kHandlesAtLimits) {
    entries.Add(InternalKey(std::to_string(1000 + i++), 1), handle);
  }
  const IndexEncoding encoding{.delta_handles = false};
  const BlockFormat format{.keys = BlockFormat::Keys::kUser,
                           .values = BlockFormat::Values::kLengthPrefixed,
                           .order = &Bytewise()};
  const std::string file = "test.sst";
  const auto node = ResidentIndex::Make(
      entries.EncodeBlock(0, entries.size(), encoding), format, {&file, 0});
  ASSERT_TRUE(node.ok()) << node.status();
  const ResidentIndex index(node->buffer(), format);
  ASSERT_EQ(index.count(), std::size(kHandlesAtLimits));
  for (uint32_t at = 0; at < index.count(); ++at) {
    EXPECT_EQ(index.handle(at), kHandlesAtLimits[at]) << at;
  }
}

// docs/decisions/resident_index.md says how many bytes a block's entry takes.
TEST(ResidentIndexMemoryTest, AnEntryOfAShortKeyTakesTwentyFiveBytes) {
  constexpr size_t kBlocks = 20'000;
  IndexEntries entries;
  for (size_t i = 0; i < kBlocks; ++i) {
    entries.Add(InternalKey(std::to_string(1'000'000'000'000'000 + 34 * i), 1),
                {.offset = 2500 * i, .size = 2495});
  }
  const IndexEncoding encoding{.delta_handles = false};
  const BlockFormat format{.keys = BlockFormat::Keys::kUser,
                           .values = BlockFormat::Values::kLengthPrefixed,
                           .order = &Bytewise()};
  const std::string file = "test.sst";
  const auto node = ResidentIndex::Make(
      entries.EncodeBlock(0, kBlocks, encoding), format, {&file, 0});
  ASSERT_TRUE(node.ok()) << node.status();
  EXPECT_LE(node->buffer()->charge(), kBlocks * 25);
  EXPECT_GE(node->buffer()->charge(), kBlocks * 24);
}

}  // namespace
}  // namespace tamis
