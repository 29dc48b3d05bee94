// SPDX-License-Identifier: Apache-2.0
//
// Column families: own keys, options and state, but one history.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter_policy.h"
#include "tamis/slice_transform.h"
#include "tamis/utilities/merge_operators.h"

#include "db/manifest/version_edit.h"
#include "tests/db/manifest_append.h"
#include "tests/db/test_families.h"

namespace tamis {
namespace {

class ColumnFamilyTest : public FamiliesTest {};

TEST_F(ColumnFamilyTest, EachHasItsOwnKeysAcrossFlushCompactionAndReopen) {
  MakeFamilies({"a", "b"});
  Put("default", "k", "0");
  Put("a", "k", "1");
  Put("b", "k", "2");
  Put("b", "only", "here");
  ASSERT_TRUE(db_->Delete(WriteOptions(), Family("a"), "k").ok());
  ASSERT_TRUE(db_->DeleteRange(WriteOptions(), Family("a"), "a", "z").ok());
  const std::string expected = "default: k=0 | a:  | b: k=2 only=here";
  EXPECT_EQ(AllContents(), expected);
  ReopenFamilies();
  EXPECT_EQ(AllContents(), expected);
  FlushFamily("a");
  FlushFamily("b");
  Put("b", "k", "2");
  for (const char* name : {"default", "a", "b"}) {
    ASSERT_TRUE(
        db_->CompactRange(CompactRangeOptions(), Family(name), nullptr, nullptr)
            .ok());
  }
  EXPECT_EQ(AllContents(), expected);
  ReopenFamilies();
  EXPECT_EQ(AllContents(), expected);
  EXPECT_EQ(GetIn("default", "only"), "NOT_FOUND");
}

TEST_F(ColumnFamilyTest, EachHasItsOwnOrder) {
  options_of_["down"].comparator = ReverseBytewiseComparator();
  MakeFamilies({"down", "up"});
  EXPECT_EQ(Family("down")->GetComparator(), ReverseBytewiseComparator());
  EXPECT_EQ(Family("up")->GetComparator(), BytewiseComparator());
  for (const char* key : {"a", "c", "b"}) {
    ASSERT_TRUE(PutInAll({"down", "up"}, key, "1").ok());
  }
  // A range runs in the order of its family.
  EXPECT_TRUE(db_->DeleteRange(WriteOptions(), Family("down"), "a", "b")
                  .IsInvalidArgument());
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(ContentsOf("down"), "c=1 b=1 a=1");
    EXPECT_EQ(ContentsOf("up"), "a=1 b=1 c=1");
    if (round == 0) ReopenFamilies();
    if (round == 1) FlushFamily("down");
  }
}

TEST_F(ColumnFamilyTest, EachHasItsOwnMergeOperator) {
  options_of_["append"].merge_operator =
      MergeOperators::CreateStringAppendOperator();
  MakeFamilies({"append", "none"});
  const uint64_t log = SizeOf(Logs().back());
  const SequenceNumber sequence = db_->GetLatestSequenceNumber();
  // One invalid entry, and none of the batch is applied.
  WriteBatch batch;
  ASSERT_TRUE(batch.Merge(Family("append"), "k", "1").ok());
  ASSERT_TRUE(batch.Merge(Family("none"), "k", "1").ok());
  EXPECT_TRUE(db_->Write(WriteOptions(), &batch).IsNotSupported());
  EXPECT_EQ(SizeOf(Logs().back()), log);
  EXPECT_EQ(db_->GetLatestSequenceNumber(), sequence);

  for (const char* operand : {"x", "y"}) {
    ASSERT_TRUE(
        db_->Merge(WriteOptions(), Family("append"), "k", operand).ok());
  }
  EXPECT_EQ(AllContents(), "default:  | append: k=x,y | none: ");
  ReopenFamilies();
  EXPECT_EQ(AllContents(), "default:  | append: k=x,y | none: ");
}

TEST_F(ColumnFamilyTest, EachWritesTablesByItsOwnOptions) {
  BlockBasedTableOptions table;
  table.filter_policy = nullptr;
  options_of_["plain"].table_factory.reset(NewBlockBasedTableFactory(table));
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  ColumnFamilyOptions& filtered = options_of_["filtered"];
  filtered.table_factory.reset(NewBlockBasedTableFactory(table));
  filtered.prefix_extractor.reset(NewFixedPrefixTransform(3));
  filtered.compression = kNoCompression;
  MakeFamilies({"filtered", "plain"});
  std::map<std::string, TableProperties> written;
  for (const char* name : {"filtered", "plain"}) {
    Put(name, "key", "value");
    FlushFamily(name);
    TablePropertiesCollection tables;
    ASSERT_TRUE(db_->GetPropertiesOfAllTables(Family(name), &tables).ok());
    ASSERT_EQ(tables.size(), 1u);
    written[name] = *tables.begin()->second;
    EXPECT_EQ(written[name].column_family_name, name);
    EXPECT_EQ(written[name].column_family_id, Family(name)->GetID());
  }
  EXPECT_GT(written["filtered"].filter_size, 0u);
  EXPECT_EQ(written["plain"].filter_size, 0u);
  EXPECT_EQ(written["filtered"].prefix_extractor_name, "rocksdb.FixedPrefix.3");
  EXPECT_NE(written["plain"].prefix_extractor_name, "rocksdb.FixedPrefix.3");
  EXPECT_NE(written["filtered"].compression_name,
            written["plain"].compression_name);
}

TEST_F(ColumnFamilyTest, AFullMemtableIsFlushedAlone) {
  options_of_["small"].write_buffer_size = 64 << 10;
  options_of_["small"].disable_auto_compactions = true;
  MakeFamilies({"small", "large"});
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(
        PutInAll({"small", "large", "default"}, Key(i), Noise(4000, 1)).ok());
  }
  RunJobs();
  EXPECT_GE(TablesOf("small"), 2u);
  EXPECT_EQ(TablesOf("large"), 0u);
  EXPECT_EQ(TablesOf("default"), 0u);
  EXPECT_EQ(PropertyOf("large", DB::Properties::kNumEntriesActiveMemTable),
            40u);
}

