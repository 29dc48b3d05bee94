// SPDX-License-Identifier: Apache-2.0
//
// Several threads write, read, flush, compact, take snapshots, create and drop
// families, with real background threads, while allocations fail, callbacks
// throw and the system gives no threads, at random. Shows D24 and D25 of
// docs/durability.md where calls meet each other.
//
//   open ── work under failures ──┬── Resume ── work ── checks ── close ── ...
//                                 └── destroy, perhaps under failures ── ...
//
// failing_client.h has the results that each client may see. No call may hang,
// and a closed database leaves no descriptor and no thread.
//
//   TAMIS_SEED=n      another seed; the default is 1
//   TAMIS_EFFORT=n    percentage of the rounds to run
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/failures/failures.h"
#include "tests/failures/quiet_file_system.h"
#include "tests/failures/throwing_callbacks.h"
#include "tests/process/failing_client.h"
#include "tests/support/directories.h"
#include "tests/support/effort.h"
#include "tests/support/simulated_file_system.h"
#include "util/base/random.h"

namespace tamis::process {
namespace {

constexpr size_t kClients = 4;
constexpr int kOperations = 150;
constexpr unsigned kSecondsToHang = 120;  // of a round

char running[64];

void TellAndDie(int signal) {
  std::fputs(signal == SIGALRM ? "a call hangs, " : "", stderr);
  std::fputs(running, stderr);
  std::signal(SIGABRT, SIG_DFL);
  std::raise(SIGABRT);
}

size_t EntriesOf(const char* directory) {
  size_t n = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    static_cast<void>(entry);
    ++n;
  }
  return n;
}

// A database of a few settings, and its clients.
class World {
 public:
  // `files`: in memory; nullptr: in a directory of the machine.
  World(uint64_t seed, std::shared_ptr<FileSystem> files)
      : files_(std::move(files)),
        directory_(files_ != nullptr ? "/db" : temporary_.Path("db")) {
    for (size_t i = 0; i < kClients; ++i) clients_.emplace_back(i, seed);
  }

