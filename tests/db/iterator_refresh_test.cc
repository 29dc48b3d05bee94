// SPDX-License-Identifier: Apache-2.0
//
// Iterator::Refresh: what it shows afterwards, and what it no longer pins.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tamis/sst_file_reader.h"
#include "tamis/sst_file_writer.h"

#include "tests/db/test_families.h"

namespace tamis {
namespace {

using IteratorRefreshTest = FamiliesTest;

TEST_F(IteratorRefreshTest, ShowsWhatWasWrittenSince) {
  Open();
  Put("a", "1");
  Put("b", "1");
  Put("c", "1");
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->Seek("b");
  ASSERT_TRUE(it->Valid());
  Delete("b");
  ASSERT_TRUE(db_->DeleteRange(WriteOptions(), "c", "d").ok());
  Put("d", "2");
  EXPECT_EQ(it->key(), Slice("b"));
  ASSERT_TRUE(it->Refresh().ok());
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok());
  EXPECT_EQ(Scan(it.get()), "a=1 d=2");
  // In tables, and in the other direction.
  Flush();
  Put("e", "3");
  ASSERT_TRUE(it->Refresh().ok());
  it->SeekToLast();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), Slice("e"));
  it->Prev();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), Slice("d"));
  Compact();
  ASSERT_TRUE(it->Refresh().ok());
  EXPECT_EQ(Scan(it.get()), "a=1 d=2 e=3");
}

TEST_F(IteratorRefreshTest, KeepsItsBounds) {
  Open();
  for (const char* key : {"a", "b", "c", "d"}) Put(key, "1");
  const Slice lower("b");
  const Slice upper("d");
  ReadOptions options;
  options.iterate_lower_bound = &lower;
  options.iterate_upper_bound = &upper;
  const std::unique_ptr<Iterator> it(db_->NewIterator(options));
  Put("bb", "2");
  ASSERT_TRUE(it->Refresh().ok());
  EXPECT_EQ(Scan(it.get()), "b=1 bb=2 c=1");
}

TEST_F(IteratorRefreshTest, ReleasesTheTablesItPinned) {
  options_.disable_auto_compactions = true;
  Open();
  for (const char* key : {"a", "b", "c"}) {
    Put(key, "1");
    Flush();
  }
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  Compact();
  EXPECT_EQ(TablesOnDisk(), 4u);  // the new one, and three that are pinned
  ASSERT_TRUE(it->Refresh().ok());
  EXPECT_EQ(TablesOnDisk(), 1u);
  EXPECT_EQ(Scan(it.get()), "a=1 b=1 c=1");
}

TEST_F(IteratorRefreshTest, OfASnapshotIsRefused) {
  Open();
  Put("a", "1");
  ReadOptions options;
  options.snapshot = db_->GetSnapshot();
  const std::unique_ptr<Iterator> it(db_->NewIterator(options));
  Put("b", "2");
  it->SeekToFirst();
  EXPECT_TRUE(it->Refresh().IsNotSupported());
  EXPECT_TRUE(it->Valid());
  EXPECT_EQ(Scan(it.get()), "a=1");
  db_->ReleaseSnapshot(options.snapshot);
}

TEST_F(IteratorRefreshTest, OfADroppedFamilyWorks) {
  MakeFamilies({"a"});
  Put("a", "k", "1");
  const std::unique_ptr<Iterator> it(
      db_->NewIterator(ReadOptions(), Family("a")));
  Put("a", "l", "2");
  Drop("a");
  ASSERT_TRUE(it->Refresh().ok());
  EXPECT_EQ(Scan(it.get()), "k=1 l=2");
}

TEST_F(IteratorRefreshTest, AfterCloseIsRefused) {
  Open();
  Put("a", "1");
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  ASSERT_TRUE(db_->Close().ok());
  EXPECT_TRUE(it->Refresh().IsShutdownInProgress());
  const std::unique_ptr<Iterator> failed(db_->NewIterator(ReadOptions()));
  EXPECT_TRUE(failed->Refresh().IsNotSupported());
}

TEST_F(IteratorRefreshTest, ClearsTheError) {
  Open();
  Put("a", "1");
  Flush();
  Reopen();  // no block is resident
  ReadOptions options;
  options.read_tier = kBlockCacheTier;
  const std::unique_ptr<Iterator> it(db_->NewIterator(options));
  it->SeekToFirst();
  ASSERT_TRUE(it->status().IsIncomplete()) << it->status();
  ASSERT_TRUE(it->Refresh().ok());
  EXPECT_TRUE(it->status().ok());
  EXPECT_FALSE(it->Valid());
}

TEST_F(IteratorRefreshTest, OfATableFileIsRefused) {
  const std::string path = "/parent/1.sst";
  SstFileWriter writer(options_);
  ASSERT_TRUE(writer.Open(path).ok());
  ASSERT_TRUE(writer.Put("a", "1").ok());
  ASSERT_TRUE(writer.Finish().ok());
  SstFileReader reader(options_);
  ASSERT_TRUE(reader.Open(path).ok());
  const std::unique_ptr<Iterator> it(reader.NewIterator(ReadOptions()));
  EXPECT_TRUE(it->Refresh().IsNotSupported());
  EXPECT_EQ(Scan(it.get()), "a=1");
}

}  // namespace
}  // namespace tamis
