// SPDX-License-Identifier: Apache-2.0
//
// Iterators over merge operands, and over all kinds of entries together.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/merge_operators.h"

#include "tests/db/entry_model.h"
#include "tests/db/test_db.h"
#include "util/base/random.h"

namespace tamis {
namespace {

class DBIteratorMergeTest : public DBTest {
 protected:
  DBIteratorMergeTest() {
    options_.merge_operator = MergeOperators::CreateStringAppendOperator();
    options_.disable_auto_compactions = true;
  }
};

TEST_F(DBIteratorMergeTest, OperandsAreAppliedDownToTheFirstOtherVersion) {
  // Where the layers lie: all in memory, each in a file, some in each.
  for (const bool flush : {false, true}) {
    for (const bool compact : {false, true}) {
      SCOPED_TRACE(flush ? (compact ? "compacted" : "flushed") : "in memory");
      Destroy();
      Open();
      Put("b.put", "1");
      Merge("c.nothing", "1");
      Put("d.deleted", "1");
      Put("e.single", "1");
      Put("f.again", "0");
      if (flush) Flush();
      if (compact) Compact();
      const Snapshot* const base = db_->GetSnapshot();
      Merge("a.new", "2");
      Merge("b.put", "2");
      Merge("c.nothing", "2");
      Delete("d.deleted");
      ASSERT_TRUE(db_->SingleDelete(WriteOptions(), "e.single").ok());
      Merge("f.again", "x");
      if (flush) Flush();
      const Snapshot* const middle = db_->GetSnapshot();
      Merge("b.put", "3");
      Merge("c.nothing", "3");
      Merge("d.deleted", "3");
      Merge("e.single", "3");
      Put("f.again", "3");
      Merge("f.again", "4");
      const std::string now =
          "a.new=2 b.put=1,2,3 c.nothing=1,2,3 d.deleted=3 e.single=3 "
          "f.again=3,4";
      const std::string then = "a.new=2 b.put=1,2 c.nothing=1,2 f.again=0,x";
      const std::string first =
          "b.put=1 c.nothing=1 d.deleted=1 e.single=1 f.again=0";
      for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(Contents(), now);
        EXPECT_EQ(ContentsAt(middle), then);
        EXPECT_EQ(ContentsAt(base), first);
        if (flush && round == 0) Flush();
        if (compact && round == 1) Compact();
      }
      db_->ReleaseSnapshot(base);
      db_->ReleaseSnapshot(middle);
    }
  }
}

TEST_F(DBIteratorMergeTest, DirectionMayChangeAtEveryMergedKey) {
  Open();
  EntryModel model;
  const auto merge = [&](const std::string& key, const std::string& operand) {
    model.Merge(key, operand);
    Merge(key, operand);
  };
  for (int i = 0; i < 12; ++i) {
    if (i % 2 == 0) {
      model.Put(Key(i), "base");
      Put(Key(i), "base");
    }
    merge(Key(i), "one");
    if (i == 5) Flush();
    if (i % 3 == 0) merge(Key(i), "two");
  }
  // The last key has no base and no successor: the iterator ends there.
  merge(Key(11), "two");
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  for (const auto& [key, value] : model.shown()) {
    for (const bool from_behind : {false, true}) {
      for (const char* steps : {"NP", "PN", "NNPP", "PPNN", "NPNP", "PNPN"}) {
        ModelIterator expected(model.shown(), ReadOptions());
        expected.Seek(key);
        if (from_behind) {
          it->SeekForPrev(key);
        } else {
          it->Seek(key);
        }
        expected.ExpectIs(*it, key);
        for (const char* step = steps; *step != '\0' && expected.Valid();
             ++step) {
          if (*step == 'N') {
            it->Next();
            expected.Next();
          } else {
            it->Prev();
            expected.Prev();
          }
          expected.ExpectIs(*it, key + " " + steps);
        }
      }
    }
  }
}

TEST_F(DBIteratorMergeTest, MergedKeysRespectBoundsAndPrefix) {
  options_.prefix_extractor.reset(NewFixedPrefixTransform(1));
  Open();
  for (const char* key : {"a1", "b1", "b2", "c1"}) {
    Put(key, "1");
    Merge(key, "2");
  }
  Flush();
  for (const char* key : {"a1", "b1", "b2", "c1"}) Merge(key, "3");
  const Slice lower("b");
  const Slice upper("b2");
  ReadOptions options;
  options.iterate_lower_bound = &lower;
  options.iterate_upper_bound = &upper;
  EXPECT_EQ(Contents(options), "b1=1,2,3");

  ReadOptions prefix;
  prefix.prefix_same_as_start = true;
  const std::unique_ptr<Iterator> it(db_->NewIterator(prefix));
  it->Seek("b");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), Slice("b1"));
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value(), Slice("1,2,3"));
  it->Next();
  EXPECT_FALSE(it->Valid());
  it->SeekForPrev("b9");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), Slice("b2"));
  it->Prev();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value(), Slice("1,2,3"));
  it->Prev();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok()) << it->status();
}

