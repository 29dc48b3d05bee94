// SPDX-License-Identifier: Apache-2.0
//
// Cuts the power under a process that writes through the kernel's page cache
// and through mapped pages. Only what the process synced is durable:
//
//   victim works ── Storage::PowerOff ──▶ Survivor ─┬─▶ opened under another
//        ▲                                (three)   │   WALRecoveryMode (two)
//        │                                          ▼
//        └──── continues on the survivor ◀──── opened and compared, and
//                                              checkpoints with it (one)
//
// An opened survivor must contain every durable write (D1, D3, D4), must be a
// prefix of the writes that were begun (D2, D6), must open without repair
// (D10), and must have each completed checkpoint (D8).
//
//   TAMIS_WRITEBACK_SECONDS=n          duration of WritebackLongTest
//   TAMIS_WRITEBACK_DEVICE_SECONDS=n   duration of WritebackDeviceTest, which
//                                      needs root and an ext4 of the kernel
//                                      (device.h)
//   TAMIS_SEED=n                       another seed; the scheduling of threads
//                                      remains random
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <unistd.h>
#include <utility>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "tests/support/effort.h"
#include "tests/writeback/promise.h"

namespace tamis::writeback {
namespace {

namespace fs = std::filesystem;

constexpr Setting kSettings[] = {
    {{"Plain", [](Options*, BlockBasedTableOptions*) {}}},
    {{"AtomicFlush",
      [](Options* options, BlockBasedTableOptions*) {
        options->atomic_flush = true;
      }}},
    // Memtables, logs and MANIFESTs change all the time.
    {{"EverythingSmall",
      [](Options* options, BlockBasedTableOptions*) {
        options->write_buffer_size = 64 * 1024;
        options->max_write_buffer_number = 4;
        options->max_total_wal_size = 64 * 1024;
        options->max_manifest_file_size = 4 * 1024;
        options->max_log_file_size = 4 * 1024;
        options->max_background_jobs = 4;
      }}},
    {{"AtomicFlushWithoutLog",
      [](Options* options, BlockBasedTableOptions*) {
        options->atomic_flush = true;
        options->write_buffer_size = 64 * 1024;
      }},
     /*log=*/false},
};

// Files are in memory unless TMPDIR names another directory, so that no test
// waits for a real disk. Logs are mapped there as they are on ext4.
const bool in_memory = std::getenv("TMPDIR") == nullptr &&
                       ::access("/dev/shm", W_OK) == 0 &&
                       ::setenv("TMPDIR", "/dev/shm", /*overwrite=*/0) == 0;

uint64_t Seed() {
  return FromEnvironment("TAMIS_SEED", RandomBitsFromSystem()[0]);
}

constexpr WALRecoveryMode kOtherModes[] = {
    WALRecoveryMode::kTolerateCorruptedTailRecords,
    WALRecoveryMode::kAbsoluteConsistency,
    WALRecoveryMode::kSkipAnyCorruptedRecords};

constexpr const char* kMountOptions[] = {"data=ordered", "data=writeback",
                                         "data=journal"};

// A database, its disk, and its history of rounds.
class Life {
 public:
  Life(const Setting& setting, uint64_t seed, std::string forgotten = "")
      : Life(setting, seed, std::make_unique<ShadowStorage>(),
             std::move(forgotten)) {}
  Life(const Setting& setting, uint64_t seed, std::unique_ptr<Storage> storage,
       std::string forgotten = "")
      : setting_(setting),
        seed_(seed),
        forgotten_(std::move(forgotten)),
        storage_(std::move(storage)),
        random_(seed) {}

