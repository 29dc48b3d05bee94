// SPDX-License-Identifier: Apache-2.0
//
// The same compaction filter in Tamis and in RocksDB: after the same writes,
// flushes and compactions, both databases have the same entries. And what one
// filtered, the other reads.
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <rocksdb/compaction_filter.h>
#include <rocksdb/convenience.h>
#include <rocksdb/merge_operator.h>

#include "tamis/db.h"
#include "tamis/utilities/merge_operators.h"

#include "tests/interop/peers.h"
#include "tests/support/databases.h"
#include "util/base/random.h"

namespace tamis {
namespace {

constexpr uint64_t kKeys = 300;

std::string KeyAt(uint64_t i) {
  std::string key = std::to_string(i);
  key.insert(0, 6 - key.size(), '0');
  // s: deleted by SingleDelete only. m: merged, and in no range deletion; over
  // one, the engines differ in when they merge.
  return (i % 5 == 0 ? "s" : i % 5 == 1 ? "m" : "k") + key;
}

// The first letter of a value or operand decides: r removes, c changes it, u
// skips the next few keys, others keep. Values of "s" keys are purged.
template <typename Base, typename Piece>
class LetterFilter : public Base {
 public:
  using Decision = typename Base::Decision;
  using ValueType = typename Base::ValueType;

  const char* Name() const override { return "test.Letter"; }
  Decision FilterV2(int /*level*/, const Piece& key, ValueType value_type,
                    const Piece& existing_value, std::string* new_value,
                    std::string* skip_until) const override {
    if (existing_value.empty()) return Decision::kKeep;
    switch (existing_value[0]) {
      case 'r':
        return key[0] == 's' ? Decision::kPurge : Decision::kRemove;
      case 'c':
        *new_value = (value_type == ValueType::kValue ? "value:" : "operand:") +
                     existing_value.ToString().substr(1);
        return Decision::kChangeValue;
      case 'u': {
        if (key[0] == 's') return Decision::kKeep;
        const uint64_t i = std::stoull(key.ToString().substr(1));
        *skip_until = KeyAt(i + 1 + i % 7);
        // Over keys of the same kind only.
        if ((*skip_until)[0] != key[0]) return Decision::kRemove;
        return Decision::kRemoveAndSkipUntil;
      }
      default:
        return Decision::kKeep;
    }
  }
};

using OurFilter = LetterFilter<CompactionFilter, Slice>;
using TheirFilter = LetterFilter<rocksdb::CompactionFilter, rocksdb::Slice>;

class OurFactory : public CompactionFilterFactory {
 public:
  const char* Name() const override { return "test.Factory"; }
  bool ShouldFilterTableFileCreation(TableFileCreationReason) const override {
    return true;
  }
  std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context&) override {
    return std::make_unique<OurFilter>();
  }
};

class TheirFactory : public rocksdb::CompactionFilterFactory {
 public:
  const char* Name() const override { return "test.Factory"; }
  bool ShouldFilterTableFileCreation(
      rocksdb::TableFileCreationReason) const override {
    return true;
  }
  std::unique_ptr<rocksdb::CompactionFilter> CreateCompactionFilter(
      const rocksdb::CompactionFilter::Context&) override {
    return std::make_unique<TheirFilter>();
  }
};

class CompactionFilterInteropTest : public ::testing::Test {
 protected:
  // New databases.
  void Open(bool in_flushes) {
    // In a flush, RocksDB skips keys without hiding their older versions.
    letters_ = in_flushes ? "rccvwxyz" : "rcuvwxyz";
    ++databases_;
    Options ours;
    ours.create_if_missing = true;
    ours.disable_auto_compactions = true;
    ours.merge_operator = MergeOperators::CreateStringAppendOperator();
    rocksdb::Options theirs = PeerOptions(/*reverse=*/false);
    theirs.create_if_missing = true;
    theirs.disable_auto_compactions = true;
    theirs.write_buffer_size = ours.write_buffer_size;
    const rocksdb::Status status = rocksdb::MergeOperator::CreateFromString(
        rocksdb::ConfigOptions(), "stringappend", &theirs.merge_operator);
    ASSERT_TRUE(status.ok()) << status.ToString();
    if (in_flushes) {
      ours.compaction_filter_factory = std::make_shared<OurFactory>();
      theirs.compaction_filter_factory = std::make_shared<TheirFactory>();
    } else {
      ours.compaction_filter = &our_filter_;
      theirs.compaction_filter = &their_filter_;
    }
    ours_ = OpenTamis(ours, PathOf("ours"));
    theirs_ = OpenPeer(theirs, PathOf("theirs"));
    ASSERT_NE(ours_, nullptr);
    ASSERT_NE(theirs_, nullptr);
  }

