// SPDX-License-Identifier: Apache-2.0
//
// The effective parts of a table's range tombstones, which may exceed the
// file's extent in the MANIFEST.
#include "db/version/table_cache.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "db/base/file_names.h"
#include "tests/db/version/table_directory.h"
#include "tests/support/comparators.h"
#include "tests/support/string_files.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

class TableCacheTest : public TableDirectoryTest {
 protected:
  // A table that holds m and these, and spans what is said.
  std::unique_ptr<TableFile> AddTable(
      const std::vector<RangeTombstone>& tombstones,
      const std::string& smallest, const std::string& largest,
      const KeyOrder& order = Bytewise()) {
    std::string bytes;
    StringWritableFile file(&bytes);
    TableBuilder builder(TableBuildOptions(order), &file);
    builder.Add(InternalKey("m", 2), "value");
    for (const RangeTombstone& t : tombstones) {
      builder.AddRangeDeletion(t.begin, t.end, t.sequence);
    }
    EXPECT_EQ(builder.Finish(), Status::OK());
    return std::make_unique<TableFile>(WriteTable(bytes, smallest, largest));
  }
  // "a-c@5", the fragments that the cache gives; "none"; or the error.
  std::string Shown(const TableCache& cache, const TableFile& file,
                    ReadTier tier = kReadAllTier) {
    const auto got = cache.RangeTombstones(file, tier);
    if (!got.ok()) return got.status().ToString();
    if (*got == nullptr) return "none";
    std::string text;
    for (size_t i = 0; i < (*got)->size(); ++i) {
      const auto fragment = (*got)->at(i);
      text += (i == 0 ? "" : " ") + fragment.begin.ToString() + "-" +
              fragment.end.ToString() + "@" +
              std::to_string(fragment.sequences[0]);
    }
    return text;
  }
  std::string Clipped(const std::vector<RangeTombstone>& tombstones,
                      const std::string& smallest, const std::string& largest,
                      const KeyOrder& order = Bytewise()) {
    const TableCache cache(context_, order, family_options_);
    return Shown(cache, *AddTable(tombstones, smallest, largest, order));
  }
};

// Where a tombstone that ends at the key ends a file.
std::string Sentinel(const Slice& key) {
  return InternalKey(key, kMaxSequenceNumber, kTypeRangeDeletion);
}

TEST_F(TableCacheTest, TombstonesAreClippedToTheBoundsOfTheFile) {
  const std::string c = InternalKey("c", 9, kTypeRangeDeletion);
  const std::string m = InternalKey("m", 2);
  EXPECT_EQ(Clipped({{"c", "p", 9}}, c, Sentinel("p")), "c-p@9");
  EXPECT_EQ(Clipped({{"a", "z", 9}}, c, Sentinel("p")), "c-p@9");
  EXPECT_EQ(Clipped({{"a", "d", 9}, {"n", "z", 8}}, c, Sentinel("p")),
            "c-d@9 n-p@8");
  EXPECT_EQ(Clipped({{"a", "b", 9}, {"q", "z", 8}}, c, Sentinel("p")), "none");
  EXPECT_EQ(Clipped({}, m, m), "none");
}

TEST_F(TableCacheTest, TheLastKeyOfAFileIsCoveredUnlessATombstoneEndsThere) {
  const TableCache cache(context_, Bytewise(), family_options_);
  const std::string c = InternalKey("c", 9, kTypeRangeDeletion);
  for (const bool sentinel : {false, true}) {
    const auto file = AddTable({{"a", "z", 9}}, c,
                               sentinel ? Sentinel("m") : InternalKey("m", 2));
    const auto got = cache.RangeTombstones(*file);
    ASSERT_TRUE(got.ok()) << got.status();
    ASSERT_NE(*got, nullptr);
    EXPECT_EQ((*got)->Covering("l", 10), 9u);
    EXPECT_EQ((*got)->Covering("m", 10), sentinel ? 0u : 9u);
    EXPECT_EQ((*got)->Covering(std::string("m\0", 2), 10), 0u);
  }
}

TEST_F(TableCacheTest, WhereNoNextKeyIsKnownWideTombstonesAreRefused) {
  const Backwards backwards;
  const KeyOrder order(&backwards);
  const std::string p = InternalKey("p", 9, kTypeRangeDeletion);
  EXPECT_EQ(Clipped({{"z", "a", 9}}, p, Sentinel("c"), order), "p-c@9");
  EXPECT_EQ(Clipped({{"z", "m", 9}}, p, InternalKey("m", 2), order), "p-m@9");
  const std::string refused =
      Clipped({{"z", "a", 9}}, p, InternalKey("m", 2), order);
  EXPECT_NE(refused.find("after the last key"), std::string::npos) << refused;
  EXPECT_NE(refused.find(order.user_comparator()->Name()), std::string::npos)
      << refused;
}

TEST_F(TableCacheTest, InReverseOrderTheLastKeyIsCovered) {
  const KeyOrder order(ReverseBytewiseComparator());
  const std::string p = InternalKey("p", 9, kTypeRangeDeletion);
  const std::string m("m\0", 2);
  EXPECT_EQ(Clipped({{"z", "a", 9}}, p, InternalKey(m, 2), order), "p-m@9");
  EXPECT_EQ(Clipped({{"z", "m", 9}}, p, InternalKey("m", 2), order), "p-m@9");
  EXPECT_EQ(Clipped({{"z", "a", 9}}, p, InternalKey("m", 2), order),
            "p-l" + std::string(256, '\xff') + "@9");
}

TEST_F(TableCacheTest, TombstonesAreReadOnceAndOutliveTheReader) {
  context_.open_tables = std::make_unique<OpenTables>(1);
  const TableCache cache(context_, Bytewise(), family_options_);
  const auto first =
      AddTable({{"c", "p", 9}}, InternalKey("c", 9), Sentinel("p"));
  const auto second =
      AddTable({{"d", "q", 9}}, InternalKey("d", 9), Sentinel("q"));
  EXPECT_TRUE(
      cache.RangeTombstones(*first, kBlockCacheTier).status().IsIncomplete());
  EXPECT_EQ(Opened(), 0u);
  EXPECT_EQ(Shown(cache, *first), "c-p@9");
  EXPECT_EQ(Shown(cache, *second), "d-q@9");
  EXPECT_FALSE(first->FindReader());
  EXPECT_EQ(Opened(), 2u);
  EXPECT_EQ(Shown(cache, *first, kBlockCacheTier), "c-p@9");
  EXPECT_EQ(Opened(), 2u);
  ASSERT_TRUE(cache.Reader(*first).ok());
  EXPECT_EQ(first->range_tombstones_if_open()->size(), 1u);
}

TEST_F(TableCacheTest, ADamagedBlockOfTombstonesFailsTheOpen) {
  const TableCache cache(context_, Bytewise(), family_options_);
  const auto file = AddTable({{"cccccccc", "p", 9}}, InternalKey("cccccccc", 9),
                             Sentinel("p"));
  const std::string path = TableFileName("/db", file->meta.number);
  std::string bytes;
  ASSERT_TRUE(fs_->GetContents(path, &bytes).ok());
  bytes[bytes.find("cccccccc")] ^= 1;
  ASSERT_TRUE(fs_->SetContents(path, bytes).ok());
  EXPECT_TRUE(cache.RangeTombstones(*file).status().IsCorruption());
  EXPECT_TRUE(cache.Reader(*file).status().IsCorruption());
}

}  // namespace
}  // namespace tamis