  // Runs the process, cuts the power and restores it.
  void GoOn() {
    SCOPED_TRACE(std::string(setting_.database.name) + ", TAMIS_SEED=" +
                 std::to_string(seed_) + ", round " + std::to_string(rounds_));
    const Round round = NextRound();
    Watch watch;
    watch.seed = random_.Next();
    watch.forgotten = forgotten_;
    RunAndCut(storage_.get(), watch, round, models_, ledger_);
    for (const uint32_t n : ledger_->Acknowledged()) acknowledged_ += n;
    for (int i = 0; i < 2; ++i) {
      left_ = storage_->Survivor(&random_);
      OpenOtherwise(round,
                    kOtherModes[random_.Uniform(std::size(kOtherModes))]);
      ++cuts_;
    }
    left_ = storage_->Survivor(&random_);
    ++cuts_;
    OpenAndCompare(round);
    for (uint32_t i = 0; i < kCopiesMax; ++i) {
      fs::remove_all(CopyOf(left_, i));
      fs::remove_all(CopyOf(left_, i) + ".tmp");
    }
    mapped_ += storage_->HasReserved() ? 1 : 0;
    storage_->GoOn();
    ++rounds_;
  }

  std::string Story() const {
    return std::to_string(rounds_) + " rounds, " + std::to_string(cuts_) +
           " power cuts, " + std::to_string(copies_) + " checkpoints, " +
           std::to_string(acknowledged_) + " acknowledged operations; " +
           std::to_string(mapped_) + " rounds ended while a log was mapped";
  }
  // The number of rounds that ended while a log was mapped.
  int mapped() const { return mapped_; }

 private:
  Round NextRound() {
    Round round{setting_, seed_, rounds_, 0, {}, 0, 1};
    if (random_.OneIn(2)) round.seldom = 20;
    // An early cut hits the open, which creates or recovers the database.
    const bool early = random_.OneIn(rounds_ == 0 ? 2 : 4);
    round.operations = early ? 0 : 1 + random_.Uniform(600);
    round.later =
        std::chrono::microseconds(random_.Uniform(early ? 20'000 : 5'000));
    if (random_.OneIn(8)) {
      round.operations_until_close =
          1 + static_cast<uint32_t>(random_.Uniform(100));
      round.operations = std::min<uint64_t>(
          round.operations, uint64_t{kThreads} * round.operations_until_close);
    }
    return round;
  }

  void OpenAndCompare(const Round& round) {
    const Models before = models_;
    CompareCopies(round, before);
    const Bounds bounds = BoundsOf(*ledger_);
    // A read-only open leaves the recovery to the next process.
    recovered_ = random_.OneIn(2);
    const kill::Survivor survivor = kill::ReadByTamis(
        DatabaseOf(left_), setting_.database, /*read_only=*/!recovered_);
    ExpectPrefix(round, *ledger_, bounds, survivor, &models_);
  }

  void CompareCopies(const Round& round, const Models& before) {
    for (uint32_t i = 0; i < kCopiesMax; ++i) {
      const Ledger::Copy& copy = ledger_->copies[i];
      if (!copy.made) continue;
      SCOPED_TRACE("checkpoint " + std::to_string(i));
      ++copies_;
      Models models = before;
      ExpectPrefix(round, *ledger_, {copy.least, copy.most},
                   kill::ReadByTamis(CopyOf(left_, i), setting_.database,
                                     random_.OneIn(2)),
                   &models);
    }
  }

  void OpenOtherwise(const Round& round, WALRecoveryMode mode) {
    SCOPED_TRACE("wal_recovery_mode " + std::to_string(static_cast<int>(mode)));
    Options options = kill::OptionsOf(setting_.database);
    options.wal_recovery_mode = mode;
    kill::Survivor survivor;
    const Status status = kill::ReadDatabase(DatabaseOf(left_), options,
                                             random_.OneIn(2), &survivor);
    const Bounds bounds = BoundsOf(*ledger_);
    if (mode == WALRecoveryMode::kSkipAnyCorruptedRecords) {
      EXPECT_TRUE(status.ok()) << status;
      // Otherwise the open also shows records that an earlier open skipped and
      // that no recovery has removed since.
      if (status.ok() && (recovered_ || ledger_->opened)) {
        ExpectNothingInvented(round, bounds, survivor, models_);
      }
      return;
    }
    EXPECT_TRUE(status.ok() || status.IsCorruption()) << status;
    Models models = models_;
    if (status.ok()) ExpectPrefix(round, *ledger_, bounds, survivor, &models);
  }