  // Writes the same to both.
  void WriteOne(Random* random) {
    const uint64_t i = random->Uniform(kKeys);
    const std::string key = KeyAt(i);
    const std::string value = std::string(1, letters_[random->Uniform(8)]) +
                              std::to_string(++written_);
    if (key[0] == 's') {
      // Put once, then deleted once; removed at most by a purge.
      if (single_[key]) {
        ASSERT_TRUE(ours_->SingleDelete({}, key).ok());
        ASSERT_TRUE(theirs_->SingleDelete({}, key).ok());
      } else {
        ASSERT_TRUE(ours_->Put({}, key, value).ok());
        ASSERT_TRUE(theirs_->Put({}, key, value).ok());
      }
      single_[key] = !single_[key];
      return;
    }
    switch (random->Uniform(20)) {
      case 0: {
        const std::string end = KeyAt(i + 1 + random->Uniform(20));
        if (key[0] != 'k' || end[0] != 'k') break;
        ASSERT_TRUE(ours_->DeleteRange({}, key, end).ok());
        ASSERT_TRUE(
            theirs_->DeleteRange({}, theirs_->DefaultColumnFamily(), key, end)
                .ok());
        return;
      }
      case 1:
      case 2:
        ASSERT_TRUE(ours_->Delete({}, key).ok());
        ASSERT_TRUE(theirs_->Delete({}, key).ok());
        return;
      case 3:
      case 4:
      case 5:
      case 6:
      case 7:
      case 8:
        if (key[0] != 'm') break;
        ASSERT_TRUE(ours_->Merge({}, key, value).ok());
        ASSERT_TRUE(theirs_->Merge({}, key, value).ok());
        return;
      default:
        break;
    }
    ASSERT_TRUE(ours_->Put({}, key, value).ok());
    ASSERT_TRUE(theirs_->Put({}, key, value).ok());
  }

  void FlushBoth() {
    ASSERT_TRUE(ours_->Flush({}).ok());
    ASSERT_TRUE(theirs_->Flush({}).ok());
  }
  void CompactBoth(bool force) {
    CompactRangeOptions ours;
    rocksdb::CompactRangeOptions theirs;
    if (force) {
      ours.bottommost_level_compaction = BottommostLevelCompaction::kForce;
      theirs.bottommost_level_compaction =
          rocksdb::BottommostLevelCompaction::kForce;
    }
    ASSERT_TRUE(ours_->CompactRange(ours, nullptr, nullptr).ok());
    ASSERT_TRUE(theirs_->CompactRange(theirs, nullptr, nullptr).ok());
  }
  void ExpectTheSame() {
    Status status;
    const KeyValues entries = ScanForward(ours_.get(), &status);
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_EQ(PeerDifferenceFrom(entries, theirs_.get()), "");
    ASSERT_EQ(DifferenceFrom(entries, ours_.get(), &status), "");
  }

  std::string PathOf(const std::string& engine) const {
    return temporary_.Path(engine + std::to_string(databases_));
  }

  const OurFilter our_filter_{};
  const TheirFilter their_filter_{};
  const TemporaryDirectory temporary_;
  std::unique_ptr<DB> ours_;
  std::unique_ptr<rocksdb::DB> theirs_;
  std::map<std::string, bool> single_;
  std::string letters_;
  int databases_ = 0;
  uint64_t written_ = 0;
};

TEST_F(CompactionFilterInteropTest, RandomHistoriesEndTheSame) {
  for (const bool in_flushes : {false, true}) {
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(seed);
      ours_.reset();
      theirs_.reset();
      single_.clear();
      ASSERT_NO_FATAL_FAILURE(Open(in_flushes));
      Random random(seed);
      for (int round = 0; round < 12; ++round) {
        const uint64_t writes = 1 + random.Uniform(400);
        for (uint64_t n = 0; n < writes; ++n) {
          ASSERT_NO_FATAL_FAILURE(WriteOne(&random));
          if (random.OneIn(100)) {
            ASSERT_NO_FATAL_FAILURE(FlushBoth());
          }
        }
        ASSERT_NO_FATAL_FAILURE(ExpectTheSame());
        // Twice: what a merge makes meets the filter in the next compaction.
        // The number of compactions in one call may differ.
        ASSERT_NO_FATAL_FAILURE(CompactBoth(/*force=*/true));
        ASSERT_NO_FATAL_FAILURE(CompactBoth(/*force=*/true));
        ASSERT_NO_FATAL_FAILURE(ExpectTheSame());
      }
    }
  }
}

TEST_F(CompactionFilterInteropTest, EachReadsWhatTheOtherFiltered) {
  ASSERT_NO_FATAL_FAILURE(Open(/*in_flushes=*/true));
  Random random(77);
  for (int n = 0; n < 3000; ++n) ASSERT_NO_FATAL_FAILURE(WriteOne(&random));
  ASSERT_NO_FATAL_FAILURE(FlushBoth());
  Status status;
  const KeyValues entries = ScanForward(ours_.get(), &status);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_FALSE(entries.empty());
  ASSERT_TRUE(ours_->Close().ok());
  ours_.reset();
  theirs_.reset();
  rocksdb::Options theirs = PeerOptions(/*reverse=*/false);
  theirs.disable_auto_compactions = true;
  ASSERT_TRUE(rocksdb::MergeOperator::CreateFromString(rocksdb::ConfigOptions(),
                                                       "stringappend",
                                                       &theirs.merge_operator)
                  .ok());
  const auto peer = OpenPeer(theirs, PathOf("ours"));
  ASSERT_NE(peer, nullptr);
  EXPECT_EQ(PeerDifferenceFrom(entries, peer.get()), "");
  Options ours;
  ours.disable_auto_compactions = true;
  ours.merge_operator = MergeOperators::CreateStringAppendOperator();
  ours_ = OpenTamis(ours, PathOf("theirs"));
  ASSERT_NE(ours_, nullptr);
  EXPECT_EQ(DifferenceFrom(entries, ours_.get(), &status), "");
}

}  // namespace
}  // namespace tamis