  // Which failures: by the seed of the round.
  void Arm(Random* random) {
    Failures::Chances chances;
    const uint64_t dice = random->Uniform(4);
    if (dice != 1) chances.allocations = 200 + random->Uniform(5000);
    if (dice != 2) chances.callbacks = 200 + random->Uniform(20'000);
    if (dice != 3) chances.threads = 2 + random->Uniform(3);
    if (random->OneIn(3)) chances.in_a_row = 1 + random->Uniform(60);
    chances.only_marked = random->OneIn(4);
    Failures::ArmAtRandom(random->Next(), chances);
  }

  void ChooseOptions(Random* random) {
    options_ = Options();
    options_.create_if_missing = true;
    options_.create_missing_column_families = true;
    if (files_ != nullptr) {
      options_.file_system = std::make_shared<QuietFileSystem>(files_);
    } else if (random->OneIn(2)) {
      options_.file_system =
          std::make_shared<QuietFileSystem>(NewPosixFileSystem());
    }
    options_.merge_operator = std::make_shared<ThrowingAppend>();
    options_.write_buffer_size = 64 << 10;
    options_.level0_file_num_compaction_trigger = 2;
    options_.target_file_size_base = 8 << 10;
    options_.max_bytes_for_level_base = 32 << 10;
    options_.max_background_jobs = 3;
    options_.max_subcompactions = 2;
    options_.max_open_files = random->OneIn(2) ? 12 : -1;
    options_.atomic_flush = random->OneIn(4);
    options_.bgerror_resume_retry_interval = 3'000;
    BlockBasedTableOptions table;
    table.block_size = 512;
    table.filter_policy.reset(NewBloomFilterPolicy(10));
    table.block_cache = NewLRUCache(64 << 10);
    options_.table_factory.reset(NewBlockBasedTableFactory(table));
    user_ = options_;
    user_.comparator = &order_;
    user_.prefix_extractor = std::make_shared<ThrowingPrefix>();
    table.filter_policy = std::make_shared<ThrowingFilterPolicy>();
    user_.table_factory.reset(NewBlockBasedTableFactory(table));
  }

  // Under failures, which may break it a few times, or without.
  void Open(Random* random) {
    ChooseOptions(random);
    if (random->OneIn(2)) {
      Arm(random);
      for (int i = 0; i < 3 && db_ == nullptr; ++i) {
        const Status status = TryToOpen();
        EXPECT_TRUE(status.ok() || status.IsMemoryLimit() ||
                    status.IsTryAgain() || status.IsAborted())
            << status;
      }
      Failures::Disarm();
    }
    if (db_ == nullptr) {
      const Status status = TryToOpen();
      ASSERT_TRUE(status.ok()) << status;
    }
    for (FailingClient& client : clients_) {
      const auto own = handles_.find(client.FamilyName());
      EXPECT_EQ(
          client.Adopt(db_.get(), {handles_["default"], handles_["user"]},
                       own != handles_.end() ? own->second : nullptr, options_),
          "");
    }
  }

  void WorkUnderFailures(Random* random) {
    Arm(random);
    std::vector<std::thread> threads;
    {
      const Failures::Pause pause;
      for (size_t i = 0; i < kClients; ++i) {
        threads.emplace_back([this, i] {
          const Failures::Pause paused;
          // One of them, where the failures are one thread's.
          std::optional<Failures::Mark> mark;
          if (i == 0) mark.emplace();
          problems_[i] = clients_[i].Work(kOperations);
        });
      }
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& problem : problems_) EXPECT_EQ(problem, "");
  }

  // The failures have ended, and the database works again.
  void GoOn() {
    Failures::Disarm();
    // A job that met a failure before may not have said so yet.
    while (Property(DB::Properties::kNumRunningFlushes) != 0 ||
           Property(DB::Properties::kNumRunningCompactions) != 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const Status status = db_->Resume();
    EXPECT_TRUE(status.ok()) << status;
    for (FailingClient& client : clients_) {
      EXPECT_EQ(client.Check(), "");
      const uint64_t failed = client.failed();
      EXPECT_EQ(client.Work(20), "");
      EXPECT_EQ(client.failed(), failed) << "without a failure";
      EXPECT_EQ(client.Check(), "");
    }
    for (const char* const family : {"default", "user"}) {
      EXPECT_TRUE(
          db_->CompactRange({}, handles_[family], nullptr, nullptr).ok());
    }
    for (FailingClient& client : clients_) EXPECT_EQ(client.Check(), "");
  }

  void LetGo() {
    for (FailingClient& client : clients_) client.LetGo();
    for (const char* const family : {"default", "user"}) {
      delete handles_[family];
    }
    handles_.clear();
  }

  void Close() {
    LetGo();
    const Status status = db_->Close();
    EXPECT_TRUE(status.ok()) << status;
    db_.reset();
  }

  // Perhaps under the failures.
  void Drop(Random* random) {
    if (random->OneIn(2)) Failures::Disarm();
    LetGo();
    Engine([this] { db_.reset(); });
    Failures::Disarm();
  }

  uint64_t acknowledged() const {
    uint64_t n = 0;
    for (const FailingClient& client : clients_) n += client.acknowledged();
    return n;
  }
  uint64_t failed() const {
    uint64_t n = 0;
    for (const FailingClient& client : clients_) n += client.failed();
    return n;
  }

 private:
  uint64_t Property(const std::string& name) const {
    uint64_t value = 0;
    EXPECT_TRUE(db_->GetIntProperty(name, &value)) << name;
    return value;
  }

  Status TryToOpen() {
    std::vector<std::string> names = {"default", "user"};
    if (exists_) {
      const Status status = Engine(
          [&] { return DB::ListColumnFamilies(options_, directory_, &names); });
      if (!status.ok()) return status;
    }
    std::vector<ColumnFamilyDescriptor> families;
    for (const std::string& name : names) {
      families.emplace_back(name, name == "user" ? user_ : options_);
    }
    std::vector<ColumnFamilyHandle*> handles;
    const Status status = Engine([&] {
      return DB::Open(options_, directory_, families, &handles, &db_);
    });
    if (status.ok()) {
      exists_ = true;
      for (size_t i = 0; i < names.size(); ++i) handles_[names[i]] = handles[i];
    } else {
      EXPECT_TRUE(handles.empty());
      EXPECT_EQ(db_, nullptr);
    }
    return status;
  }

  const TemporaryDirectory temporary_;
  const std::shared_ptr<FileSystem> files_;
  const std::string directory_;
  bool exists_ = false;
  ThrowingComparator order_;
  Options options_;
  Options user_;
  std::unique_ptr<DB> db_;
  std::map<std::string, ColumnFamilyHandle*> handles_;
  std::vector<FailingClient> clients_;
  std::array<std::string, kClients> problems_;
};

void LiveRounds(int rounds, std::shared_ptr<FileSystem> files) {
  const Failures::Pause pause;
  const uint64_t first = FromEnvironment("TAMIS_SEED", 1);
  std::signal(SIGALRM, TellAndDie);
  std::signal(SIGABRT, TellAndDie);
  World world(first, std::move(files));
  const size_t descriptors = EntriesOf("/proc/self/fd");
  const size_t threads = EntriesOf("/proc/self/task");
  for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    std::snprintf(running, sizeof(running), "round %d, TAMIS_SEED=%d\n", round,
                  static_cast<int>(first));
    SCOPED_TRACE(running);
    ::alarm(kSecondsToHang);
    Random random(first + static_cast<uint64_t>(round));
    world.Open(&random);
    if (testing::Test::HasFatalFailure()) break;
    world.WorkUnderFailures(&random);
    if (random.OneIn(2)) {
      world.GoOn();
      world.Close();
    } else {
      world.Drop(&random);
    }
    EXPECT_EQ(EntriesOf("/proc/self/fd"), descriptors);
    // A thread that was joined may still be listed briefly.
    for (int i = 0; i < 100 && EntriesOf("/proc/self/task") > threads; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(EntriesOf("/proc/self/task"), threads);
  }
  ::alarm(0);
  std::signal(SIGABRT, SIG_DFL);
  std::printf("%d rounds, %llu writes acknowledged, %llu calls failed\n",
              rounds, static_cast<unsigned long long>(world.acknowledged()),
              static_cast<unsigned long long>(world.failed()));
  EXPECT_GT(world.acknowledged(), 0U);
  EXPECT_GT(world.failed(), 0U);
}

TEST(RandomFailuresTest, SeveralThreadsLoseNothingAndNeverHang) {
  LiveRounds(Rounds(40), NewSimulatedFileSystem());
}

// Most of its time is the disk's, which syncs.
TEST(RandomFailuresTest, SeveralThreadsOnADiskLoseNothingAndNeverHang) {
  LiveRounds(Rounds(3), nullptr);
}

}  // namespace
}  // namespace tamis::process
