// SPDX-License-Identifier: Apache-2.0
#include "tamis/utilities/write_batch_with_index.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/merge_operators.h"

#include "tests/db/test_families.h"
#include "tests/support/effort.h"
#include "util/base/random.h"

namespace tamis {
namespace {

std::string Shown(WBWIIterator* entries) {
  static const char* const kNames[] = {"put", "merge", "delete", "single"};
  const WriteEntry entry = entries->Entry();
  std::string text =
      std::string(kNames[entry.type]) + " " + entry.key.ToString();
  if (!entry.value.empty()) text += "=" + entry.value.ToString();
  return text;
}

using Lines = std::vector<std::string>;

Lines AllEntries(const WriteBatchWithIndex& batch) {
  Lines lines;
  const std::unique_ptr<WBWIIterator> entries(batch.NewIterator());
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    lines.push_back(Shown(entries.get()));
  }
  Lines backwards;
  for (entries->SeekToLast(); entries->Valid(); entries->Prev()) {
    backwards.insert(backwards.begin(), Shown(entries.get()));
  }
  EXPECT_EQ(backwards, lines);
  return lines;
}

void AddSome(WriteBatchWithIndex* batch) {
  ASSERT_EQ(batch->Put("b", "1"), Status::OK());
  ASSERT_EQ(batch->Merge("a", "x"), Status::OK());
  ASSERT_EQ(batch->Put("b", "2"), Status::OK());
  ASSERT_EQ(batch->Merge("b", "y"), Status::OK());
  ASSERT_EQ(batch->Delete("c"), Status::OK());
  ASSERT_EQ(batch->SingleDelete("d"), Status::OK());
  ASSERT_EQ(batch->Merge("a", "z"), Status::OK());
}

TEST(WriteBatchWithIndexTest, EntriesAreInOrderOfKeysAndAddition) {
  WriteBatchWithIndex batch;
  AddSome(&batch);
  EXPECT_EQ(AllEntries(batch),
            (Lines{"merge a=x", "merge a=z", "put b=1", "put b=2", "merge b=y",
                   "delete c", "single d"}));
  EXPECT_EQ(batch.GetWriteBatch()->Count(), 7u);
}

TEST(WriteBatchWithIndexTest, OverwriteKeyShowsTheNewestAndWhatItMergesInto) {
  WriteBatchWithIndex batch(BytewiseComparator(), 0, /*overwrite_key=*/true);
  AddSome(&batch);
  EXPECT_EQ(AllEntries(batch), (Lines{"merge a=x", "merge a=z", "put b=2",
                                      "merge b=y", "delete c", "single d"}));
  ASSERT_EQ(batch.Put("b", "3"), Status::OK());
  EXPECT_EQ(AllEntries(batch), (Lines{"merge a=x", "merge a=z", "put b=3",
                                      "delete c", "single d"}));
}

TEST(WriteBatchWithIndexTest, EntriesAreSought) {
  WriteBatchWithIndex batch;
  AddSome(&batch);
  const std::unique_ptr<WBWIIterator> entries(batch.NewIterator());
  EXPECT_FALSE(entries->Valid());
  entries->Seek("b");
  EXPECT_EQ(Shown(entries.get()), "put b=1");
  entries->Seek("bb");
  EXPECT_EQ(Shown(entries.get()), "delete c");
  entries->Seek("e");
  EXPECT_FALSE(entries->Valid());
  entries->SeekForPrev("b");
  EXPECT_EQ(Shown(entries.get()), "merge b=y");
  entries->SeekForPrev("9");
  EXPECT_FALSE(entries->Valid());
  entries->SeekForPrev("z");
  EXPECT_EQ(Shown(entries.get()), "single d");
  entries->Next();
  EXPECT_FALSE(entries->Valid());
  EXPECT_EQ(entries->status(), Status::OK());
}

TEST(WriteBatchWithIndexTest, GetFromBatchSaysWhatTheBatchAloneSays) {
  WriteBatchWithIndex batch;
  AddSome(&batch);
  std::string value;
  EXPECT_TRUE(batch.GetFromBatch(DBOptions(), "none", &value).IsNotFound());
  EXPECT_TRUE(batch.GetFromBatch(DBOptions(), "c", &value).IsNotFound());
  EXPECT_TRUE(batch.GetFromBatch(DBOptions(), "d", &value).IsNotFound());
  EXPECT_TRUE(batch.GetFromBatch(DBOptions(), "a", &value).IsMergeInProgress());
  EXPECT_TRUE(batch.GetFromBatch(DBOptions(), "b", &value).IsMergeInProgress());
  ASSERT_EQ(batch.Put("b", "3"), Status::OK());
  EXPECT_EQ(batch.GetFromBatch(DBOptions(), "b", &value), Status::OK());
  EXPECT_EQ(value, "3");
}

TEST(WriteBatchWithIndexTest, DeletionsOfRangesAreRefused) {
  WriteBatchWithIndex batch;
  EXPECT_TRUE(batch.DeleteRange("a", "b").IsNotSupported());
  EXPECT_TRUE(batch.DeleteRange(nullptr, "a", "b").IsNotSupported());
  EXPECT_EQ(batch.GetWriteBatch()->Count(), 0u);
}

TEST(WriteBatchWithIndexTest, AChangeBeyondTheLimitIsNotIndexed) {
  WriteBatchWithIndex batch;
  ASSERT_EQ(batch.Put("a", "1"), Status::OK());
  batch.SetMaxBytes(batch.GetDataSize() + 3);
  EXPECT_TRUE(batch.Put("b", "2").IsMemoryLimit());
  EXPECT_EQ(AllEntries(batch), Lines{"put a=1"});
}

TEST(WriteBatchWithIndexTest, SavePointsAreReturnedTo) {
  WriteBatchWithIndex batch;
  EXPECT_TRUE(batch.RollbackToSavePoint().IsNotFound());
  ASSERT_EQ(batch.Put("a", "1"), Status::OK());
  batch.SetSavePoint();
  ASSERT_EQ(batch.Put("a", "2"), Status::OK());
  batch.SetSavePoint();
  ASSERT_EQ(batch.Delete("a"), Status::OK());
  ASSERT_EQ(batch.PutLogData("log"), Status::OK());
  EXPECT_EQ(batch.RollbackToSavePoint(), Status::OK());
  EXPECT_EQ(AllEntries(batch), (Lines{"put a=1", "put a=2"}));
  batch.SetSavePoint();
  ASSERT_EQ(batch.Put("b", "3"), Status::OK());
  EXPECT_EQ(batch.PopSavePoint(), Status::OK());
  EXPECT_EQ(batch.RollbackToSavePoint(), Status::OK());
  EXPECT_EQ(AllEntries(batch), Lines{"put a=1"});
  EXPECT_EQ(batch.GetWriteBatch()->Count(), 1u);
  batch.Clear();
  EXPECT_EQ(AllEntries(batch), Lines{});
  ASSERT_EQ(batch.Put("c", "4"), Status::OK());
  EXPECT_EQ(AllEntries(batch), Lines{"put c=4"});
}

TEST(WriteBatchWithIndexTest, ItMoves) {
  WriteBatchWithIndex batch;
  AddSome(&batch);
  WriteBatchWithIndex moved(std::move(batch));
  ASSERT_EQ(moved.Put("e", "5"), Status::OK());
  EXPECT_EQ(AllEntries(moved).size(), 8u);
  WriteBatchWithIndex assigned;
  assigned = std::move(moved);
  EXPECT_EQ(AllEntries(assigned).back(), "put e=5");
}

class IndexedReadsTest : public FamiliesTest {
 protected:
  IndexedReadsTest() {
    options_.merge_operator = MergeOperators::CreateStringAppendOperator();
  }
};

TEST_F(IndexedReadsTest, EachFamilyHasItsOwnOrder) {
  options_.comparator = ReverseBytewiseComparator();
  MakeFamilies({"f"});
  ColumnFamilyHandle* const family = handles_["f"].get();
  WriteBatchWithIndex batch;
  ASSERT_EQ(batch.Put("a", "default"), Status::OK());
  ASSERT_EQ(batch.Put(family, "a", "1"), Status::OK());
  ASSERT_EQ(batch.Put(family, "b", "2"), Status::OK());
  const std::unique_ptr<WBWIIterator> entries(batch.NewIterator(family));
  entries->SeekToFirst();
  EXPECT_EQ(Shown(entries.get()), "put b=2");
  entries->Seek("aa");
  EXPECT_EQ(Shown(entries.get()), "put a=1");
  std::string value;
  EXPECT_EQ(batch.GetFromBatch(family, DBOptions(), "b", &value), Status::OK());
  EXPECT_EQ(value, "2");
}

TEST_F(IndexedReadsTest, OperandsOfAFamilyWithoutAnOperatorAreAnError) {
  options_.merge_operator = nullptr;
  OpenFamilies({});
  WriteBatchWithIndex batch;
  ASSERT_EQ(batch.Merge("a", "x"), Status::OK());
  std::string value;
  EXPECT_TRUE(batch.GetFromBatchAndDB(db_.get(), ReadOptions(), "a", &value)
                  .IsNotSupported());
  const std::unique_ptr<Iterator> iterator(
      batch.NewIteratorWithBase(db_->NewIterator(ReadOptions())));
  iterator->SeekToFirst();
  EXPECT_FALSE(iterator->Valid());
  EXPECT_TRUE(iterator->status().IsNotSupported());
}

TEST_F(IndexedReadsTest, AnIteratorKeepsItsBytesAndShowsLaterChanges) {
  OpenFamilies({});
  Put("m", "base");
  WriteBatchWithIndex batch;
  ASSERT_EQ(batch.Put("a", "1"), Status::OK());
  const std::unique_ptr<Iterator> iterator(
      batch.NewIteratorWithBase(db_->NewIterator(ReadOptions())));
  iterator->SeekToFirst();
  const Slice key = iterator->key();
  const Slice value = iterator->value();
  batch.SetSavePoint();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(batch.Put("b" + Key(i), Noise(100, 1)), Status::OK());
  }
  EXPECT_EQ(key, "a");
  EXPECT_EQ(value, "1");
  iterator->Next();
  EXPECT_EQ(iterator->key(), "b" + Key(0));
  ASSERT_EQ(batch.RollbackToSavePoint(), Status::OK());
  iterator->Next();
  EXPECT_EQ(iterator->key(), "m");
  ASSERT_EQ(batch.Put("n", "2"), Status::OK());
  iterator->Next();
  ASSERT_TRUE(iterator->Valid());
  EXPECT_EQ(iterator->key(), "n");
  batch.Clear();
  iterator->Prev();
  ASSERT_TRUE(iterator->Valid());
  EXPECT_EQ(iterator->key(), "m");
  iterator->Prev();
  EXPECT_FALSE(iterator->Valid());
}

