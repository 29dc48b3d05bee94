// SPDX-License-Identifier: Apache-2.0
//
// Prefix filters are probed only if a seek provably needs keys of one prefix
// alone.
#include "table/prefix_scope.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/prefixes.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

const KeyOrder& Reverse() {
  static const KeyOrder order(ReverseBytewiseComparator());
  return order;
}

// All strings of these bytes up to a length.
std::vector<std::string> Strings(size_t length) {
  std::vector<std::string> all = {""};
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].size() == length) break;
    for (const char c : {'\0', 'a', '\xff'}) all.push_back(all[i] + c);
  }
  return all;
}

struct Seek {
  const KeyOrder& order;
  const SliceTransform& extractor;
  std::string target;
  bool exclusive;
  SeekDirection direction;
  const Slice* bound;  // in that direction
  bool by_place;

  std::optional<Slice> Ask(std::string* internal_key) const {
    ReadContext context;
    context.use_prefix_filters = true;
    const bool forward = direction == SeekDirection::kForward;
    (forward ? context.upper_bound : context.lower_bound) = bound;
    *internal_key = InternalKey(target, exclusive ? kMaxSequenceNumber : 5);
    return KeyForPrefixFilter(order, extractor, *internal_key, direction,
                              by_place, context);
  }
  bool Shows(const std::string& key) const {
    const int from_target = order.CompareUserKeys(key, target);
    if (direction == SeekDirection::kForward) {
      return from_target >= 0 &&
             (bound == nullptr || order.CompareUserKeys(key, *bound) < 0);
    }
    return (exclusive ? from_target < 0 : from_target <= 0) &&
           (bound == nullptr || order.CompareUserKeys(key, *bound) >= 0);
  }
};

std::vector<std::unique_ptr<const SliceTransform>> Extractors() {
  std::vector<std::unique_ptr<const SliceTransform>> extractors;
  for (size_t n = 0; n < 3; ++n) {
    extractors.emplace_back(NewFixedPrefixTransform(n));
    extractors.emplace_back(NewCappedPrefixTransform(n));
  }
  return extractors;
}

// How often a filter is asked; every time, all that the scan shows has the
// prefix that is asked for.
int CheckAll(const Seek& seek, const std::vector<std::string>& universe) {
  std::string internal_key;
  const std::optional<Slice> asked = seek.Ask(&internal_key);
  if (!asked.has_value()) return 0;
  EXPECT_TRUE(seek.extractor.InDomain(*asked));
  const Slice prefix = seek.extractor.Transform(*asked);
  for (const std::string& key : universe) {
    if (!seek.Shows(key)) continue;
    EXPECT_TRUE(seek.extractor.InDomain(key) &&
                seek.extractor.Transform(key) == prefix)
        << seek.extractor.GetId() << " " << Slice(seek.target).ToString(true)
        << " bound "
        << (seek.bound != nullptr ? seek.bound->ToString(true) : "none")
        << " shows " << Slice(key).ToString(true);
  }
  return 1;
}

TEST(PrefixScopeTest, EveryKeyWithinTheBoundsHasTheProbedPrefix) {
  const std::vector<std::string> universe = Strings(4);
  const std::vector<std::string> ends = Strings(3);
  int asked = 0;
  for (const auto& extractor : Extractors()) {
    for (const KeyOrder* order : {&Bytewise(), &Reverse()}) {
      for (const std::string& target : ends) {
        for (size_t b = 0; b <= ends.size(); ++b) {
          const Slice bound = b < ends.size() ? Slice(ends[b]) : Slice();
          for (const int way : {0, 1, 2, 3, 4, 5}) {
            asked += CheckAll({*order, *extractor, target, way % 3 == 2,
                               way % 3 == 0 ? SeekDirection::kForward
                                            : SeekDirection::kBackward,
                               b < ends.size() ? &bound : nullptr, way >= 3},
                              universe);
          }
        }
      }
    }
  }
  EXPECT_GT(asked, 10000);
}

TEST(PrefixScopeTest, UsualBoundsProveThePrefix) {
  struct Case {
    bool reverse;
    SeekDirection direction;
    const char* target;
    const char* bound;
    const char* prefix;  // nullptr: not probed
  };
  constexpr SeekDirection kForward = SeekDirection::kForward;
  constexpr SeekDirection kBackward = SeekDirection::kBackward;
  const Case cases[] = {
      {false, kForward, "abc1", "abd", "abc"},
      {false, kForward, "abc1", "abc9", "abc"},
      {false, kForward, "abc", "abd", "abc"},
      {false, kForward,
       "ab\xff"
       "1",
       "ac", "ab\xff"},
      {false, kForward, "abc1", "abd0", nullptr},
      {false, kForward, "abc1", nullptr, nullptr},
      {false, kForward, "ab", "abd", nullptr},
      {false, kForward,
       "\xff\xff\xff"
       "1",
       nullptr, "\xff\xff\xff"},
      {false, kBackward, "abc9", "abc", "abc"},
      {false, kBackward, "abd", "abc", "abc"},  // up to, not with, the target
      {false, kBackward, "abe", "abc", nullptr},
      {false, kBackward, "abc9", "abb", nullptr},
      {false, kBackward, "abc9", nullptr, nullptr},
      {true, kForward, "abc9", "abc0", "abc"},
      {true, kForward, "abc9", "abb", nullptr},
      {true, kBackward, "abc0", "abc9", "abc"},
      {true, kBackward, "abc0", "abd", nullptr},
  };
  const std::unique_ptr<const SliceTransform> three(NewFixedPrefixTransform(3));
  for (const Case& c : cases) {
    const Slice bound(c.bound != nullptr ? c.bound : "");
    const Seek seek{c.reverse ? Reverse() : Bytewise(),
                    *three,
                    c.target,
                    true,
                    c.direction,
                    c.bound != nullptr ? &bound : nullptr,
                    false};
    std::string internal_key;
    const std::optional<Slice> asked = seek.Ask(&internal_key);
    const std::string context = std::string(c.target) + " to " +
                                (c.bound != nullptr ? c.bound : "the end");
    ASSERT_EQ(asked.has_value(), c.prefix != nullptr) << context;
    if (asked.has_value()) {
      EXPECT_EQ(three->Transform(*asked).ToString(), c.prefix) << context;
    }
  }
}

TEST(PrefixScopeTest, AUsersExtractorIsTrustedOnlyWithinOnePrefix) {
  const BeforeSlash extractor;
  const std::string target = InternalKey("a/1", 5);
  const Slice upper("a/2");
  ReadContext context;
  context.use_prefix_filters = true;
  context.upper_bound = &upper;
  ScanScope scope;
  context.scope = &scope;
  const auto ask = [&](SeekDirection direction, bool by_place) {
    return KeyForPrefixFilter(Bytewise(), extractor, target, direction,
                              by_place, context)
        .has_value();
  };
  EXPECT_FALSE(ask(SeekDirection::kForward, false));
  scope.one_prefix_of = &extractor;
  EXPECT_TRUE(ask(SeekDirection::kForward, false));
  EXPECT_TRUE(ask(SeekDirection::kForward, true));
  EXPECT_TRUE(ask(SeekDirection::kBackward, false));
  // The place of its first key is unknown.
  EXPECT_FALSE(ask(SeekDirection::kBackward, true));
  context.use_prefix_filters = false;
  EXPECT_FALSE(ask(SeekDirection::kForward, false));
}

}  // namespace
}  // namespace tamis
