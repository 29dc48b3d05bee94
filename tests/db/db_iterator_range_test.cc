// SPDX-License-Identifier: Apache-2.0
//
// Iterators and range tombstones, which may be in any place: none is missed.
// db_iterator_merge_test.cc tests random entries of all kinds.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/sst_file_reader.h"
#include "tamis/utilities/merge_operators.h"

#include "db/base/file_names.h"
#include "db/db_iterator.h"
#include "db/version/version.h"
#include "table/merging_iterator.h"
#include "tests/db/test_db.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

class DBIteratorRangeTest : public DBTest {
 protected:
  DBIteratorRangeTest() {
    options_.merge_operator = MergeOperators::CreateStringAppendOperator();
    options_.disable_auto_compactions = true;
  }
};

TEST_F(DBIteratorRangeTest, ATombstoneHidesOlderVersionsInAnySource) {
  // How deep the values, and then the tombstone, are: 0 memtable, 1 level 0,
  // 2 below.
  for (int values = 0; values <= 2; ++values) {
    for (int tombstone = 0; tombstone <= values; ++tombstone) {
      SCOPED_TRACE(std::to_string(values) + " " + std::to_string(tombstone));
      Destroy();
      Open();
      for (const char* key : {"a", "b", "c", "d", "e"}) Put(key, "1");
      Merge("c", "2");
      if (values > tombstone) Flush();
      if (values == 2 && tombstone < 2) Compact();
      const Snapshot* const before = db_->GetSnapshot();
      DeleteRange("b", "e");
      const Snapshot* const after = db_->GetSnapshot();
      Merge("c", "3");
      Put("d", "4");
      if (tombstone > 0) Flush();
      if (tombstone == 2) Compact();
      EXPECT_EQ(Contents(), "a=1 c=3 d=4 e=1");
      EXPECT_EQ(ContentsAt(after), "a=1 e=1");
      EXPECT_EQ(ContentsAt(before), "a=1 b=1 c=1,2 d=1 e=1");
      db_->ReleaseSnapshot(before);
      db_->ReleaseSnapshot(after);
    }
  }
}

TEST_F(DBIteratorRangeTest, AnIteratorDoesNotSeeLaterTombstones) {
  Open();
  Put("a", "1");
  Put("b", "1");
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  DeleteRange("a", "z");
  for (int round = 0; round < 2; ++round) {
    it->SeekToFirst();
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), Slice("a"));
    it->Next();
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), Slice("b"));
    it->Prev();
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), Slice("a"));
    EXPECT_EQ(Contents(), "");
    Flush();
    Compact();
  }
}

TEST_F(DBIteratorRangeTest, BoundsInsideATombstoneDoNotHideIt) {
  Open();
  for (const char* key : {"a", "b", "c", "d", "e", "f"}) Put(key, "1");
  Flush();
  Compact();
  DeleteRange("b", "f");
  Put("d", "2");
  for (int round = 0; round < 2; ++round) {
    const Slice lower("c");
    const Slice upper("e");
    ReadOptions options;
    options.iterate_lower_bound = &lower;
    options.iterate_upper_bound = &upper;
    EXPECT_EQ(Contents(options), "d=2");
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->Seek("c");
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), Slice("d"));
    it->SeekForPrev("c");
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), Slice("a"));
    it->SeekForPrev("e");
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), Slice("d"));
    it->Next();
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), Slice("f"));
    Flush();
  }
}

TEST_F(DBIteratorRangeTest, AFileSkippedByItsFilterStillAddsItsTombstones) {
  options_.prefix_extractor.reset(NewFixedPrefixTransform(1));
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  SetTable(table);
  Open();
  Put("b1", "old");
  Put("b2", "old");
  Flush();
  // This file holds nothing with the prefix but what deletes.
  Put("a1", "1");
  DeleteRange("b", "b2");
  Put("c1", "1");
  Flush();
  ReadOptions options;
  options.prefix_same_as_start = true;
  const std::unique_ptr<Iterator> it(db_->NewIterator(options));
  it->Seek("b1");
  ASSERT_TRUE(it->Valid()) << it->status();
  EXPECT_EQ(it->key(), Slice("b2"));
  EXPECT_GE(Tick(BLOOM_FILTER_PREFIX_USEFUL), 1u);
  it->SeekForPrev("b1");
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok());
}