TEST_F(IndexedReadsTest, MultiGetKeepsTheCallersBuffers) {
  OpenFamilies({});
  Put("small", "s");
  Put("large", Noise(4000, 2));
  Flush();
  WriteBatchWithIndex batch;
  ASSERT_EQ(batch.Put("in batch", "b"), Status::OK());
  std::string buffer;
  PinnableSlice values[] = {PinnableSlice(&buffer), PinnableSlice(),
                            PinnableSlice()};
  const Slice keys[] = {"small", "large", "in batch"};
  Status statuses[3];
  batch.MultiGetFromBatchAndDB(db_.get(), ReadOptions(),
                               db_->DefaultColumnFamily(), 3, keys, values,
                               statuses, false);
  for (const Status& status : statuses) EXPECT_EQ(status, Status::OK());
  EXPECT_EQ(buffer, "s");
  EXPECT_EQ(values[0], "s");
  EXPECT_EQ(values[1], Noise(4000, 2));
  EXPECT_EQ(values[2], "b");
}

// A batch beside a model: the database's entries with the changes applied.
class IndexedModelTest : public IndexedReadsTest,
                         public testing::WithParamInterface<uint64_t> {
 protected:
  using Model = std::map<std::string, std::string>;

  IndexedModelTest() : random_(GetParam()) {}

  std::string RandomKey() { return "k" + std::to_string(random_.Uniform(30)); }

  // Changes the batch and the model alike.
  void Change(WriteBatchWithIndex* batch, Model* model) {
    const std::string key = RandomKey();
    const std::string value = std::to_string(random_.Uniform(1000));
    switch (random_.Uniform(4)) {
      case 0:
        ASSERT_EQ(batch->Put(key, value), Status::OK());
        (*model)[key] = value;
        break;
      case 1:
        ASSERT_EQ(batch->Delete(key), Status::OK());
        model->erase(key);
        break;
      default: {
        ASSERT_EQ(batch->Merge(db_->DefaultColumnFamily(), key, value),
                  Status::OK());
        std::string& merged = (*model)[key];
        merged += merged.empty() ? value : "," + value;
      }
    }
  }

  void CheckReads(const WriteBatchWithIndex& batch, const Model& model) {
    std::vector<Slice> keys;
    std::vector<std::string> names;
    for (int i = 0; i < 31; ++i) names.push_back("k" + std::to_string(i));
    for (const std::string& name : names) keys.emplace_back(name);
    std::vector<PinnableSlice> values(keys.size());
    std::vector<Status> statuses(keys.size());
    batch.MultiGetFromBatchAndDB(
        db_.get(), ReadOptions(), db_->DefaultColumnFamily(), keys.size(),
        keys.data(), values.data(), statuses.data(), false);
    for (size_t i = 0; i < keys.size(); ++i) {
      std::string value;
      const Status status =
          batch.GetFromBatchAndDB(db_.get(), ReadOptions(), keys[i], &value);
      const auto found = model.find(names[i]);
      ASSERT_EQ(status.ok(), found != model.end()) << names[i] << status;
      ASSERT_EQ(statuses[i], status);
      if (!status.ok()) continue;
      ASSERT_EQ(value, found->second) << names[i];
      ASSERT_EQ(values[i], found->second) << names[i];
    }
  }

  static void ExpectAt(const Iterator& iterator, const Model& model,
                       Model::const_iterator at) {
    ASSERT_EQ(iterator.status(), Status::OK());
    ASSERT_EQ(iterator.Valid(), at != model.end());
    if (at == model.end()) return;
    ASSERT_EQ(iterator.key(), at->first);
    ASSERT_EQ(iterator.value(), at->second);
  }

  // Moves an iterator and the model's alike. The batch may change meanwhile.
  void Walk(WriteBatchWithIndex* batch, Model* model) {
    ReadOptions options;
    const std::string low = RandomKey();
    const std::string high = RandomKey();
    const Slice lower = low;
    const Slice upper = high;
    const bool bounded = low < high && random_.OneIn(2);
    if (bounded) {
      options.iterate_lower_bound = &lower;
      options.iterate_upper_bound = &upper;
    }
    const std::unique_ptr<Iterator> iterator(batch->NewIteratorWithBase(
        db_->DefaultColumnFamily(), db_->NewIterator(options), &options));
    // What the iterator may show.
    const auto shown = [&] {
      Model within = *model;
      if (!bounded) return within;
      within.erase(within.begin(), within.lower_bound(low));
      within.erase(within.lower_bound(high), within.end());
      return within;
    };
    for (int step = 0; step < 40; ++step) {
      const Model all = shown();
      const std::string target = RandomKey();
      auto at = all.end();
      const bool moves = iterator->Valid() && !random_.OneIn(4);
      const std::string key = moves ? iterator->key().ToString() : "";
      switch (random_.Uniform(moves ? 2 : 4)) {
        case 0:
          if (moves) {
            iterator->Next();
            at = all.upper_bound(key);
          } else {
            iterator->SeekToFirst();
            at = all.begin();
          }
          break;
        case 1:
          if (moves) {
            iterator->Prev();
            at = all.lower_bound(key);
          } else {
            iterator->SeekToLast();
          }
          at = at == all.begin() ? all.end() : std::prev(at);
          break;
        case 2:
          iterator->Seek(target);
          at = all.lower_bound(target);
          break;
        default:
          iterator->SeekForPrev(target);
          at = all.upper_bound(target);
          at = at == all.begin() ? all.end() : std::prev(at);
      }
      ASSERT_NO_FATAL_FAILURE(ExpectAt(*iterator, all, at)) << "step " << step;
      if (random_.OneIn(4)) Change(batch, model);
    }
  }

  Random random_;
};

