// SPDX-License-Identifier: Apache-2.0
//
// Tamis and RocksDB take turns with a directory in which transactions are
// prepared: each finds the other's, with logs as a kill leaves them, and ends
// them.
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/interop/engines.h"
#include "tests/support/directories.h"
#include "tests/support/effort.h"
#include "util/base/random.h"

namespace tamis {
namespace {

// What both engines must agree on.
struct Expected {
  std::map<std::string, std::string> values;
  std::map<std::string, std::string> prepared;  // the key, by the name
};

std::string KeyOf(uint64_t i) { return "k" + std::to_string(i); }

template <typename Engine>
void CompareCommitted(typename Engine::Database* db, const Expected& expected) {
  for (uint64_t i = 0; i < 20; ++i) {
    std::string value;
    const auto status = db->Get(typename Engine::Read(), KeyOf(i), &value);
    const auto found = expected.values.find(KeyOf(i));
    if (found == expected.values.end()) {
      EXPECT_TRUE(status.IsNotFound()) << KeyOf(i) << " " << value;
    } else {
      EXPECT_EQ(status.ok() ? value : status.ToString(), found->second);
    }
  }
}

template <typename Engine>
class Turn {
 public:
  Turn(const std::string& directory, Expected* expected, Random* random)
      : expected_(*expected), random_(*random) {
    typename Engine::AllOptions options;
    options.create_if_missing = true;
    // Nothing writes files while CopyLive copies them.
    options.disable_auto_compactions = true;
    typename Engine::TransactionsOptions txn_db_options;
    txn_db_options.default_lock_timeout = 0;
    typename Engine::WithTransactions* opened = nullptr;
    const auto status = Engine::WithTransactions::Open(options, txn_db_options,
                                                       directory, &opened);
    EXPECT_TRUE(status.ok()) << status.ToString();
    db_.reset(opened);
  }

  void Play(int steps) {
    ASSERT_NE(db_, nullptr);
    Adopt();
    CompareCommitted<Engine>(db_.get(), expected_);
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) Step();
    CompareCommitted<Engine>(db_.get(), expected_);
  }

 private:
  // Takes over the transactions that the open found.
  void Adopt() {
    std::vector<typename Engine::Txn*> all;
    db_->GetAllPreparedTransactions(&all);
    EXPECT_EQ(all.size(), expected_.prepared.size());
    for (auto* txn : all) {
      EXPECT_TRUE(expected_.prepared.contains(txn->GetName()));
      live_[txn->GetName()].reset(txn);
    }
  }
  std::string NewValue() { return std::to_string(random_.Next()); }
  // A key that no prepared transaction has: RocksDB does not lock those that an
  // open finds.
  std::string FreeKey() {
    for (;;) {
      const std::string key = KeyOf(random_.Uniform(20));
      bool taken = false;
      for (const auto& [name, its] : expected_.prepared) {
        taken = taken || its == key;
      }
      if (!taken) return key;
    }
  }
  void Step() {
    const typename Engine::Write write;
    const auto check = [](const auto& status) {
      EXPECT_TRUE(status.ok()) << status.ToString();
    };
    switch (random_.Uniform(6)) {
      case 0:
      case 1: {
        if (live_.size() > 8) return;
        const std::string key = FreeKey();
        const std::string name = NewValue();
        std::unique_ptr<typename Engine::Txn> txn(db_->BeginTransaction(write));
        check(txn->SetName(name));
        check(txn->Put(key, name));
        check(txn->Put("also " + name, name));
        check(txn->Prepare());
        expected_.prepared[name] = key;
        live_[name] = std::move(txn);
        return;
      }
      case 2:
      case 3: {
        if (live_.empty()) return;
        auto at = live_.begin();
        std::advance(at, random_.Uniform(live_.size()));
        const std::string name = at->first;
        if (random_.OneIn(3)) {
          check(at->second->Rollback());
        } else {
          check(at->second->Commit());
          expected_.values[expected_.prepared[name]] = name;
        }
        expected_.prepared.erase(name);
        live_.erase(at);
        return;
      }
      case 4: {
        const std::string key = FreeKey();
        const std::string value = NewValue();
        check(db_->Put(write, key, value));
        expected_.values[key] = value;
        return;
      }
      default:
        if (random_.OneIn(3)) check(db_->Flush(typename Engine::OneFlush()));
    }
  }

  Expected& expected_;
  Random& random_;
  std::unique_ptr<typename Engine::WithTransactions> db_;
  std::map<std::string, std::unique_ptr<typename Engine::Txn>> live_;
};

// Copies the directory of an open database: what a kill leaves. A file may go
// meanwhile, because it is obsolete.
void CopyLive(const std::string& from, const std::string& to) {
  std::error_code error;
  do {
    std::filesystem::remove_all(to);
    std::filesystem::copy(from, to, std::filesystem::copy_options::recursive,
                          error);
  } while (error);
}

// A secondary instance, and after it a repair, find what was committed.
void CompareOtherReaders(const std::string& directory,
                         const Expected& expected) {
  const std::string copy = directory + "_copy";
  CopyLive(directory, copy);
  std::unique_ptr<DB> db;
  const Status opened =
      DB::OpenAsSecondary(Options(), copy, directory + "_secondary", &db);
  ASSERT_TRUE(opened.ok()) << opened;
  ASSERT_TRUE(db->TryCatchUpWithPrimary().ok());
  CompareCommitted<OfTamis>(db.get(), expected);
  db.reset();
  const Status repaired = RepairDB(copy, Options());
  ASSERT_TRUE(repaired.ok()) << repaired;
  ASSERT_TRUE(DB::Open(Options(), copy, &db).ok());
  CompareCommitted<OfTamis>(db.get(), expected);
}

class TwoPhaseCommitInteropTest : public testing::TestWithParam<uint64_t> {};

TEST_P(TwoPhaseCommitInteropTest, EachEndsWhatTheOtherPrepared) {
  Random random(GetParam());
  const TemporaryDirectory root(MemoryParent());
  Expected expected;
  std::string directory = root.Path("0");
  for (int turn = 0; turn < 8 && !HasFailure(); ++turn) {
    const std::string next = root.Path(std::to_string(turn + 1));
    const int steps = static_cast<int>(random.Uniform(40));
    const auto play = [&](auto&& one) {
      one.Play(steps);
      CopyLive(directory, next);
      CompareOtherReaders(next, expected);
    };
    SCOPED_TRACE(turn);
    if (random.OneIn(2)) {
      play(Turn<OfTamis>(directory, &expected, &random));
    } else {
      play(Turn<OfRocksDB>(directory, &expected, &random));
    }
    directory = next;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, TwoPhaseCommitInteropTest,
                         testing::Range<uint64_t>(0, SeedCount(40)));

}  // namespace
}  // namespace tamis