TEST_F(ColumnFamilyTest, PropertiesAndFilesArePerFamily) {
  MakeFamilies({"a", "b"});
  for (int i = 0; i < 30; ++i) {
    Put("a", Key(i), "value");
    if (i % 10 == 9) FlushFamily("a");
  }
  Put("b", "key", "value");
  const struct {
    const char* property;
    uint64_t a, b;
  } cases[] = {
      {"rocksdb.num-entries-active-mem-table", 0, 1},
      {"rocksdb.estimate-num-keys", 30, 1},
      {"rocksdb.num-immutable-mem-table", 0, 0},
      {"rocksdb.num-snapshots", 0, 0},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(PropertyOf("a", c.property), c.a) << c.property;
    EXPECT_EQ(PropertyOf("b", c.property), c.b) << c.property;
  }
  EXPECT_GT(PropertyOf("a", DB::Properties::kLiveSstFilesSize), 0u);
  EXPECT_EQ(PropertyOf("b", DB::Properties::kLiveSstFilesSize), 0u);
  std::string files;
  ASSERT_TRUE(
      db_->GetProperty(Family("a"), "rocksdb.num-files-at-level0", &files));
  EXPECT_EQ(files, "3");
  ASSERT_TRUE(
      db_->GetProperty(Family("b"), "rocksdb.num-files-at-level0", &files));
  EXPECT_EQ(files, "0");
  EXPECT_EQ(TablesOf("a"), 3u);
  EXPECT_EQ(TablesOf("b"), 0u);
  FlushFamily("b");
  EXPECT_EQ(TablesOf("b"), 1u);
}

TEST_F(ColumnFamilyTest, MultiGetReadsEachKeyFromItsFamily) {
  MakeFamilies({"a", "b"});
  Put("default", "k", "0");
  Put("a", "k", "1");
  FlushFamily("a");
  Put("b", "k", "2");
  const Snapshot* before = db_->GetSnapshot();
  ASSERT_TRUE(PutInAll({"default", "a", "b"}, "k", "new").ok());
  const std::vector<ColumnFamilyHandle*> families = {
      Family("b"), Family("a"), Family("default"), Family("a"), nullptr};
  const std::vector<Slice> keys = {"k", "k", "k", "absent", "k"};
  std::vector<std::string> values;
  ReadOptions options;
  options.snapshot = before;
  std::vector<Status> statuses =
      db_->MultiGet(options, families, keys, &values);
  EXPECT_EQ(values, (std::vector<std::string>{"2", "1", "0", "", "0"}));
  EXPECT_TRUE(statuses[3].IsNotFound());
  statuses = db_->MultiGet(ReadOptions(), families, keys, &values);
  EXPECT_EQ(values, (std::vector<std::string>{"new", "new", "new", "", "new"}));
  db_->ReleaseSnapshot(before);
  statuses = db_->MultiGet(ReadOptions(), {families[0]}, keys, &values);
  ASSERT_EQ(statuses.size(), keys.size());
  for (const Status& status : statuses) {
    EXPECT_TRUE(status.IsInvalidArgument()) << status;
  }
}

