// SPDX-License-Identifier: Apache-2.0
//
// The Env's threads, and what it refuses. tests/source_compat/env.cc uses it as
// a program for RocksDB does.
#include "tamis/env.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tamis/convenience.h"
#include "tamis/logger.h"

#include "tests/support/directories.h"

namespace tamis {
namespace {

void Add(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

TEST(EnvTest, OneIsKnownByUris) {
  Env* env = nullptr;
  std::shared_ptr<Env> guard;
  for (const char* uri : {"", "posix://"}) {
    EXPECT_TRUE(
        Env::CreateFromUri(ConfigOptions(), uri, uri, &env, &guard).ok());
    EXPECT_EQ(env, Env::Default());
  }
  EXPECT_EQ(ConfigOptions().env, env);
  EXPECT_EQ(Options().env, env);
  const Status other =
      Env::CreateFromUri(ConfigOptions(), "", "hdfs://x", &env, nullptr);
  EXPECT_TRUE(other.IsNotSupported());
  EXPECT_NE(other.ToString().find("hdfs://x"), std::string::npos);
}

TEST(EnvTest, MemEnvsHaveFilesOfTheirOwn) {
  const std::unique_ptr<Env> one(NewMemEnv(Env::Default()));
  const std::unique_ptr<Env> two(NewMemEnv(nullptr));
  std::shared_ptr<Logger> logger;
  ASSERT_EQ(one->CreateDirIfMissing("/tamis/logs"), Status::OK());
  ASSERT_EQ(NewEnvLogger("/tamis/logs/log", one.get(), &logger), Status::OK());
  Info(logger, "a line");
  uint64_t bytes = 0;
  ASSERT_EQ(one->GetFileSize("/tamis/logs/log", &bytes), Status::OK());
  EXPECT_EQ(bytes, logger->GetLogFileSize());
  EXPECT_TRUE(two->FileExists("/tamis/logs").IsNotFound());
  EXPECT_TRUE(Env::Default()->FileExists("/tamis/logs").IsNotFound());
}

TEST(EnvTest, ACompositeEnvHasTheFileSystemOfItsCaller) {
  const auto fs = NewMemFileSystem();
  const std::unique_ptr<Env> env = NewCompositeEnv(fs);
  EXPECT_EQ(env->GetFileSystem(), fs);
  ASSERT_EQ(fs->CreateDirIfMissing("/directory"), Status::OK());
  EXPECT_EQ(env->FileExists("/directory"), Status::OK());
}

TEST(EnvTest, APathFromTheRoot) {
  std::string absolute;
  ASSERT_TRUE(Env::Default()->GetAbsolutePath("file", &absolute).ok());
  EXPECT_TRUE(absolute.starts_with('/')) << absolute;
  EXPECT_TRUE(absolute.ends_with("/file")) << absolute;
  ASSERT_TRUE(Env::Default()->GetAbsolutePath("/a/file", &absolute).ok());
  EXPECT_EQ(absolute, "/a/file");
}

TEST(EnvTest, LoggerWritesLinesToAFile) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("log");
  std::shared_ptr<Logger> logger;
  ASSERT_EQ(Env::Default()->NewLogger(path, &logger), Status::OK());
  Info(logger, "%s %d", "apples", 3);
  Debug(logger, "not of this level");
  Error(logger, "%s", std::string(5000, 'x').c_str());
  std::string text;
  ASSERT_EQ(ReadFileToString(NewPosixFileSystem().get(), path, &text),
            Status::OK());
  EXPECT_EQ(logger->GetLogFileSize(), text.size());
  // "2026/11/21-10:03:04.123456 apples 3"
  EXPECT_EQ(text.find(" apples 3\n"), 26u) << text;
  EXPECT_EQ(text.find("not of this level"), std::string::npos);
  EXPECT_NE(text.find(std::string(5000, 'x') + "\n"), std::string::npos);
  EXPECT_EQ(logger->Close(), Status::OK());
  Info(logger, "too late");
  EXPECT_EQ(logger->GetLogFileSize(), 0u);
  EXPECT_TRUE(NewEnvLogger(directory.Path("none/log"), Env::Default(), &logger)
                  .IsIOError());
  EXPECT_EQ(logger, nullptr);
}

TEST(EnvTest, ScheduledCallsRunOnTheirPool) {
  Env* const env = Env::Default();
  std::atomic<int> calls{0};
  for (int i = 0; i < 100; ++i) {
    env->Schedule(&Add, &calls, i % 2 == 0 ? Env::LOW : Env::HIGH);
  }
  while (calls < 100) std::this_thread::yield();
  EXPECT_EQ(env->GetThreadPoolQueueLen(Env::LOW), 0u);
  EXPECT_EQ(env->GetThreadPoolQueueLen(Env::HIGH), 0u);
}

TEST(EnvTest, ThreadsAreAddedForCallsAfterThat) {
  Env* const env = Env::Default();
  struct Meeting {
    std::atomic<int> there{0};
    std::atomic<int> gone{0};
  } meeting;
  env->Schedule(&Add, &meeting.gone, Env::LOW);
  env->SetBackgroundThreads(3, Env::LOW);
  env->IncBackgroundThreadsIfNeeded(2, Env::LOW);
  EXPECT_EQ(env->GetBackgroundThreads(Env::LOW), 3);
  // None of them ends before all have begun.
  for (int i = 0; i < 3; ++i) {
    env->Schedule(
        [](void* arg) {
          auto* const m = static_cast<Meeting*>(arg);
          ++m->there;
          while (m->there < 3) std::this_thread::yield();
          ++m->gone;
        },
        &meeting, Env::LOW);
  }
  while (meeting.gone < 4) std::this_thread::yield();
  env->SetBackgroundThreads(0, Env::LOW);
  EXPECT_EQ(env->GetBackgroundThreads(Env::LOW), 1);
}

TEST(EnvTest, CallsThatHaveNotBegunAreTakenBack) {
  Env* const env = Env::Default();
  struct State {
    std::atomic<bool> begun{false};
    std::atomic<bool> open{false};
    std::atomic<int> calls{0};
  } state;
  env->Schedule(
      [](void* arg) {
        auto* const s = static_cast<State*>(arg);
        s->begun = true;
        while (!s->open) std::this_thread::yield();
        ++s->calls;
      },
      &state, Env::HIGH);
  while (!state.begun) std::this_thread::yield();
  int tag = 0;
  int other = 0;
  for (int* const name : {&tag, &other, &tag}) {
    env->Schedule(&Add, &state.calls, Env::HIGH, name, [](void* arg) {
      // `calls` is a member of the State.
      ++*static_cast<std::atomic<int>*>(arg);
    });
  }
  EXPECT_EQ(env->GetThreadPoolQueueLen(Env::HIGH), 3u);
  EXPECT_EQ(env->UnSchedule(nullptr, Env::HIGH), 0);
  EXPECT_EQ(env->UnSchedule(&tag, Env::LOW), 0);
  EXPECT_EQ(env->UnSchedule(&tag, Env::HIGH), 2);
  EXPECT_EQ(state.calls, 2);  // of the unschedule_functions
  EXPECT_EQ(env->GetThreadPoolQueueLen(Env::HIGH), 1u);
  state.open = true;
  while (state.calls < 4) std::this_thread::yield();
  EXPECT_EQ(env->GetThreadPoolQueueLen(Env::HIGH), 0u);
}

TEST(EnvTest, StartedThreadsAreJoined) {
  Env* const env = Env::Default();
  std::atomic<int> calls{0};
  for (int i = 0; i < 5; ++i) env->StartThread(&Add, &calls);
  env->WaitForJoin();
  EXPECT_EQ(calls, 5);
  env->WaitForJoin();
}

}  // namespace
}  // namespace tamis
