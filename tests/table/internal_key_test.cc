// SPDX-License-Identifier: Apache-2.0
#include "table/internal_key.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/merge_operators.h"

#include "table/get_context.h"
#include "table/unique_id.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

TEST(InternalKeyTest, NewerVersionsComeFirst) {
  const std::vector<std::string> sorted = {
      InternalKey("", 1),   InternalKey("a", 9),
      InternalKey("a", 8),  InternalKey("a", 8, kTypeDeletion),
      InternalKey("a", 0),  InternalKey(std::string("a\0", 2), 9),
      InternalKey("ab", 1), InternalKey("\xff", 1)};
  for (size_t i = 0; i < sorted.size(); ++i) {
    for (size_t j = 0; j < sorted.size(); ++j) {
      const int order = Bytewise().Compare(sorted[i], sorted[j]);
      EXPECT_EQ(order < 0, i < j) << i << " " << j;
      EXPECT_EQ(order == 0, i == j) << i << " " << j;
    }
  }
}

TEST(InternalKeyTest, ReverseOrderReversesUserKeysButNotVersions) {
  const KeyOrder reverse(ReverseBytewiseComparator());
  EXPECT_EQ(reverse.kind(), KeyOrder::Kind::kReverseBytewise);
  EXPECT_LT(reverse.Compare(InternalKey("b", 1), InternalKey("a", 1)), 0);
  EXPECT_LT(reverse.Compare(InternalKey("a", 2), InternalKey("a", 1)), 0);
}

TEST(InternalKeyTest, ASearchStartsBeforeEveryVersionItMaySee) {
  for (const size_t length :
       {size_t{0}, size_t{3}, size_t{112}, size_t{113}, size_t{5000}}) {
    const std::string user_key(length, 'k');
    const LookupKey lookup(user_key, 7);
    EXPECT_EQ(lookup.user_key(), Slice(user_key));
    EXPECT_EQ(lookup.sequence(), 7u);
    for (int type = 0; type <= kTypeValuePreferredSeqno; ++type) {
      const auto t = static_cast<uint8_t>(type);
      EXPECT_LE(Bytewise().Compare(lookup.internal_key(),
                                   InternalKey(user_key, 7, t)),
                0);
      EXPECT_GT(Bytewise().Compare(lookup.internal_key(),
                                   InternalKey(user_key, 8, t)),
                0);
    }
  }
}

TEST(InternalKeyTest, OnlyStoredTypesParse) {
  ParsedInternalKey parsed;
  EXPECT_FALSE(ParseInternalKey("1234567", &parsed));
  EXPECT_FALSE(ParseInternalKey(InternalKey("a", 1, 0x03), &parsed));
  EXPECT_FALSE(ParseInternalKey(InternalKey("a", 1, 0x7f), &parsed));
  const std::string merge = InternalKey("a", 5, kTypeMerge);
  ASSERT_TRUE(ParseInternalKey(merge, &parsed));
  EXPECT_EQ(parsed.user_key, Slice("a"));
  EXPECT_EQ(parsed.sequence, 5u);
  EXPECT_EQ(parsed.type, kTypeMerge);
}

TEST(InternalKeyTest, PrintsAsSstDumpPrintsIt) {
  EXPECT_EQ(InternalKeyToString(InternalKey("ab", 7)), "'6162' seq:7, type:1");
}

// The versions shown, newest first, and what comes of them.
struct Version {
  SequenceNumber sequence;
  ValueType type;
};

GetContext::State Outcome(const std::vector<Version>& versions,
                          SequenceNumber covered_by = 0) {
  PinnableSlice value;
  GetContext get(&value);
  get.CoverBy(covered_by);
  for (const Version& v : versions) {
    if (!get.Consume({"key", v.sequence, v.type}, "value", nullptr)) break;
  }
  if (get.state() == GetContext::State::kMergeReady) {
    // Operands, and no operator.
    EXPECT_TRUE(get.Finish().IsInvalidArgument());
  }
  return get.state();
}

TEST(GetContextTest, TheNewestVersionDecides) {
  using State = GetContext::State;
  EXPECT_EQ(Outcome({}), State::kAbsent);
  EXPECT_EQ(Outcome({{5, kTypeValue}, {4, kTypeDeletion}}), State::kFound);
  EXPECT_EQ(Outcome({{5, kTypeDeletion}, {4, kTypeValue}}), State::kDeleted);
  EXPECT_EQ(Outcome({{5, kTypeSingleDeletion}, {4, kTypeValue}}),
            State::kDeleted);
  EXPECT_EQ(Outcome({{5, kTypeMerge}}), State::kMerging);
  EXPECT_EQ(Outcome({{5, kTypeMerge}, {4, kTypeDeletion}}), State::kCorrupt);
  EXPECT_EQ(Outcome({{5, kTypeMerge}, {4, kTypeValue}}), State::kCorrupt);
}