TEST_P(IndexedModelTest, ReadsAreThoseOfTheWrittenBatch) {
  OpenFamilies({});
  Model written;
  for (int round = 0; round < 6; ++round) {
    WriteBatchWithIndex batch(BytewiseComparator(), 0, random_.OneIn(2));
    Model model = written;
    for (int i = 0; i < 12; ++i) {
      ASSERT_NO_FATAL_FAILURE(Change(&batch, &model));
      if (random_.OneIn(4)) {
        const Model before = model;
        batch.SetSavePoint();
        for (int j = 0; j < 5; ++j) Change(&batch, &model);
        ASSERT_NO_FATAL_FAILURE(CheckReads(batch, model));
        if (random_.OneIn(2)) {
          ASSERT_EQ(batch.RollbackToSavePoint(), Status::OK());
          model = before;
        }
      }
    }
    ASSERT_NO_FATAL_FAILURE(CheckReads(batch, model)) << "round " << round;
    ASSERT_NO_FATAL_FAILURE(Walk(&batch, &model)) << "round " << round;
    ASSERT_EQ(db_->Write(WriteOptions(), batch.GetWriteBatch()), Status::OK());
    written = model;
    ASSERT_NO_FATAL_FAILURE(CheckReads(WriteBatchWithIndex(), written));
    if (random_.OneIn(2)) Flush();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, IndexedModelTest,
                         testing::Range<uint64_t>(0, SeedCount(60)));

}  // namespace
}  // namespace tamis
