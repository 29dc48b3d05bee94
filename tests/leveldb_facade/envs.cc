// SPDX-License-Identifier: Apache-2.0
//
// The default Env by itself; databases in memory, and in a program's own Env.
#include <atomic>
#include <condition_variable>
#include <cstdarg>
#include <mutex>

#include <leveldb/env.h>
#include <leveldb/helpers/memenv.h>

#include "program.h"

namespace {

using namespace leveldb;

void Print(Logger* logger, const char* format, ...) {
  std::va_list ap;
  va_start(ap, format);
  logger->Logv(format, ap);
  va_end(ap);
}

// LevelDB's locks in memory keep nobody out: `locks` is false for those.
void UseFiles(Env* env, const std::string& folder, bool locks) {
  env->CreateDir(folder);
  const std::string file = folder + "/file";
  Check(WriteStringToFile(env, "hello", file));
  std::string text;
  Check(ReadFileToString(env, file, &text));
  WritableFile* appended = nullptr;
  Check(env->NewAppendableFile(file, &appended));
  Check(appended->Append(" world"));
  Check(appended->Flush());
  Check(appended->Sync());
  Check(appended->Close());
  delete appended;
  uint64_t size = 0;
  Check(env->GetFileSize(file, &size));
  std::cout << text << " " << size << " " << env->FileExists(file) << "\n";

  RandomAccessFile* random = nullptr;
  Check(env->NewRandomAccessFile(file, &random));
  char scratch[100];
  Slice read;
  Check(random->Read(6, 5, &read, scratch));
  std::cout << read.ToString() << "\n";
  delete random;
  SequentialFile* sequential = nullptr;
  Check(env->NewSequentialFile(file, &sequential));
  Check(sequential->Skip(3));
  Check(sequential->Read(4, &read, scratch));
  std::cout << read.ToString() << "\n";
  delete sequential;

  Check(env->RenameFile(file, folder + "/other"));
  std::vector<std::string> names;
  Check(env->GetChildren(folder, &names));
  bool found = false;
  for (const std::string& name : names) found = found || name == "other";
  std::cout << found << env->FileExists(file) << "\n";
  std::cout << env->NewSequentialFile(file, &sequential).ok()
            << (sequential == nullptr) << "\n";
  Check(env->RemoveFile(folder + "/other"));
  std::cout << env->RemoveFile(folder + "/other").ok() << "\n";

  FileLock* lock = nullptr;
  Check(env->LockFile(folder + "/LOCK", &lock));
  if (locks) {
    FileLock* second = nullptr;
    std::cout << env->LockFile(folder + "/LOCK", &second).ok() << "\n";
  }
  Check(env->UnlockFile(lock));
  env->RemoveFile(folder + "/LOCK");
  Logger* logger = nullptr;
  Check(env->NewLogger(folder + "/log", &logger));
  Print(logger, "a line: %d", 7);
  delete logger;
  env->RemoveFile(folder + "/log");
  Check(env->RemoveDir(folder));
}

void UseThreads(Env* env) {
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    int runs = 0;
  } state;
  const auto run = [](void* arg) {
    auto* const shared = static_cast<State*>(arg);
    const std::lock_guard<std::mutex> lock(shared->mutex);
    ++shared->runs;
    shared->changed.notify_all();
  };
  env->Schedule(run, &state);
  env->Schedule(run, &state);
  env->StartThread(run, &state);
  std::unique_lock<std::mutex> lock(state.mutex);
  state.changed.wait(lock, [&] { return state.runs == 3; });
  const uint64_t before = env->NowMicros();
  env->SleepForMicroseconds(2000);
  std::string path;
  std::cout << (env->NowMicros() >= before + 2000)
            << env->GetTestDirectory(&path).ok() << !path.empty() << "\n";
}

// Counts what is written; refuses to once it is told.
class CountingEnv : public EnvWrapper {
 public:
  using EnvWrapper::EnvWrapper;
  Status NewWritableFile(const std::string& f, WritableFile** r) override {
    ++files;
    if (full) return Status::IOError(f, "no space");
    return target()->NewWritableFile(f, r);
  }
  std::atomic<int> files{0};
  std::atomic<bool> full{false};
};

void UseDatabase(Env* env, const std::string& path, bool locks) {
  Options options;
  options.env = env;
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 10;
  std::unique_ptr<DB> db = Open(options, path);
  for (int i = 0; i < 1000; ++i) {
    Check(db->Put(WriteOptions(), Key(i), std::string(200, 'v')));
  }
  DB* second = nullptr;
  if (locks) std::cout << Kind(DB::Open(options, path, &second)) << "\n";
  db.reset();
  options.create_if_missing = false;
  db = Open(options, path);
  PrintAll(db.get());
  db->CompactRange(nullptr, nullptr);
  std::cout << Get(db.get(), Key(5)).size() << "\n";
  db.reset();
  Check(DestroyDB(path, options));
  std::cout << Kind(DB::Open(options, path, &second)) << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  Env* const env = Env::Default();
  UseFiles(env, path, true);
  UseThreads(env);
  const std::unique_ptr<Env> memory(NewMemEnv(env));
  UseFiles(memory.get(), "/in/memory", false);
  UseDatabase(memory.get(), "/in/memory", false);
  CountingEnv counting(env);
  UseDatabase(&counting, path, true);
  std::cout << (counting.files > 5) << "\n";
  // Nothing can be written any more.
  counting.full = true;
  Options options;
  options.env = &counting;
  options.create_if_missing = true;
  DB* db = nullptr;
  std::cout << Kind(DB::Open(options, path + "_full", &db)) << "\n";
  return 0;
}