// Finds no sense in the operand "bad"; answers with the base itself for
// "keep".
class Choosy : public MergeOperator {
 public:
  const char* Name() const override { return "test.Choosy"; }
  bool FullMergeV2(const MergeOperationInput& in,
                   MergeOperationOutput* out) const override {
    for (const Slice& operand : in.operand_list) {
      if (operand == Slice("bad")) return false;
      if (operand == Slice("keep")) {
        if (in.existing_value == nullptr) return false;
        out->existing_operand = *in.existing_value;
        return true;
      }
    }
    out->new_value = in.operand_list.back().ToString();
    return true;
  }
};

TEST_F(DBIteratorMergeTest, AnOperatorThatFailsEndsTheScanInBothDirections) {
  options_.merge_operator = std::make_shared<Choosy>();
  Open();
  for (const bool flushed : {false, true}) {
    Put("a", "1");
    Put("b", "1");
    Merge("b", "bad");
    Put("c", "1");
    if (flushed) Flush();
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->SeekToFirst();
    ASSERT_TRUE(it->Valid());
    it->Next();
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().IsCorruption()) << it->status();
    // The next seek clears the error.
    it->SeekToLast();
    ASSERT_TRUE(it->Valid()) << it->status();
    EXPECT_TRUE(it->status().ok()) << it->status();
    EXPECT_EQ(it->key(), Slice("c"));
    it->Prev();
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().IsCorruption()) << it->status();
    EXPECT_NE(it->status().ToString().find("test.Choosy"), std::string::npos);
    it->Seek("b");
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().IsCorruption()) << it->status();
    it->SeekForPrev("bb");
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().IsCorruption()) << it->status();
  }
}

TEST_F(DBIteratorMergeTest, AnOperatorMayReturnTheBase) {
  options_.merge_operator = std::make_shared<Choosy>();
  Open();
  const std::string base(1000, 'v');
  Put("a", base);
  Merge("a", "keep");
  Put("b", "1");
  EXPECT_EQ(Contents(), "a=" + base + " b=1");
  Flush();
  EXPECT_EQ(Contents(), "a=" + base + " b=1");
}

TEST_F(DBIteratorMergeTest, WithoutAnOperatorAScanFailsAtOperands) {
  Open();
  Put("a", "1");
  Merge("b", "2");
  Put("c", "3");
  Flush();
  options_.merge_operator = nullptr;
  Reopen();
  ASSERT_NE(db_, nullptr);
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid()) << it->status();
  it->Next();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsInvalidArgument()) << it->status();
  it->SeekToLast();
  ASSERT_TRUE(it->Valid()) << it->status();
  it->Prev();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsInvalidArgument()) << it->status();
}