TEST_F(DBIteratorRangeTest, NoFileIsOpenedForItsTombstonesAlone) {
  options_.target_file_size_base = 4 << 10;
  options_.max_open_files = 2;
  Open();
  for (int i = 0; i < 200; ++i) Put(Key(i), Noise(200, 7));
  Flush();
  // Kept by the snapshot, and so cut into the files of the level.
  const Snapshot* const snapshot = db_->GetSnapshot();
  DeleteRange(Key(1), Key(199));
  Flush();
  Compact();
  db_->ReleaseSnapshot(snapshot);
  ASSERT_GE(LiveFiles().size(), 5u);
  Reopen();
  const uint64_t before = Tick(NO_FILE_OPENS);
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  EXPECT_EQ(Tick(NO_FILE_OPENS), before);
  it->SeekToLast();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), Slice(Key(199)));
  EXPECT_EQ(Tick(NO_FILE_OPENS), before + 1);
  it->Prev();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), Slice(Key(0)));
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), Slice(Key(199)));
}

TEST_F(DBIteratorRangeTest, FilesHiddenByATombstoneAreNotOpened) {
  options_.target_file_size_base = 4 << 10;
  options_.max_open_files = 2;
  Open();
  const auto value = [](int i) { return Noise(200, static_cast<uint64_t>(i)); };
  for (int i = 0; i < 200; ++i) Put(Key(i), value(i));
  Flush();
  Compact();
  ASSERT_GE(LiveFiles().size(), 9u);
  const Snapshot* const snapshot = db_->GetSnapshot();
  // A tombstone in two pieces, with values after it and between them.
  DeleteRange(Key(1), Key(100));
  DeleteRange(Key(100), Key(199));
  Put(Key(150), "new");
  const std::string shown = Key(0) + "=" + value(0) + " " + Key(150) + "=new " +
                            Key(199) + "=" + value(199);
  for (int round = 0; round < 2; ++round) {
    const uint64_t before = Tick(NO_FILE_OPENS);
    EXPECT_EQ(Contents(), shown);
    // Forward and backward: the first and the last, and that of the tombstones.
    EXPECT_LE(Tick(NO_FILE_OPENS) - before, 6u);
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->Seek(Key(50));
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), Slice(Key(150)));
    it->SeekForPrev(Key(149));
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), Slice(Key(0)));
    it->Next();
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), Slice(Key(150)));
    EXPECT_LE(Tick(NO_FILE_OPENS) - before, 10u);
    Flush();
  }
  // A reader that does not see the tombstones sees the files.
  ReadOptions then;
  then.snapshot = snapshot;
  const std::unique_ptr<Iterator> it(db_->NewIterator(then));
  int count = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++count;
  EXPECT_EQ(count, 200);
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(DBIteratorRangeTest, AClosedTableIsIncompleteForTheCacheTier) {
  options_.max_open_files = 1;
  Open();
  Put("a", "1");
  Put("b", "1");
  Flush();
  DeleteRange("a", "b");
  Flush();
  Put("c", "1");
  Flush();
  Reopen();
  ReadOptions options;
  options.read_tier = kBlockCacheTier;
  const std::unique_ptr<Iterator> it(db_->NewIterator(options));
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsIncomplete()) << it->status();
}

TEST_F(DBIteratorRangeTest, ALoneTableAppliesItsOwnTombstones) {
  Open();
  Put("a", "1");
  Put("b", "1");
  const Snapshot* const snapshot = db_->GetSnapshot();
  DeleteRange("a", "c");
  Merge("b", "2");
  Merge("b", "3");
  Flush();
  SstFileReader reader(options_);
  const auto tables = FilesEndingIn(".sst");
  ASSERT_EQ(tables.size(), 1u);
  ASSERT_TRUE(
      reader.Open(std::string(kTestDirectory) + "/" + tables.front()).ok());
  const auto shown = [&](const ReadOptions& options) {
    const std::unique_ptr<Iterator> it(reader.NewIterator(options));
    std::string text;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      text += it->key().ToString() + "=" + it->value().ToString() + " ";
    }
    EXPECT_TRUE(it->status().ok()) << it->status();
    return text;
  };
  EXPECT_EQ(shown(ReadOptions()), "b=2,3 ");
  ReadOptions then;
  then.snapshot = snapshot;
  EXPECT_EQ(shown(then), "a=1 b=1 ");
  db_->ReleaseSnapshot(snapshot);
}