  const Setting setting_;
  const uint64_t seed_;
  const std::string forgotten_;
  const std::unique_ptr<Storage> storage_;
  std::string left_;
  static inline Ledger* const ledger_ = Ledger::New();
  Random random_;
  Models models_;
  bool recovered_ = true;  // when the round began
  int rounds_ = 0;
  int mapped_ = 0;
  uint64_t cuts_ = 0;
  uint64_t copies_ = 0;
  uint64_t acknowledged_ = 0;
};

class WritebackTest : public ::testing::TestWithParam<Setting> {};

TEST_P(WritebackTest, DurableWritesSurviveWithAPrefixOfTheRest) {
  Life life(GetParam(), Seed());
  for (int i = 0; i < Rounds(12) && !HasFailure(); ++i) life.GoOn();
  std::printf("%s\n", life.Story().c_str());
}

INSTANTIATE_TEST_SUITE_P(Settings, WritebackTest,
                         ::testing::ValuesIn(kSettings),
                         [](const auto& setting) {
                           return setting.param.database.name;
                         });

class WritebackForgetTest : public ::testing::TestWithParam<const char*> {};

// Returns the first failure of a life in which syncs of such files are omitted;
// empty: none.
std::string FirstFailure(std::unique_ptr<Storage> storage, uint64_t seed,
                         const std::string& forgotten) {
  ::testing::TestPartResultArray failures;
  const ::testing::ScopedFakeTestPartResultReporter reporter(
      ::testing::ScopedFakeTestPartResultReporter::
          INTERCEPT_ONLY_CURRENT_THREAD,
      &failures);
  Life life(kSettings[2], seed, std::move(storage), forgotten);
  for (int i = 0; i < 5 && failures.size() == 0; ++i) life.GoOn();
  return failures.size() == 0 ? "" : failures.GetTestPartResult(0).message();
}

// An engine that omitted such a sync would fail.
TEST_P(WritebackForgetTest, AnOmittedSyncIsDetected) {
  std::string failure;
  for (uint64_t seed = Seed(), last = seed + 40; failure.empty() && seed < last;
       ++seed) {
    failure = FirstFailure(std::make_unique<ShadowStorage>(), seed, GetParam());
  }
  EXPECT_NE(failure, "") << GetParam();
  std::printf("%s\n", failure.c_str());
}

INSTANTIATE_TEST_SUITE_P(Syncs, WritebackForgetTest,
                         ::testing::Values(".log", ".sst", "/MANIFEST",
                                           ".dbtmp", "directory"),
                         [](const auto& forgotten) {
                           std::string name = forgotten.param;
                           std::erase_if(name, [](char c) {
                             return c == '.' || c == '/';
                           });
                           return name;
                         });

TEST(WritebackNamesTest, ACallSurvivesWholeOrNotAtAllUntilADirectoryIsSynced) {
  using Paths = Names::Paths;
  Names names;
  for (const char* line : {"mkdir d", "create 7 d/old", "sync d", "sync ."}) {
    ASSERT_TRUE(names.Note(line)) << line;
  }
  ASSERT_TRUE(names.Note("create 8 d/new"));
  ASSERT_TRUE(names.Note("rename d/new d/old"));
  const auto outcomes = [&names] {
    std::set<Paths> different;
    Random luck(1);
    for (int i = 0; i < 1000; ++i) different.insert(names.AfterPowerCut(&luck));
    return different;
  };
  const Paths before = {{"d", Names::kDirectory}, {"d/old", 7}};
  const Paths both = {{"d", Names::kDirectory}, {"d/new", 8}, {"d/old", 7}};
  const Paths after = {{"d", Names::kDirectory}, {"d/old", 8}};
  EXPECT_EQ(outcomes(), (std::set<Paths>{before, both, after}));
  ASSERT_TRUE(names.Note("sync ."));  // another directory
  EXPECT_EQ(outcomes().size(), 3U);
  ASSERT_TRUE(names.Note("sync d"));
  EXPECT_EQ(outcomes(), std::set<Paths>{after});
  ASSERT_TRUE(names.Note("remove d/old"));
  EXPECT_EQ(outcomes().size(), 2U);
  EXPECT_FALSE(names.Note("rename d/none d/other"));
}

// Otherwise a cut would leave names that never existed.
TEST(WritebackTraceTest, TheTraceRecordsEveryName) {
  ShadowStorage storage;
  Ledger* const ledger = Ledger::New();
  const Round round{kSettings[2], /*seed=*/1, /*number=*/0, UINT64_MAX, {},
                    300,          1};
  RunAndCut(&storage, Watch(), round, Models(), ledger);
  EXPECT_TRUE(ledger->closed);
  EXPECT_EQ(storage.TraceDifference(), "");
}

// Otherwise these tests would not test mapped pages.
TEST(WritebackTraceTest, PowerFailsWhileALogIsMapped) {
  if (!in_memory) GTEST_SKIP() << "TMPDIR may be where logs are not mapped";
  Life life(kSettings[0], Seed());
  for (int i = 0; i < 200 && life.mapped() == 0 && !HasFailure(); ++i) {
    life.GoOn();
  }
  EXPECT_GT(life.mapped(), 0);
}

TEST(WritebackLongTest, PowerFailuresKeepEveryPromise) {
  using std::chrono::steady_clock;
  const auto end = steady_clock::now() + std::chrono::seconds(FromEnvironment(
                                             "TAMIS_WRITEBACK_SECONDS", 0));
  uint64_t seed = Seed();
  while (steady_clock::now() < end && !HasFailure()) {
    Life life(kSettings[seed % std::size(kSettings)], seed);
    const int rounds = Random(seed).OneIn(2) ? 2 : 40;
    for (int i = 0; i < rounds && !HasFailure() && steady_clock::now() < end;
         ++i) {
      life.GoOn();
    }
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed),
                life.Story().c_str());
    std::fflush(stdout);
    ++seed;
  }
}

