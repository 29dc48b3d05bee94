// SPDX-License-Identifier: Apache-2.0
#include "db/version/level_iterator.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "db/base/file_names.h"
#include "tests/db/version/table_directory.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

// Tables 1, 2, ... of a level, with the user keys that are named.
class LevelIteratorTest : public TableDirectoryTest {
 protected:
  void AddTable(const std::vector<std::string>& keys) {
    Entries entries;
    for (const std::string& key : keys) {
      entries.emplace_back(InternalKey(key, 7), "value of " + key);
    }
    const std::string bytes =
        BuildTable(TableBuildOptions(Bytewise()), entries);
    files_.push_back(std::make_shared<const TableFile>(
        WriteTable(bytes, entries.front().first, entries.back().first)));
  }
  std::unique_ptr<InternalIterator> NewIterator(
      const ReadContext& context = ReadContext()) {
    indexes_.push_back(std::make_unique<LevelIndex>(Bytewise(), files_));
    return NewLevelIterator(*indexes_.back(), tables_.get(), context);
  }
  static std::string Shown(const InternalIterator& it) {
    if (!it.status().ok()) return it.status().ToString();
    return it.Valid() ? ExtractUserKey(it.key()).ToString() : "end";
  }

  const std::unique_ptr<TableCache> tables_ =
      std::make_unique<TableCache>(context_, Bytewise(), family_options_);
  LevelFiles files_;
  std::vector<std::unique_ptr<LevelIndex>> indexes_;
};

TEST_F(LevelIteratorTest, ScansAcrossFilesInBothDirections) {
  AddTable({"a", "b"});
  AddTable({"d"});
  AddTable({"f", "g", "h"});
  const auto it = NewIterator();
  EXPECT_FALSE(it->Valid());
  std::string forward;
  for (it->SeekToFirst(); it->Valid(); it->Next()) forward += Shown(*it);
  EXPECT_EQ(forward, "abdfgh");
  EXPECT_TRUE(it->status().ok());
  std::string backward;
  for (it->SeekToLast(); it->Valid(); it->Prev()) backward += Shown(*it);
  EXPECT_EQ(backward, "hgfdba");
  EXPECT_TRUE(it->status().ok());
  it->Seek(InternalKey("d", kMaxSequenceNumber));
  ASSERT_EQ(Shown(*it), "d");
  EXPECT_EQ(it->value(), Slice("value of d"));
  it->Next();
  EXPECT_EQ(Shown(*it), "f");
  it->Prev();
  EXPECT_EQ(Shown(*it), "d");
  it->Prev();
  EXPECT_EQ(Shown(*it), "b");
  it->Next();
  EXPECT_EQ(Shown(*it), "d");
}

TEST_F(LevelIteratorTest, SeeksLandInGapsAndAtEnds) {
  AddTable({"b", "c"});
  AddTable({"e"});
  AddTable({"g", "h"});
  const auto it = NewIterator();
  const struct {
    const char* key;
    SequenceNumber sequence;
    const char* seek;
    const char* seek_for_prev;
  } cases[] = {
      {"a", 9, "b", "end"}, {"b", 9, "b", "end"}, {"b", 7, "b", "b"},
      {"b", 1, "c", "b"},   {"c", 1, "e", "c"},   {"d", 9, "e", "c"},
      {"e", 9, "e", "c"},   {"e", 7, "e", "e"},   {"f", 9, "g", "e"},
      {"h", 7, "h", "h"},   {"h", 1, "end", "h"}, {"z", 9, "end", "h"},
  };
  for (const auto& c : cases) {
    it->Seek(InternalKey(c.key, c.sequence));
    EXPECT_EQ(Shown(*it), c.seek) << c.key << c.sequence;
    it->SeekForPrev(InternalKey(c.key, c.sequence));
    EXPECT_EQ(Shown(*it), c.seek_for_prev) << c.key << c.sequence;
  }
}

TEST_F(LevelIteratorTest, OpensFilesWhenTheScanReachesThem) {
  AddTable({"a"});
  AddTable({"b"});
  AddTable({"c"});
  const auto it = NewIterator();
  EXPECT_EQ(Opened(), 0u);
  it->Seek(InternalKey("b", 9));
  EXPECT_EQ(Opened(), 1u);
  it->Next();
  EXPECT_EQ(Shown(*it), "c");
  EXPECT_EQ(Opened(), 2u);
}

TEST_F(LevelIteratorTest, AnUnreadableFileStopsTheScanWithItsError) {
  AddTable({"a"});
  AddTable({"b"});
  AddTable({"c"});
  ASSERT_TRUE(
      fs_->SetContents(TableFileName("/db", FileNumber(2)), "no table").ok());
  const auto it = NewIterator();
  it->SeekToFirst();
  ASSERT_EQ(Shown(*it), "a");
  it->Next();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsCorruption()) << it->status();
  it->SeekToLast();
  ASSERT_EQ(Shown(*it), "c");
  it->Prev();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsCorruption()) << it->status();
  // A failure is not remembered.
  it->Seek(InternalKey("c", 9));
  EXPECT_EQ(Shown(*it), "c");
  ASSERT_TRUE(fs_->RemoveFile(TableFileName("/db", FileNumber(2))).ok());
  it->Seek(InternalKey("b", 9));
  EXPECT_TRUE(it->status().IsPathNotFound()) << it->status();
}

TEST_F(LevelIteratorTest, TheCacheTierOpensNoFile) {
  AddTable({"a"});
  ReadContext memory;
  memory.tier = kBlockCacheTier;
  const auto it = NewIterator(memory);
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsIncomplete()) << it->status();
  EXPECT_EQ(Opened(), 0u);
}

}  // namespace
}  // namespace tamis
