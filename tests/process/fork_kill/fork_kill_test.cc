// SPDX-License-Identifier: Apache-2.0
//
// A process that writes and forks (forking_victim.h) is killed at a random
// time, with at least one child that survives, repeatedly in one growing
// directory. Then:
//
//   while children live   an open is refused and names each that holds the
//                         inherited lock, or succeeds where none does; an open
//                         for reading shows what was acknowledged
//   the children          end as they are told to, or are killed; nothing that
//                         they do fails
//   after them            the open succeeds, and shows what was acknowledged
//                         (tests/kill/operations.h), and so do the databases
//                         that the children opened
//
//   TAMIS_EFFORT=2500     500 kills each with every write synced and with one
//                         in sixty; 20 each by default
//   TMPDIR=/var/tmp       on a disk, which makes it slower
//   TAMIS_SEED            repeats a run as far as threads and kills allow
//
// Shows D1, D2, D6, D22 and D23 of docs/durability.md for a process that is
// killed beside its children.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/kill/survivor.h"
#include "tests/process/child.h"
#include "tests/process/fork_kill/forking_victim.h"
#include "tests/support/directories.h"
#include "tests/support/effort.h"
#include "tests/support/locked.h"

namespace tamis::process {
namespace {

using Clock = std::chrono::steady_clock;
using State = ChildPlace::State;

constexpr auto kAtMost = std::chrono::seconds(30);
constexpr auto kPause = std::chrono::microseconds(200);

constexpr kill::Setting kSettings[] = {
    {"Synced", [](Options*, BlockBasedTableOptions*) {},
     /*every_write_synced=*/true},
    {"NotSynced", [](Options*, BlockBasedTableOptions*) {}},
};

// As the victim opens it.
Status OpenAndClose(const std::string& directory,
                    const kill::Setting& setting) {
  std::vector<std::string> names;
  Status status = kill::ListFamilies(directory, &names);
  if (!status.ok()) return status;
  const Options options = kill::OptionsOf(setting);
  std::unique_ptr<DB> db;
  std::vector<ColumnFamilyHandle*> handles;
  status = DB::Open(options, directory, kill::Descriptors(options, names),
                    &handles, &db);
  for (ColumnFamilyHandle* handle : handles) delete handle;
  return status;
}

void ExpectGoodEnd(pid_t child, int wait_status) {
  const int code = ExitCode(wait_status);
  EXPECT_TRUE(code == 0 || code == 128 + SIGKILL)
      << "child " << child << " ended with " << code;
}

// Where it is a child of this process that lives.
void KillIfOurs(pid_t pid) {
  if (pid <= 0) return;
  int status = 0;
  const pid_t ended = ::waitpid(pid, &status, WNOHANG);
  if (ended == 0) ::kill(pid, SIGKILL);
  if (ended == pid) ExpectGoodEnd(pid, status);
}

class ForkKillTest : public ::testing::TestWithParam<kill::Setting> {
 protected:
  // What a killed process leaves behind becomes this one's.
  void SetUp() override {
    ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    ASSERT_TRUE(state_.mapped());
  }
  void TearDown() override {
    EndChildren();
    ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
  }

  void KillAndCompare(int number);
  void RunAndKill(const kill::Round& round);
  void OpenBesideChildren();
  void EndChildren();
  void CompareOwnDatabases();

