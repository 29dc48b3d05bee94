// SPDX-License-Identifier: Apache-2.0
#include "tests/kill/victim.h"

#include <cstdio>
#include <signal.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

namespace tamis::kill {

namespace {

void Require(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "victim: %s\n", status.ToString().c_str());
  ::_exit(1);
}

}  // namespace

Victim::Victim(const Round& round, const Models& models, ExpectedState* state)
    : round_(round),
      client_(OptionsOf(round.setting)),
      models_(models),
      state_(*state) {}

void Victim::Start() {
  Require(client_.Open(round_.directory));
  for (uint32_t t = 0; t < kThreads; ++t) {
    std::thread([this, t] { Work(t); }).detach();
  }
}

void Victim::Work(uint32_t thread) {
  Row row(round_.seed, round_.number, thread, models_[thread]);
  ExpectedState::Progress& progress = state_.of(thread);
  while (true) {
    const Operation operation = row.Next();
    WriteOptions options;
    options.sync = operation.sync || round_.setting.every_write_synced;
    ++progress.begun;
    Require(client_.Do(operation, options));
    ++progress.acknowledged;
  }
}

void RunAndKill(const Round& round, const Models& models, Moment moment,
                ExpectedState* state) {
  state->Reset();
  const pid_t child = ::fork();
  if (child == 0) {
    Victim victim(round, models, state);
    victim.Start();
    while (true) ::pause();
  }
  ASSERT_GT(child, 0);
  // How fast it is depends on the machine, and on what else that does.
  int status = 0;
  pid_t ended = 0;
  while (ended == 0 && state->acknowledged() < moment.operations) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    ended = ::waitpid(child, &status, WNOHANG);
  }
  if (ended == 0) {
    std::this_thread::sleep_for(moment.later);
    ::kill(child, SIGKILL);
    ended = ::waitpid(child, &status, 0);
  }
  EXPECT_EQ(ended, child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
      << "the victim ended by itself, wait status " << status;
}

}  // namespace tamis::kill