// Levels built by hand, with the versions of one key on both sides of a file
// boundary.
class AdjacentFilesTest : public testing::Test {
 protected:
  AdjacentFilesTest() : fs_(NewSimulatedFileSystem()) {
    EXPECT_TRUE(fs_->CreateDirIfMissing("/db").ok());
    context_.directory = "/db";
    context_.options.file_system = fs_;
    context_.options.clock = std::make_shared<FakeClock>();
    family_options_.table_factory.reset(NewBlockBasedTableFactory());
    tables_ =
        std::make_unique<TableCache>(context_, Bytewise(), family_options_);
  }

  void AddTable(int level, const Entries& entries,
                const std::vector<RangeTombstone>& tombstones = {}) {
    std::string bytes;
    StringWritableFile file(&bytes);
    TableBuilder builder(TableBuildOptions(Bytewise()), &file);
    for (const auto& [key, value] : entries) builder.Add(key, value);
    for (const RangeTombstone& tombstone : tombstones) {
      builder.AddRangeDeletion(tombstone.begin, tombstone.end,
                               tombstone.sequence);
    }
    ASSERT_TRUE(builder.Finish().ok());
    FileMetaData meta;
    meta.number = FileNumber(++last_number_);
    meta.size = bytes.size();
    meta.smallest = entries.front().first;
    meta.largest = entries.back().first;
    meta.smallest_seqno = kMaxSequenceNumber;
    const auto include = [&meta](SequenceNumber sequence) {
      meta.smallest_seqno = std::min(meta.smallest_seqno, sequence);
      meta.largest_seqno = std::max(meta.largest_seqno, sequence);
    };
    for (const auto& entry : entries) include(ExtractSequence(entry.first));
    for (const RangeTombstone& tombstone : tombstones) {
      include(tombstone.sequence);
    }
    ASSERT_TRUE(WriteStringToFile(fs_.get(), bytes,
                                  TableFileName("/db", meta.number), true)
                    .ok());
    levels_[Level(level)].push_back(std::make_shared<const TableFile>(meta));
  }
  const Version& NewVersion() {
    versions_.push_back(
        std::make_unique<Version>(Bytewise(), tables_.get(), levels_));
    return *versions_.back();
  }
  std::unique_ptr<Iterator> NewIterator(SequenceNumber sequence) {
    DBIteratorInputs in;
    in.sequence = sequence;
    std::vector<std::unique_ptr<InternalIterator>> children;
    NewVersion().AddIterators(ReadContext(), in.tombstones.get(), &children);
    in.entries = NewMergingIterator(Bytewise(), std::move(children));
    return NewDBIterator(Bytewise(), std::move(in));
  }
  static std::string Shown(const Iterator& it) {
    if (!it.status().ok()) return it.status().ToString();
    return it.Valid() ? it.key().ToString() : "end";
  }
  // By every way of getting anywhere, with iterators new and used.
  void ExpectShown(const std::string& keys, SequenceNumber sequence) {
    const auto used = NewIterator(sequence);
    for (const char target : std::string("abcdefklmz")) {
      const Slice key(&target, 1);
      const size_t after = keys.find_first_of(
          std::string("abcdefklmz")
              .substr(std::string("abcdefklmz").find(target)));
      const size_t before = keys.find_last_of(
          std::string("abcdefklmz")
              .substr(0, std::string("abcdefklmz").find(target) + 1));
      const auto fresh = NewIterator(sequence);
      for (Iterator* it : {fresh.get(), used.get()}) {
        std::string forward;
        for (it->Seek(key); it->Valid(); it->Next()) forward += Shown(*it);
        EXPECT_EQ(forward, after == std::string::npos ? "" : keys.substr(after))
            << target << " " << it->status();
      }
      const auto fresh_back = NewIterator(sequence);
      for (Iterator* it : {fresh_back.get(), used.get()}) {
        std::string backward;
        for (it->SeekForPrev(key); it->Valid(); it->Prev()) {
          backward.insert(0, Shown(*it));
        }
        EXPECT_EQ(backward,
                  before == std::string::npos ? "" : keys.substr(0, before + 1))
            << target << " " << it->status();
      }
    }
  }