TEST_F(ColumnFamilyTest, NewIteratorsShareOneSequenceNumber) {
  MakeFamilies({"a", "b"});
  ASSERT_TRUE(PutInAll({"a", "b"}, "k", "1").ok());
  FlushFamily("a");
  std::vector<Iterator*> iterators;
  ASSERT_TRUE(
      db_->NewIterators(ReadOptions(), {Family("b"), Family("a")}, &iterators)
          .ok());
  ASSERT_EQ(iterators.size(), 2u);
  ASSERT_TRUE(PutInAll({"a", "b"}, "k", "2").ok());
  FlushFamily("b");
  for (Iterator* it : iterators) {
    EXPECT_EQ(Scan(it), "k=1");
    delete it;
  }
}

TEST_F(ColumnFamilyTest, ASnapshotCoversAllFamilies) {
  MakeFamilies({"a", "b"});
  ASSERT_TRUE(PutInAll({"a", "b"}, "k", "1").ok());
  const Snapshot* snapshot = db_->GetSnapshot();
  ASSERT_TRUE(PutInAll({"a", "b"}, "k", "2").ok());
  ASSERT_TRUE(PutInAll({"a", "b"}, "l", "2").ok());
  for (const char* name : {"a", "b"}) {
    FlushFamily(name);
    ASSERT_TRUE(
        db_->CompactRange(CompactRangeOptions(), Family(name), nullptr, nullptr)
            .ok());
    EXPECT_EQ(ContentsOf(name, snapshot), "k=1");
    EXPECT_EQ(GetIn(name, "k", snapshot), "1");
    EXPECT_EQ(ContentsOf(name), "k=2 l=2");
  }
  db_->ReleaseSnapshot(snapshot);
}

// Whole batches, a prefix of history, wherever the power fails: in the log, or
// while one of the families is being flushed.
TEST_F(ColumnFamilyTest, ABatchAcrossFamiliesIsAtomicAfterAPowerFailure) {
  const Names all = {"default", "a", "b"};
  bool whole_run = false;
  for (uint64_t cut = 1; !whole_run; cut += 2) {
    SCOPED_TRACE("power fails at call " + std::to_string(cut));
    MakeFamilies({"a", "b"});
    const uint64_t begin = fs_->calls();
    fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
      if (call.number == begin + cut) fs_->CutPower();
      return Status::OK();
    });
    int acknowledged = 0;
    WriteOptions sync;
    sync.sync = true;
    for (int i = 0; i < 6; ++i) {
      if (!PutInAll(all, Key(i), std::to_string(i), sync).ok()) break;
      acknowledged = i + 1;
      if (i == 2) {
        db_->Flush(FlushOptions(), Family("a")).PermitUncheckedError();
      }
      if (i == 4) {
        db_->Flush(FlushOptions(), Family("b")).PermitUncheckedError();
      }
    }
    whole_run = fs_->calls() < begin + cut;
    PowerCut(cut);
    ReopenFamilies();
    const std::string contents = ContentsOf("default");
    EXPECT_EQ(ContentsOf("a"), contents);
    EXPECT_EQ(ContentsOf("b"), contents);
    for (int i = 0; i < acknowledged; ++i) {
      EXPECT_EQ(GetIn("a", Key(i)), std::to_string(i));
    }
    CloseAll();
    ASSERT_TRUE(DestroyDB(kTestDirectory, options_).ok());
  }
}

// The id after the largest would be that of the default family.
TEST_F(ColumnFamilyTest, NoFamilyIsCreatedWhenIdsRunOut) {
  MakeFamilies({"a"});
  Put("default", "k", "0");
  CloseAll();
  VersionEdit edit;
  edit.max_column_family = FamilyId(UINT32_MAX);
  AppendToManifest(fs_.get(), kTestDirectory, edit);
  for (int i = 0; i < 2; ++i) {
    ReopenFamilies();
    const Status status = TryCreate("b");
    EXPECT_TRUE(status.IsNotSupported()) << status;
    Put("default", "k", std::to_string(i));
    EXPECT_EQ(AllContents(), "default: k=" + std::to_string(i) + " | a: ");
  }
}

}  // namespace
}  // namespace tamis
