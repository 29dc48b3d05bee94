// SPDX-License-Identifier: Apache-2.0
#include "tests/writeback/victim.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <signal.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/checkpoint.h"

namespace tamis::writeback {

namespace {

using kill::Operation;

// A failure ends the process by exit, which the test does not expect.
void Require(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "victim: %s\n", status.ToString().c_str());
  ::_exit(1);
}

[[noreturn]] void WaitForTheEnd() {
  while (true) ::pause();
}

class Victim {
 public:
  Victim(std::string live, const Round& round, const Models& models,
         Ledger* ledger)
      : live_(std::move(live)),
        round_(round),
        models_(models),
        ledger_(*ledger),
        client_(kill::OptionsOf(round.setting.database)) {}

  [[noreturn]] void Run() {
    Require(client_.Open(DatabaseOf(live_)));
    ledger_.opened = true;
    std::vector<std::thread> threads;
    for (uint32_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([this, t] { Work(t); });
    }
    for (std::thread& thread : threads) thread.join();
    if (round_.operations_until_close == 0) WaitForTheEnd();
    Require(client_.Close());
    ledger_.Promise(ledger_.Acknowledged());
    ledger_.closed = true;
    WaitForTheEnd();
  }

 private:
  void Work(uint32_t thread);
  void SyncLog() {
    const Counts counts = ledger_.Acknowledged();
    Require(client_.db()->FlushWAL(/*sync=*/true));
    if (round_.setting.log) ledger_.Promise(counts);
  }
  void MakeCopy(bool of_logs);
  void Do(uint32_t thread, uint32_t number, const Operation& operation,
          bool sync);

  const std::string live_;
  const Round& round_;
  const Models& models_;
  Ledger& ledger_;
  kill::Client client_;
};

void Victim::Work(uint32_t thread) {
  kill::Row row(round_.seed, round_.number, thread, models_[thread]);
  Random random(round_.seed + static_cast<uint64_t>(round_.number) + thread);
  const uint32_t last = round_.operations_until_close == 0
                            ? kOperationsMax
                            : round_.operations_until_close;
  for (uint32_t i = 0; i < last; ++i) {
    const Operation operation = row.Next();
    const bool is_flush = operation.kind == Operation::Kind::kFlush;
    Do(thread, i, operation,
       operation.sync && (is_flush || random.OneIn(round_.seldom)));
    if (random.OneIn(40 * round_.seldom)) SyncLog();
    if (random.OneIn(40)) Require(client_.db()->FlushWAL(/*sync=*/false));
    if (thread == 1 && random.OneIn(100)) MakeCopy(random.OneIn(2));
  }
}

void Victim::Do(uint32_t thread, uint32_t number, const Operation& operation,
                bool sync) {
  using Kind = Operation::Kind;
  Ledger::Thread& mine = ledger_.threads[thread];
  WriteOptions options;
  options.disableWAL = !round_.setting.log;
  options.sync = sync && round_.setting.log;
  const bool of_families = operation.kind == Kind::kCreateFourth ||
                           operation.kind == Kind::kDropFourth;
  // A family is created and dropped at once, even while earlier writes may be
  // lost.
  if (of_families) {
    SyncLog();
    if (!round_.setting.log) Require(client_.db()->Flush(FlushOptions()));
  }
  const Counts seen = ledger_.Acknowledged();
  Counts flushed = ledger_.Wrote(operation.family);
  mine.seen[number] = of_families ? Counts{} : seen;
  ++mine.begun;
  Require(client_.Do(operation, options));
  ++mine.acknowledged;
  for (const kill::Change& change : operation.changes) {
    mine.wrote[change.family] = number + 1;
  }
  const bool flushes = operation.kind == Kind::kCompactRange ||
                       (operation.kind == Kind::kFlush && sync);
  if (options.sync) {
    ledger_.Promise(seen);
    flushed = {};
    flushed[thread] = number + 1;
  } else if (of_families) {
    flushed = {};
    flushed[thread] = number + 1;
  } else if (!flushes) {
    return;
  }
  ledger_.Promise(flushed);
}

void Victim::MakeCopy(bool of_logs) {
  const uint32_t number = ledger_.copies_begun++;
  if (number >= kCopiesMax) return;
  Ledger::Copy& copy = ledger_.copies[number];
  std::unique_ptr<Checkpoint> checkpoint;
  Require(Checkpoint::Create(client_.db(), &checkpoint));
  copy.least = ledger_.Acknowledged();
  Require(checkpoint->CreateCheckpoint(CopyOf(live_, number),
                                       of_logs ? UINT64_MAX : 0));
  for (size_t t = 0; t < kThreads; ++t) {
    copy.most[t] = ledger_.threads[t].begun;
  }
  copy.made = true;
}

}  // namespace

void RunAndCut(Storage* storage, const Watch& watch, const Round& round,
               const Models& models, Ledger* ledger) {
  ledger->Reset();
  const pid_t child = ::fork();
  if (child == 0) {
    storage->Enter(watch);
    Victim(storage->live(), round, models, ledger).Run();
  }
  ASSERT_GT(child, 0);
  const auto acknowledged = [&] {
    const Counts counts = ledger->Acknowledged();
    uint64_t sum = 0;
    for (const uint32_t count : counts) sum += count;
    return sum;
  };
  int status = 0;
  pid_t ended = 0;
  while (ended == 0 && acknowledged() < round.operations && !ledger->closed) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    ended = ::waitpid(child, &status, WNOHANG);
  }
  if (ended == 0) {
    std::this_thread::sleep_for(round.later);
    storage->PowerOff(child);
    ended = ::waitpid(child, &status, 0);
  }
  EXPECT_EQ(ended, child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
      << "the victim ended by itself, wait status " << status;
}

}  // namespace tamis::writeback
