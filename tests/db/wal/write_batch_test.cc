// SPDX-License-Identifier: Apache-2.0
#include "tamis/write_batch.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"
#include "tamis/utilities/merge_operators.h"

#include "db/wal/write_batch_internal.h"

namespace tamis {
namespace {

class Family : public ColumnFamilyHandle {
 public:
  explicit Family(uint32_t id) : id_(id) {}
  const Comparator* GetComparator() const override {
    return BytewiseComparator();
  }
  const std::string& GetName() const override { return name_; }
  uint32_t GetID() const override { return id_; }

 private:
  const uint32_t id_;
  const std::string name_ = "family";
};

class Log : public WriteBatch::Handler {
 public:
  Status PutCF(uint32_t family, const Slice& key, const Slice& value) override {
    text += "put " + std::to_string(family) + " " + key.ToString() + "=" +
            value.ToString() + "; ";
    return {};
  }
  Status DeleteCF(uint32_t family, const Slice& key) override {
    text += "delete " + std::to_string(family) + " " + key.ToString() + "; ";
    return key == Slice("stop") ? Status::Aborted("stop") : Status();
  }
  Status SingleDeleteCF(uint32_t family, const Slice& key) override {
    text += "single " + std::to_string(family) + " " + key.ToString() + "; ";
    return {};
  }
  Status DeleteRangeCF(uint32_t family, const Slice& begin,
                       const Slice& end) override {
    text += "range " + std::to_string(family) + " " + begin.ToString() + ".." +
            end.ToString() + "; ";
    return {};
  }
  Status MergeCF(uint32_t family, const Slice& key,
                 const Slice& operand) override {
    text += "merge " + std::to_string(family) + " " + key.ToString() +
            "+=" + operand.ToString() + "; ";
    return {};
  }
  void LogData(const Slice& blob) override {
    text += "log " + blob.ToString() + "; ";
  }
  std::string text;
};

std::string Show(const WriteBatch& batch) {
  Log log;
  const Status s = batch.Iterate(&log);
  return s.ok() ? log.text : log.text + s.ToString();
}

WriteBatch Raw(uint32_t count, const std::string& records) {
  std::string bytes(8, '\0');
  PutFixed32(&bytes, count);
  return WriteBatch(bytes + records);
}

TEST(WriteBatchTest, NewBatchIsAHeaderOfZeros) {
  WriteBatch batch;
  EXPECT_EQ(batch.Data(), std::string(12, '\0'));
  EXPECT_EQ(batch.Count(), 0u);
  EXPECT_EQ(Show(batch), "");
}

TEST(WriteBatchTest, BytesAreThoseOfTheFormat) {
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("apple", "red").ok());
  WriteBatchInternal::SetSequence(&batch, 1);
  EXPECT_EQ(Slice(batch.Data()).ToString(true),
            "01000000000000000100000001056170706C6503726564");
}

TEST(WriteBatchTest, EveryKindOfChangeHasTheTagsOfTheFormat) {
  Family other(5);
  WriteBatch batch;
  ASSERT_TRUE(batch.Merge("a", "1").ok());
  ASSERT_TRUE(batch.Merge(&other, "a", "1").ok());
  ASSERT_TRUE(batch.SingleDelete("b").ok());
  ASSERT_TRUE(batch.SingleDelete(&other, "b").ok());
  ASSERT_TRUE(batch.DeleteRange("c", "de").ok());
  ASSERT_TRUE(batch.DeleteRange(&other, "c", "de").ok());
  EXPECT_EQ(batch.Count(), 6u);
  EXPECT_EQ(Slice(batch.Data()).ToString(true).substr(24),
            "0201610131"
            "060501610131"
            "070162"
            "08050162"
            "0F0163026465"
            "0E050163026465");
  EXPECT_EQ(Show(WriteBatch(batch.Data())),
            "merge 0 a+=1; merge 5 a+=1; single 0 b; single 5 b; "
            "range 0 c..de; range 5 c..de; ");
}

TEST(WriteBatchTest, ChangesThatAHandlerRefusesAreNamed) {
  class PutsAlone : public WriteBatch::Handler {
    Status PutCF(uint32_t, const Slice&, const Slice&) override { return {}; }
  };
  const struct {
    std::string records;
    const char* name;
  } cases[] = {{std::string("\6\5\1a\1b"), "MergeCF: "},
               {std::string("\x8\5\1a"), "SingleDeleteCF: "},
               {std::string("\xf\1a\1b"), "DeleteRangeCF: "},
               {std::string("\4\5\1a"), "DeleteCF: "}};
  for (const auto& c : cases) {
    PutsAlone handler;
    const Status status = Raw(1, c.records).Iterate(&handler);
    EXPECT_TRUE(status.IsInvalidArgument()) << status;
    EXPECT_TRUE(status.message().starts_with(c.name)) << status;
  }
}

TEST(WriteBatchTest, ChangesThatAFamilyCannotStoreAreRefusedBeforeLogging) {
  const auto append = MergeOperators::CreateStringAppendOperator();
  const KeyOrder bytewise(BytewiseComparator());
  const KeyOrder reverse(ReverseBytewiseComparator());
  const auto check = [&](const WriteBatch& batch, const KeyOrder& order,
                         bool with_operator) {
    return WriteBatchInternal::CheckWritable(
        batch, [&](FamilyId family) -> WriteBatchInternal::Target {
          if (family != kDefaultFamilyId) return {};
          return {.order = &order,
                  .merge_operator = with_operator ? append.get() : nullptr};
        });
  };
  WriteBatch merge;
  ASSERT_TRUE(merge.Merge("a", "1").ok());
  EXPECT_TRUE(check(merge, bytewise, true).ok());
  EXPECT_TRUE(check(merge, bytewise, false).IsNotSupported());
  WriteBatch range;
  ASSERT_TRUE(range.DeleteRange("a", "b").ok());
  EXPECT_TRUE(check(range, bytewise, false).ok());
  EXPECT_TRUE(check(range, reverse, false).IsInvalidArgument());
  WriteBatch nothing;
  ASSERT_TRUE(nothing.DeleteRange("a", "a").ok());
  EXPECT_TRUE(check(nothing, bytewise, false).ok());
  WriteBatch elsewhere;
  Family other(5);
  ASSERT_TRUE(elsewhere.SingleDelete(&other, "a").ok());
  EXPECT_TRUE(check(elsewhere, bytewise, true).IsInvalidArgument());
}

TEST(WriteBatchTest, ChangesAreIteratedInOrder) {
  WriteBatch batch;
  Family other(300);
  Family same(0);
  ASSERT_TRUE(batch.Put("a", "1").ok());
  ASSERT_TRUE(batch.Delete("b").ok());
  ASSERT_TRUE(batch.PutLogData("note").ok());
  ASSERT_TRUE(batch.Put(&other, "c", "").ok());
  ASSERT_TRUE(batch.Delete(&other, "").ok());
  ASSERT_TRUE(batch.Put(&same, "d", "2").ok());
  EXPECT_EQ(batch.Count(), 5u);
  EXPECT_EQ(Show(batch),
            "put 0 a=1; delete 0 b; log note; put 300 c=; delete 300 ; "
            "put 0 d=2; ");
  EXPECT_EQ(Show(WriteBatch(batch.Data())), Show(batch));
  EXPECT_TRUE(WriteBatchInternal::Validate(batch).ok());
}

TEST(WriteBatchTest, DefaultFamilyHasTheShortForm) {
  WriteBatch plain;
  WriteBatch named;
  Family same(0);
  ASSERT_TRUE(plain.Put("a", "1").ok());
  ASSERT_TRUE(named.Put(&same, "a", "1").ok());
  EXPECT_EQ(plain.Data(), named.Data());
  EXPECT_EQ(Show(Raw(1, std::string("\5\0\1a\0011", 6))), "put 0 a=1; ");
}

TEST(WriteBatchTest, HandlerStopsTheIteration) {
  WriteBatch batch;
  ASSERT_TRUE(batch.Delete("stop").ok());
  ASSERT_TRUE(batch.Put("a", "1").ok());
  EXPECT_EQ(Show(batch), "delete 0 stop; Operation aborted: stop");
}

TEST(WriteBatchTest, AppendJoinsRecordsAndCounts) {
  WriteBatch a;
  WriteBatch b;
  ASSERT_TRUE(a.Put("a", "1").ok());
  ASSERT_TRUE(b.Delete("b").ok());
  ASSERT_TRUE(b.PutLogData("x").ok());
  WriteBatchInternal::SetSequence(&a, 9);
  ASSERT_TRUE(a.Append(b).ok());
  ASSERT_TRUE(a.Append(a).ok());
  EXPECT_EQ(a.Count(), 4u);
  EXPECT_EQ(WriteBatchInternal::Sequence(a), 9u);
  EXPECT_EQ(Show(a),
            "put 0 a=1; delete 0 b; log x; put 0 a=1; delete 0 b; log x; ");
  a.Clear();
  EXPECT_EQ(a.Data(), std::string(12, '\0'));
}

TEST(WriteBatchTest, AppendRefusesMalformedBatches) {
  WriteBatch a;
  ASSERT_TRUE(a.Put("a", "1").ok());
  const std::string before = a.Data();
  EXPECT_TRUE(a.Append(WriteBatch(std::string("short"))).IsCorruption());
  EXPECT_TRUE(a.Append(Raw(UINT32_MAX, "")).IsInvalidArgument());
  EXPECT_EQ(a.Data(), before);
  WriteBatch adopted(std::string("short"));
  EXPECT_TRUE(adopted.Put("a", "b").IsCorruption());
  EXPECT_TRUE(adopted.Delete("a").IsCorruption());
  EXPECT_TRUE(adopted.PutLogData("a").IsCorruption());
}

TEST(WriteBatchTest, TooLargeKeysAndValuesAreRefused) {
  // Only the length is looked at, never the bytes.
  const char byte = 0;
  const Slice huge(&byte, size_t{1} << 32);
  const Slice key_too_long(&byte, (size_t{1} << 32) - 8);
  WriteBatch batch;
  EXPECT_TRUE(batch.Put(key_too_long, "v").IsInvalidArgument());
  EXPECT_TRUE(batch.Put("k", huge).IsInvalidArgument());
  EXPECT_TRUE(batch.Delete(key_too_long).IsInvalidArgument());
  EXPECT_TRUE(batch.SingleDelete(key_too_long).IsInvalidArgument());
  EXPECT_TRUE(batch.Merge("k", huge).IsInvalidArgument());
  EXPECT_TRUE(batch.DeleteRange("k", huge).IsInvalidArgument());
  EXPECT_TRUE(batch.PutLogData(huge).IsInvalidArgument());
  EXPECT_EQ(batch.Data(), WriteBatch().Data());
}

TEST(WriteBatchTest, EveryTruncationIsCorruption) {
  WriteBatch batch;
  Family other(5);
  ASSERT_TRUE(batch.Put("key", "value").ok());
  ASSERT_TRUE(batch.Delete(&other, "gone").ok());
  ASSERT_TRUE(batch.SingleDelete("once").ok());
  ASSERT_TRUE(batch.Merge("sum", "1").ok());
  ASSERT_TRUE(batch.DeleteRange(&other, "from", "to").ok());
  for (size_t n = 0; n < batch.Data().size(); ++n) {
    const WriteBatch cut(batch.Data().substr(0, n));
    EXPECT_TRUE(WriteBatchInternal::Validate(cut).IsCorruption()) << n;
    Log log;
    EXPECT_TRUE(cut.Iterate(&log).IsCorruption()) << n;
  }
}

TEST(WriteBatchTest, WrongCountIsCorruption) {
  const std::string put("\1\1a\0011", 5);
  EXPECT_TRUE(WriteBatchInternal::Validate(Raw(1, put)).ok());
  for (const uint32_t count : {0u, 2u, UINT32_MAX}) {
    EXPECT_TRUE(WriteBatchInternal::Validate(Raw(count, put)).IsCorruption())
        << count;
  }
  EXPECT_TRUE(WriteBatchInternal::Validate(Raw(0, "")).ok());
}

TEST(WriteBatchTest, SequenceBeyondTheLargestIsCorruption) {
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("a", "b").ok());
  WriteBatchInternal::SetSequence(&batch, kMaxSequenceNumber - 1);
  EXPECT_TRUE(WriteBatchInternal::Validate(batch).ok());
  WriteBatchInternal::SetSequence(&batch, kMaxSequenceNumber);
  EXPECT_TRUE(WriteBatchInternal::Validate(batch).IsCorruption());
  WriteBatchInternal::SetSequence(&batch, UINT64_MAX);
  EXPECT_TRUE(WriteBatchInternal::Validate(batch).IsCorruption());
}