// The same on a real file system, which itself determines what may be lost.
class WritebackDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (seconds_ == 0) {
      GTEST_SKIP() << "TAMIS_WRITEBACK_DEVICE_SECONDS is not set";
    }
    ASSERT_EQ(Device::Missing(), "");
  }

  const uint64_t seconds_ =
      FromEnvironment("TAMIS_WRITEBACK_DEVICE_SECONDS", 0);
};

TEST_F(WritebackDeviceTest, PowerFailuresKeepEveryPromise) {
  using std::chrono::steady_clock;
  const auto end = steady_clock::now() + std::chrono::seconds(seconds_);
  uint64_t seed = Seed();
  while (steady_clock::now() < end && !HasFailure()) {
    const char* const options = kMountOptions[seed % std::size(kMountOptions)];
    SCOPED_TRACE(options);
    Life life(kSettings[seed / std::size(kMountOptions) % std::size(kSettings)],
              seed, std::make_unique<DeviceStorage>(options, seed));
    for (int i = 0; i < 10 && !HasFailure() && steady_clock::now() < end; ++i) {
      life.GoOn();
    }
    std::printf("seed %llu, %s: %s\n", static_cast<unsigned long long>(seed),
                options, life.Story().c_str());
    std::fflush(stdout);
    ++seed;
  }
}

TEST_F(WritebackDeviceTest, AnUnsyncedLogIsDetected) {
  std::string failure;
  for (uint64_t seed = Seed(), last = seed + 20; failure.empty() && seed < last;
       ++seed) {
    failure = FirstFailure(
        std::make_unique<DeviceStorage>(kMountOptions[0], seed), seed, ".log");
  }
  EXPECT_NE(failure, "");
  std::printf("%s\n", failure.c_str());
}

}  // namespace
}  // namespace tamis::writeback