  const uint64_t seed_ =
      FromEnvironment("TAMIS_SEED", RandomBitsFromSystem()[0]);
  const TemporaryDirectory temporary_{MemoryParent()};
  const std::string directory_ = temporary_.Path("db");
  kill::ExpectedState state_{temporary_.Path("expected")};
  Shared<Children> children_;
  Random random_{seed_};
  kill::Models models_;
  uint64_t acknowledged_ = 0;
  uint64_t refused_ = 0;  // opens
  uint64_t own_databases_ = 0;
};

void ForkKillTest::RunAndKill(const kill::Round& round) {
  state_.Reset();
  for (ChildPlace& place : children_->places) {
    place.state = State::kNone;
    place.told_to_end = false;
    place.own_puts = 0;
  }
  const bool during_open = random_.OneIn(8);
  const uint64_t operations = during_open ? 0 : 1 + random_.Uniform(800);
  Child parent([&] {
    ForkingVictim{round,       models_,           &state_,
                  &*children_, temporary_.path(), during_open}
        .Run();
    return 0;
  });
  const auto until = Clock::now() + kAtMost;
  while (
      !parent.HasEnded() && Clock::now() < until &&
      (!children_->places[0].stays() || state_.acknowledged() < operations)) {
    std::this_thread::sleep_for(kPause);
  }
  std::this_thread::sleep_for(std::chrono::microseconds(random_.Uniform(5000)));
  parent.Kill();
  EXPECT_EQ(parent.Wait(), 128 + SIGKILL) << "it ended by itself";
  EXPECT_TRUE(children_->places[0].stays());
}

void ForkKillTest::OpenBesideChildren() {
  const auto until = Clock::now() + kAtMost;
  while (true) {
    std::vector<pid_t> holders;
    std::vector<pid_t> may_hold;
    for (const ChildPlace& place : children_->places) {
      if (!place.stays()) continue;
      if (place.state == State::kHolds) holders.push_back(place.pid);
      if (place.state == State::kMayHold) may_hold.push_back(place.pid);
    }
    const Status status = OpenAndClose(directory_, GetParam());
    const auto names = [&](const std::vector<pid_t>& pids) {
      return std::all_of(pids.begin(), pids.end(), [&](pid_t pid) {
        return status.message().find("process " + std::to_string(pid) + " (") !=
               std::string::npos;
      });
    };
    if (!holders.empty()) {
      EXPECT_TRUE(SaysLocked(status)) << status;
      EXPECT_TRUE(names(holders)) << status;
      ++refused_;
      return;
    }
    if (!SaysLocked(status) || (!may_hold.empty() && names(may_hold))) {
      EXPECT_TRUE(status.ok() || SaysLocked(status)) << status;
      return;
    }
    // Children that just start, or are about to end, have it for a moment.
    ASSERT_LT(Clock::now(), until) << status;
    std::this_thread::sleep_for(kPause);
  }
}

void ForkKillTest::EndChildren() {
  for (ChildPlace& place : children_->places) {
    const bool kills = place.stays() && random_.OneIn(2);
    place.told_to_end = true;
    if (kills || place.state == State::kExecutes) KillIfOurs(place.pid);
  }
  const auto until = Clock::now() + kAtMost;
  bool killed = false;
  while (true) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid < 0) break;
    if (pid > 0) {
      ExpectGoodEnd(pid, status);
    } else {
      if (Clock::now() > until && !killed) {
        killed = true;
        for (const ChildPlace& place : children_->places) {
          ADD_FAILURE() << "a child does not end: process " << place.pid
                        << ", state " << static_cast<int>(place.state.load());
          KillIfOurs(place.pid);
        }
      }
      std::this_thread::sleep_for(kPause);
    }
  }
  EXPECT_EQ(errno, ECHILD);
}

void ForkKillTest::CompareOwnDatabases() {
  for (size_t i = 0; i < kPlaces; ++i) {
    const uint64_t puts = children_->places[i].own_puts;
    if (puts == 0) continue;
    ++own_databases_;
    std::unique_ptr<DB> db;
    const Status status =
        DB::Open(Options(), OwnDirectory(temporary_.path(), i), &db);
    ASSERT_TRUE(status.ok()) << status;
    std::string value;
    for (uint64_t put = 0; put < puts; ++put) {
      ASSERT_TRUE(db->Get({}, OwnKey(put), &value).ok())
          << put << " of " << puts;
    }
  }
}

void ForkKillTest::KillAndCompare(int number) {
  const kill::Round round = {directory_, GetParam(), seed_, number};
  RunAndKill(round);
  OpenBesideChildren();
  std::optional<kill::Survivor> beside;
  if (random_.OneIn(2)) {
    beside = kill::ReadByTamis(directory_, GetParam(), /*read_only=*/true);
  }
  EndChildren();
  const kill::Survivor after =
      kill::ReadByTamis(directory_, GetParam(), /*read_only=*/random_.OneIn(4));
  EXPECT_TRUE(!beside || *beside == after)
      << "beside the children an open for reading shows something else";
  for (uint32_t t = 0; t < kill::kThreads; ++t) {
    acknowledged_ += Advance(round, t, state_.of(t), after, &models_[t]);
  }
  CompareOwnDatabases();
}

TEST_P(ForkKillTest, AcknowledgedWritesSurviveTheParentsKill) {
  std::printf("TAMIS_SEED=%llu\n", static_cast<unsigned long long>(seed_));
  std::fflush(stdout);
  const int kills = Rounds(20);
  for (int i = 0; i < kills && !HasFailure(); ++i) {
    SCOPED_TRACE("TAMIS_SEED=" + std::to_string(seed_) + ", round " +
                 std::to_string(i));
    KillAndCompare(i);
  }
  std::ostringstream figures;
  figures << kills << " kills, " << acknowledged_
          << " acknowledged operations, " << children_->forked << " children, "
          << children_->refused_calls << " refused calls, " << refused_
          << " refused opens, " << own_databases_ << " databases of children";
  std::puts(figures.str().c_str());
  EXPECT_GT(acknowledged_, static_cast<uint64_t>(kills));
  EXPECT_GE(children_->forked, static_cast<uint64_t>(kills));
}

INSTANTIATE_TEST_SUITE_P(Settings, ForkKillTest, ::testing::ValuesIn(kSettings),
                         [](const auto& setting) {
                           return setting.param.name;
                         });

}  // namespace
}  // namespace tamis::process