// What an iterator or a snapshot showed when it was taken.
struct Moment {
  const Snapshot* snapshot;
  std::unique_ptr<Iterator> open;
  KeyValues shown;
};

struct Layout {
  const char* name;
  uint64_t flush_once_in;    // 0: never
  uint64_t compact_once_in;  // 0: never
};

class RandomMovesTest : public DBIteratorMergeTest {
 protected:
  void Run(const Layout& layout, uint64_t seed) {
    SCOPED_TRACE(std::string(layout.name) + ", seed " + std::to_string(seed));
    BlockBasedTableOptions table;
    table.block_size = 128;
    SetTable(table);
    options_.target_file_size_base = 1 << 10;
    Destroy();
    Open();
    Random random(seed);
    EntryModel model;
    std::vector<Moment> moments;
    for (int i = 0; i < 400; ++i) {
      WriteBatch batch;
      const uint64_t changes = 1 + random.Uniform(3);
      for (uint64_t n = 0; n < changes; ++n) {
        ASSERT_TRUE(RandomChange(&random, kKeys, i, &model, &batch).ok());
      }
      const Status status = db_->Write(WriteOptions(), &batch);
      ASSERT_TRUE(status.ok()) << status;
      if (random.OneIn(50)) {
        moments.push_back({db_->GetSnapshot(), nullptr, model.shown()});
        moments.back().open.reset(db_->NewIterator(ReadOptions()));
      }
      if (layout.flush_once_in > 0 && random.OneIn(layout.flush_once_in)) {
        Flush();
      }
      if (layout.compact_once_in > 0 && random.OneIn(layout.compact_once_in)) {
        Compact();
      }
    }
    moments.push_back({nullptr, nullptr, model.shown()});
    for (Moment& moment : moments) {
      Check(moment, &random);
      if (moment.snapshot != nullptr) db_->ReleaseSnapshot(moment.snapshot);
      if (HasFailure()) break;
    }
    moments.clear();
  }

  void Check(const Moment& moment, Random* random) {
    if (moment.open != nullptr) {
      ModelIterator expected(moment.shown, ReadOptions());
      MoveTogether(random, kKeys, 200, moment.open.get(), &expected);
    }
    for (int round = 0; round < 8; ++round) {
      const std::string low = Key(static_cast<int>(random->Uniform(kKeys)));
      const std::string high = Key(static_cast<int>(random->Uniform(kKeys)));
      const Slice lower(low);
      const Slice upper(high);
      ReadOptions options;
      options.snapshot = moment.snapshot;
      if (round % 4 >= 2) options.iterate_lower_bound = &lower;
      if (round % 2 == 1) options.iterate_upper_bound = &upper;
      SCOPED_TRACE("bounds " + std::to_string(round % 4) + " " + low + " " +
                   high);
      const std::unique_ptr<Iterator> it(db_->NewIterator(options));
      ModelIterator expected(moment.shown, options);
      MoveTogether(random, kKeys, 150, it.get(), &expected);
    }
  }

  static constexpr int kKeys = 40;
};

TEST_F(RandomMovesTest, AgreeWithAModelOverMemtablesAlone) {
  for (uint64_t seed = 1; seed <= 6; ++seed) Run({"memtable", 0, 0}, seed);
}

TEST_F(RandomMovesTest, AgreeWithAModelOverLevel0) {
  for (uint64_t seed = 1; seed <= 6; ++seed) Run({"flushes", 30, 0}, seed);
}

TEST_F(RandomMovesTest, AgreeWithAModelOverAllLevels) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    Run({"compactions", 30, 100}, seed);
  }
}

TEST_F(RandomMovesTest, AgreeWithAModelWhileTablesAreClosedAndOpened) {
  options_.max_open_files = 2;
  for (uint64_t seed = 1; seed <= 4; ++seed) Run({"few open", 30, 100}, seed);
}

}  // namespace
}  // namespace tamis
