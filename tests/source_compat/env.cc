// SPDX-License-Identifier: Apache-2.0
//
// Compacts files by jobs of its own on the threads of the Env, told by a
// listener that there are many; and uses the Env's time and files.
#include <atomic>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/listener.h>
#include <rocksdb/options.h>

#include "program.h"

using namespace rocksdb;

namespace {

// What a job compacts.
struct Task {
  DB* db;
  std::vector<std::string> files;
  std::atomic<int>* done;
};

void Compact(void* arg) {
  const std::unique_ptr<Task> task(static_cast<Task*>(arg));
  const Status status =
      task->db->CompactFiles(CompactionOptions(), task->files, 1);
  if (!status.ok()) std::cout << status.ToString() << "\n";
  ++*task->done;
}

void Add(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

class Watcher : public EventListener {
 public:
  explicit Watcher(Env* env) : env_(env) {}
  void OnFlushCompleted(DB* db, const FlushJobInfo& /*info*/) override {
    ColumnFamilyMetaData family;
    db->GetColumnFamilyMetaData(&family);
    if (family.levels[0].files.size() < 4) return;
    auto* const task = new Task{db, {}, &done};
    for (const SstFileMetaData& file : family.levels[0].files) {
      if (file.being_compacted) continue;
      task->files.push_back(file.db_path + file.name);
    }
    ++scheduled;
    env_->Schedule(&Compact, task);
  }
  std::atomic<int> scheduled{0};
  std::atomic<int> done{0};

 private:
  Env* const env_;
};

void Threads(Env* env) {
  std::atomic<int> calls{0};
  env->SetBackgroundThreads(2, Env::HIGH);
  for (int i = 0; i < 10; ++i) env->Schedule(&Add, &calls, Env::Priority::HIGH);
  for (int i = 0; i < 5; ++i) env->StartThread(&Add, &calls);
  env->WaitForJoin();
  while (calls < 15) env->SleepForMicroseconds(1000);
  env->IncBackgroundThreadsIfNeeded(3, Env::Priority::LOW);
  std::cout << calls << " calls, " << env->GetBackgroundThreads(Env::LOW) << " "
            << env->GetBackgroundThreads(Env::HIGH) << " threads, "
            << env->GetThreadPoolQueueLen() << " wait\n";
  // The threads are busy: what comes then can be taken back.
  struct Gate {
    std::atomic<int> waiting{0};
    std::atomic<bool> open{false};
  } gate;
  const auto wait = [](void* arg) {
    auto* const g = static_cast<Gate*>(arg);
    ++g->waiting;
    while (!g->open) Env::Default()->SleepForMicroseconds(1000);
    --g->waiting;
  };
  for (int i = 0; i < 3; ++i) env->Schedule(wait, &gate, Env::LOW);
  while (gate.waiting < 3) env->SleepForMicroseconds(1000);
  int tag = 0;
  for (int i = 0; i < 4; ++i) {
    env->Schedule(&Add, &calls, Env::LOW, &tag, [](void*) {});
  }
  std::cout << env->GetThreadPoolQueueLen(Env::LOW) << " wait, "
            << env->UnSchedule(&tag, Env::LOW) << " taken back, "
            << env->GetThreadPoolQueueLen(Env::LOW) << " wait\n";
  gate.open = true;
  while (gate.waiting > 0) env->SleepForMicroseconds(1000);
}

void TimeAndFiles(Env* env, const std::string& path) {
  int64_t now = 0;
  Check(env->GetCurrentTime(&now));
  const uint64_t micros = env->NowMicros();
  const uint64_t nanos = env->NowNanos();
  env->SleepForMicroseconds(2000);
  std::cout << (now > 1700000000) << (env->NowMicros() >= micros + 2000)
            << (env->NowNanos() >= nanos + 2000000) << "\n";
  Check(env->CreateDir(path));
  std::cout << env->CreateDir(path).ok() << env->FileExists(path).ok()
            << env->FileExists(path + "/x").IsNotFound() << "\n";
  Check(env->CreateDirIfMissing(path));
  std::vector<std::string> names;
  Check(env->GetChildren(path, &names));
  std::cout << names.size() << " files\n";
  Check(env->DeleteDir(path));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  Env* env = nullptr;
  std::shared_ptr<Env> guard;
  Check(Env::CreateFromUri(ConfigOptions(), "", "", &env, &guard));
  std::cout << (env == Env::Default()) << "\n";
  Threads(env);
  TimeAndFiles(env, path + "_folder");

  ConfigOptions config;
  config.env = env;
  Options options;
  Check(GetOptionsFromString(config, Options(), "write_buffer_size=65536",
                             &options));
  options.env = env;
  options.create_if_missing = true;
  options.compaction_style = kCompactionStyleNone;
  options.level0_slowdown_writes_trigger = 100;
  options.level0_stop_writes_trigger = 200;
  const auto watcher = std::make_shared<Watcher>(env);
  options.listeners.push_back(watcher);
  DB* db = nullptr;
  Check(DB::Open(options, path, &db));
  std::cout << (db->GetEnv() == env) << "\n";
  for (int i = 0; i < 400; ++i) {
    Check(db->Put(WriteOptions(), Key(i), std::string(500, 'v')));
    if (i % 100 == 99) Check(db->Flush(FlushOptions()));
  }
  while (watcher->scheduled == 0 || watcher->done < watcher->scheduled) {
    env->SleepForMicroseconds(1000);
  }
  std::string value;
  Check(db->Get(ReadOptions(), Key(399), &value));
  std::cout << value.size() << "\n";
  delete db;
  return 0;
}
