// SPDX-License-Identifier: Apache-2.0
//
// Merges, single deletes and range deletions go back and forth. Tamis and
// RocksDB take turns in one directory. Each flushes and compacts on top of the
// other's tables, including tombstones that span many tables.
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/merge_operator.h>

#include "tamis/db.h"
#include "tamis/utilities/merge_operators.h"

#include "tests/interop/peers.h"
#include "tests/support/databases.h"
#include "util/base/random.h"

namespace tamis {
namespace {

constexpr uint64_t kKeys = 600;

enum class Kind { kPut, kDelete, kSingleDelete, kMerge, kDeleteRange };

struct Entry {
  Kind kind = Kind::kPut;
  std::string key;
  std::string value;  // operand; end of a range
};

// The same seed gives the same entries.
class History {
 public:
  History(uint64_t seed, bool reverse)
      : random_(seed), reverse_(reverse), model_(Before{reverse}) {}

  Random& random() { return random_; }
  KeyValues Shown() const { return {model_.begin(), model_.end()}; }

  Entry Next() {
    const uint64_t i = random_.Uniform(kKeys);
    if (random_.OneIn(40)) {
      const uint64_t length =
          1 + random_.Uniform(random_.OneIn(4) ? kKeys : kKeys / 20);
      return DeleteRange(i, i + length);
    }
    Entry entry{Kind::kPut, KeyAt(i), ""};
    const auto found = model_.find(entry.key);
    if (i % 3 == 0) {
      // Single-deleted keys: never put over, never merged.
      if (found != model_.end()) {
        entry.kind = Kind::kSingleDelete;
        model_.erase(found);
        return entry;
      }
    } else if (random_.OneIn(4)) {
      entry.kind = Kind::kDelete;
      model_.erase(entry.key);
      return entry;
    } else if (random_.OneIn(2)) {
      entry.kind = Kind::kMerge;
      entry.value = "m" + std::to_string(++written_);
      if (found == model_.end()) {
        model_[entry.key] = entry.value;
      } else {
        found->second += "," + entry.value;
      }
      return entry;
    }
    entry.value = "v" + std::to_string(++written_) +
                  std::string(random_.Uniform(200), 'x');
    model_[entry.key] = entry.value;
    return entry;
  }

 private:
  struct Before {
    bool reverse;
    bool operator()(const std::string& a, const std::string& b) const {
      return reverse ? b < a : a < b;
    }
  };

  // Ascending in i by the order in use.
  std::string KeyAt(uint64_t i) const {
    const uint64_t n = reverse_ ? 999999 - i : i;
    std::string key = std::to_string(n);
    key.insert(0, 6 - key.size(), '0');
    return "k" + key;
  }
  Entry DeleteRange(uint64_t from, uint64_t to) {
    Entry entry{Kind::kDeleteRange, KeyAt(from), KeyAt(to)};
    model_.erase(model_.lower_bound(entry.key),
                 model_.lower_bound(entry.value));
    return entry;
  }

  Random random_;
  const bool reverse_;
  std::map<std::string, std::string, Before> model_;
  uint64_t written_ = 0;
};

// The two engines have the same words, in namespaces of their own.
struct Ours {
  using Db = DB;
  using Write = WriteOptions;
  using Flush = FlushOptions;
  using Compact = CompactRangeOptions;
  using Piece = Slice;
};
struct Theirs {
  using Db = rocksdb::DB;
  using Write = rocksdb::WriteOptions;
  using Flush = rocksdb::FlushOptions;
  using Compact = rocksdb::CompactRangeOptions;
  using Piece = rocksdb::Slice;
};

template <typename Engine>
auto Apply(typename Engine::Db* db, const Entry& entry) {
  const typename Engine::Write options;
  switch (entry.kind) {
    case Kind::kPut:
      return db->Put(options, entry.key, entry.value);
    case Kind::kDelete:
      return db->Delete(options, entry.key);
    case Kind::kSingleDelete:
      return db->SingleDelete(options, entry.key);
    case Kind::kMerge:
      return db->Merge(options, entry.key, entry.value);
    case Kind::kDeleteRange:
      break;
  }
  return db->DeleteRange(options, db->DefaultColumnFamily(), entry.key,
                         entry.value);
}

Options OurOptions(bool reverse) {
  BlockBasedTableOptions table;
  table.block_size = 1024;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  Options options;
  options.create_if_missing = true;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  options.comparator =
      reverse ? ReverseBytewiseComparator() : BytewiseComparator();
  options.merge_operator = MergeOperators::CreateStringAppendOperator();
  options.write_buffer_size = 64 * 1024;
  options.target_file_size_base = 8 * 1024;
  options.max_bytes_for_level_base = 16 * 1024;
  options.max_bytes_for_level_multiplier = 3;
  return options;
}

rocksdb::Options TheirOptions(bool reverse) {
  rocksdb::Options options = PeerOptions(reverse);
  options.target_file_size_base = 8 * 1024;
  options.max_bytes_for_level_base = 16 * 1024;
  options.max_bytes_for_level_multiplier = 3;
  const rocksdb::Status status = rocksdb::MergeOperator::CreateFromString(
      rocksdb::ConfigOptions(), "stringappend", &options.merge_operator);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return options;
}

// Entries, with a snapshot held over some of them, flushes, and compactions of
// a part.
template <typename Engine>
void TakeTurn(History* history, int n, typename Engine::Db* db) {
  Random& random = history->random();
  const auto* snapshot = db->GetSnapshot();
  for (int i = 0; i < n; ++i) {
    const auto applied = Apply<Engine>(db, history->Next());
    ASSERT_TRUE(applied.ok()) << applied.ToString();
    if (random.OneIn(150)) {
      const auto flushed = db->Flush(typename Engine::Flush());
      ASSERT_TRUE(flushed.ok()) << flushed.ToString();
    }
    if (random.OneIn(200)) {
      db->ReleaseSnapshot(snapshot);
      snapshot = db->GetSnapshot();
    }
    const KeyValues shown = random.OneIn(300) ? history->Shown() : KeyValues();
    if (shown.size() >= 2) {
      const uint64_t half = shown.size() / 2;
      const typename Engine::Piece begin = shown[random.Uniform(half)].first;
      const typename Engine::Piece end =
          shown[half + random.Uniform(half)].first;
      const auto compacted =
          db->CompactRange(typename Engine::Compact(), &begin, &end);
      ASSERT_TRUE(compacted.ok()) << compacted.ToString();
    }
  }
  db->ReleaseSnapshot(snapshot);
}

class EntriesTest : public ::testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<DB> OpenOurs() {
    std::unique_ptr<DB> db;
    const Status status = DB::Open(OurOptions(GetParam()), directory_, &db);
    EXPECT_TRUE(status.ok()) << status;
    return db;
  }
  static void ExpectShows(const KeyValues& expected, DB* db) {
    Status status;
    EXPECT_EQ(DifferenceFrom(expected, db, &status), "");
    EXPECT_TRUE(status.ok()) << status;
  }