TEST(WriteBatchTest, EveryTagIsReadRefusedByNameOrCorrupt) {
  for (int tag = 0; tag < 256; ++tag) {
    const Status s = WriteBatchInternal::Validate(
        Raw(1, std::string(1, static_cast<char>(tag)) + "\1a\1b\1c"));
    const bool known = tag <= 0x19 && tag != 0x14;
    switch (tag) {
      case 0x00:
      case 0x01:
      case 0x02:
      case 0x03:
      case 0x04:
      case 0x05:
      case 0x06:
      case 0x07:
      case 0x08:
      case 0x0b:  // the mark of a commit, and of a rollback
      case 0x0c:
      case 0x0d:
      case 0x0e:
      case 0x0f:
        EXPECT_FALSE(s.IsNotSupported()) << tag;
        break;
      default:
        EXPECT_EQ(s.IsNotSupported(), known) << tag << s.ToString();
        EXPECT_EQ(s.IsCorruption(), !known) << tag << s.ToString();
    }
  }
  const Status blob = WriteBatchInternal::Validate(Raw(1, "\x11\1a\1b"));
  EXPECT_EQ(blob.message(), "write batch: offset 12: blob index");
}

TEST(WriteBatchTest, ForEachNumbersTheChangesOfAllFamilies) {
  WriteBatch batch;
  Family other(5);
  ASSERT_TRUE(batch.Put("a", "1").ok());
  ASSERT_TRUE(batch.PutLogData("x").ok());
  ASSERT_TRUE(batch.Put(&other, "b", "2").ok());
  ASSERT_TRUE(batch.Delete("c").ok());
  WriteBatch noop(batch.Data() + std::string(1, '\x0d'));
  WriteBatchInternal::SetSequence(&noop, 100);
  std::string seen;
  const auto visit = [&seen](SequenceNumber sequence, FamilyId family,
                             ValueType type, const Slice& key, const Slice&) {
    seen += key.ToString() + "@" + std::to_string(sequence) + ":" +
            std::to_string(type) + "/" + family.ToString() + " ";
    return Status();
  };
  ASSERT_TRUE(WriteBatchInternal::ForEach(noop, visit).ok());
  EXPECT_EQ(seen, "a@100:1/0 b@101:1/5 c@102:0/0 ");
  EXPECT_TRUE(WriteBatchInternal::ForEach(WriteBatch(std::string("x")), visit)
                  .IsCorruption());
}

}  // namespace
}  // namespace tamis