TEST(GetContextTest, ARangeTombstoneHidesOlderVersions) {
  using State = GetContext::State;
  EXPECT_EQ(Outcome({{5, kTypeValue}}, 6), State::kDeleted);
  EXPECT_EQ(Outcome({{5, kTypeValue}}, 5), State::kFound);
  EXPECT_EQ(Outcome({{5, kTypeMerge}}, 4), State::kMerging);
  EXPECT_EQ(Outcome({{5, kTypeMerge}, {3, kTypeValue}}, 4), State::kCorrupt);
}

// "a" is the oldest letter shown.
std::string Merged(const std::vector<Version>& versions,
                   SequenceNumber covered_by = 0) {
  const auto append = MergeOperators::CreateStringAppendOperator();
  PinnableSlice value;
  GetContext get(&value, append.get(), "key");
  get.CoverBy(covered_by);
  for (const Version& v : versions) {
    const char letter = static_cast<char>('a' + v.sequence - 1);
    if (!get.Consume({"key", v.sequence, v.type}, Slice(&letter, 1), nullptr)) {
      break;
    }
  }
  const Status status = get.Finish();
  return status.ok() ? value.ToString() : status.ToString();
}

TEST(GetContextTest, OperandsAreMergedDownToTheirBase) {
  EXPECT_EQ(Merged({{3, kTypeMerge}, {2, kTypeMerge}, {1, kTypeValue}}),
            "a,b,c");
  EXPECT_EQ(Merged({{3, kTypeMerge}, {2, kTypeMerge}}), "b,c");
  EXPECT_EQ(Merged({{3, kTypeMerge}, {2, kTypeDeletion}, {1, kTypeValue}}),
            "c");
  EXPECT_EQ(
      Merged({{3, kTypeMerge}, {2, kTypeSingleDeletion}, {1, kTypeValue}}),
      "c");
  EXPECT_EQ(Merged({{4, kTypeMerge}, {2, kTypeMerge}, {1, kTypeValue}}, 3),
            "d");
  EXPECT_EQ(Merged({{2, kTypeMerge}, {1, kTypeValue}}, 3), "NotFound: ");
}

TEST(GetContextTest, ACoveredSourceNeedsNoOlderSources) {
  PinnableSlice value;
  GetContext get(&value);
  EXPECT_FALSE(get.needs_no_older());
  get.CoverBy(3);
  EXPECT_TRUE(get.needs_no_older());
  EXPECT_FALSE(get.done());  // the source itself may have something newer
}

TEST(GetContextTest, UnsupportedTypesAreRefusedByName) {
  for (const ValueType type :
       {kTypeBlobIndex, kTypeWideColumnEntity, kTypeDeletionWithTimestamp,
        kTypeValuePreferredSeqno, kTypeRangeDeletion}) {
    PinnableSlice value;
    GetContext get(&value);
    EXPECT_FALSE(get.Consume({"key", 5, type}, "", nullptr));
    ASSERT_TRUE(get.Finish().IsNotSupported());
    EXPECT_NE(get.Finish().message().find(ValueTypeName(type)),
              std::string::npos);
  }
}

TEST(UniqueIdTest, EqualsThatOfRocksDB) {
  const std::string id = "a648c468-aa8f-40fa-9f4a-d60d64ee0069";
  const std::string session = "S91YUSA0UY9GFF4I4CGN";
  EXPECT_EQ(MakeSessionId(553476661290, 4073920887985187351), session);
  EXPECT_EQ(Slice(TableUniqueId(id, session, 9)).ToString(true),
            "17AA668B767989384C3FB3FE9F29401E");
  EXPECT_EQ(Slice(TableUniqueId(id, session, 11)).ToString(true),
            "17AA668B767989384E3FB3FE9F29401E");
}

TEST(UniqueIdTest, IsEmptyWithoutTheProperties) {
  EXPECT_EQ(TableUniqueId("", "S91YUSA0UY9GFF4I4CGN", 9), "");
  EXPECT_EQ(TableUniqueId("id", "short", 9), "");
  EXPECT_EQ(TableUniqueId("id", "S91YUSA0UY9GFF4I4CG!", 9), "");
  EXPECT_EQ(TableUniqueId(TableProperties()), "");
}

}  // namespace
}  // namespace tamis