  const TemporaryDirectory temporary_;
  const std::string directory_ = temporary_.Path("db");
};

TEST_P(EntriesTest, GoBackAndForth) {
  History history(303, GetParam());
  for (const int n : {3000, 50, 1000, 1000}) {
    SCOPED_TRACE(n);
    {
      const auto db = OpenOurs();
      ASSERT_NE(db, nullptr);
      ExpectShows(history.Shown(), db.get());
      ASSERT_NO_FATAL_FAILURE(TakeTurn<Ours>(&history, n, db.get()));
      ExpectShows(history.Shown(), db.get());
      const Status status = db->Close();
      ASSERT_TRUE(status.ok()) << status;
    }
    const auto peer = OpenPeer(TheirOptions(GetParam()), directory_);
    ASSERT_NE(peer, nullptr);
    ASSERT_EQ(PeerDifferenceFrom(history.Shown(), peer.get()), "");
    ASSERT_NO_FATAL_FAILURE(TakeTurn<Theirs>(&history, n, peer.get()));
    ASSERT_EQ(PeerDifferenceFrom(history.Shown(), peer.get()), "");
  }
  const auto db = OpenOurs();
  ASSERT_NE(db, nullptr);
  ExpectShows(history.Shown(), db.get());
  CompactRangeOptions all;
  all.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  const Status status = db->CompactRange(all, nullptr, nullptr);
  ASSERT_TRUE(status.ok()) << status;
  ExpectShows(history.Shown(), db.get());
}

// Each as the other left it: RocksDB cuts tombstones at file ends in its own
// way, and merges and pairs what we wrote.
TEST_P(EntriesTest, EachCompactsWhatTheOtherWrote) {
  History history(304, GetParam());
  {
    const auto db = OpenOurs();
    ASSERT_NE(db, nullptr);
    ASSERT_NO_FATAL_FAILURE(TakeTurn<Ours>(&history, 2000, db.get()));
    ASSERT_TRUE(db->Close().ok());
  }
  {
    const auto peer = OpenPeer(TheirOptions(GetParam()), directory_);
    ASSERT_NE(peer, nullptr);
    const auto compacted =
        peer->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr);
    ASSERT_TRUE(compacted.ok()) << compacted.ToString();
    ASSERT_EQ(PeerDifferenceFrom(history.Shown(), peer.get()), "");
    ASSERT_NO_FATAL_FAILURE(TakeTurn<Theirs>(&history, 2000, peer.get()));
  }
  {
    const auto db = OpenOurs();
    ASSERT_NE(db, nullptr);
    const Status status =
        db->CompactRange(CompactRangeOptions(), nullptr, nullptr);
    ASSERT_TRUE(status.ok()) << status;
    ExpectShows(history.Shown(), db.get());
    ASSERT_TRUE(db->Close().ok());
  }
  if (!GetParam()) ExpectConsistentToLdb(directory_);
  const auto peer = OpenPeer(TheirOptions(GetParam()), directory_);
  ASSERT_NE(peer, nullptr);
  EXPECT_EQ(PeerDifferenceFrom(history.Shown(), peer.get()), "");
}

INSTANTIATE_TEST_SUITE_P(Orders, EntriesTest, ::testing::Bool(),
                         [](const auto& order) {
                           return order.param ? "Reverse" : "Bytewise";
                         });

}  // namespace
}  // namespace tamis