  const std::shared_ptr<SimulatedFileSystem> fs_;
  DBContext context_;
  ColumnFamilyOptions family_options_;
  std::unique_ptr<TableCache> tables_;
  Version::Levels levels_;
  std::vector<std::unique_ptr<Version>> versions_;  // outlive their iterators
  uint64_t last_number_ = 0;
};

TEST_F(AdjacentFilesTest, ATombstoneHidesVersionsInTheNextFile) {
  AddTable(1, {{InternalKey("a", 4), ""}, {InternalKey("k", 7), ""}},
           {{"a", "zz", 5}});
  AddTable(1, {{InternalKey("k", 3), ""}, {InternalKey("m", 3), ""}});
  AddTable(2, {{InternalKey("c", 2), ""},
               {InternalKey("k", 2), ""},
               {InternalKey("l", 2), ""}});
  ExpectShown("lm", 6);
  ExpectShown("klm", 7);
  ExpectShown("acklm", 4);
  ExpectShown("ckl", 2);
}

TEST_F(AdjacentFilesTest, AnInvisibleLastVersionDoesNotHideItsFile) {
  AddTable(1, {{InternalKey("a", 4), ""}, {InternalKey("k", 7), ""}},
           {{"a", "zz", 5}});
  AddTable(2, {{InternalKey("c", 2), ""},
               {InternalKey("k", 2), ""},
               {InternalKey("l", 2), ""}});
  // The tombstone's file is the last of its level, and then it is not.
  ExpectShown("l", 6);
  AddTable(1, {{InternalKey("m", 3), ""}});
  ExpectShown("lm", 6);
}

TEST_F(AdjacentFilesTest, TombstonesOfFilesThatTheScanLeftAreReleased) {
  // Each tombstone hides the older versions below it.
  for (const char* key : {"a", "c", "e", "l"}) {
    const std::string end = std::string(key) + "z";
    AddTable(1, {{InternalKey(key, 9), ""}, {InternalKey(end, 9), ""}},
             {{key, end, 9}});
    AddTable(2, {{InternalKey(std::string(key) + "1", 3), ""}});
  }
  AddTable(2, {{InternalKey("m", 3), ""}});
  RangeDelAggregator tombstones;
  tombstones.ReadAt(10);
  std::vector<std::unique_ptr<InternalIterator>> children;
  NewVersion().AddIterators(ReadContext(), &tombstones, &children);
  InternalIterator* const level1 = children.front().get();
  EXPECT_TRUE(tombstones.empty());
  level1->Seek(InternalKey("a", 10));
  EXPECT_EQ(tombstones.Covering("a1"), 9u);
  level1->Next();
  level1->Next();
  EXPECT_EQ(tombstones.Covering("a1"), 9u);
  EXPECT_EQ(tombstones.Covering("c1"), 9u);
  level1->Next();
  level1->Next();
  EXPECT_EQ(tombstones.Covering("a1"), 0u);
  EXPECT_EQ(tombstones.Covering("c1"), 9u);
  EXPECT_EQ(tombstones.Covering("e1"), 9u);
  EXPECT_EQ(tombstones.Covering("l1"), 0u);
  level1->SeekToLast();
  EXPECT_EQ(tombstones.Covering("c1"), 0u);
  EXPECT_EQ(tombstones.Covering("l1"), 9u);
  // After the last file all tombstones are released.
  level1->Seek(InternalKey("m", 10));
  EXPECT_FALSE(level1->Valid());
  EXPECT_TRUE(tombstones.empty());
}

}  // namespace
}  // namespace tamis
