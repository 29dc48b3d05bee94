// SPDX-License-Identifier: Apache-2.0
//
// A program for LevelDB that uses the Env by itself. Run: program DIRECTORY
#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/helpers/memenv.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace {

void Check(const leveldb::Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << "\n";
  std::exit(1);
}

void Print(leveldb::Logger* logger, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  logger->Logv(format, arguments);
  va_end(arguments);
}

void Add(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

void UseFiles(leveldb::Env* env, const std::string& directory) {
  const std::string path = directory + "/file";
  leveldb::WritableFile* made = nullptr;
  Check(env->NewWritableFile(path, &made));
  const std::unique_ptr<leveldb::WritableFile> file(made);
  Check(file->Append("0123456789"));
  Check(file->Flush());
  Check(file->Sync());
  Check(file->Close());
  uint64_t size = 0;
  Check(env->GetFileSize(path, &size));
  std::string text;
  Check(leveldb::ReadFileToString(env, path, &text));
  std::cout << size << " bytes: " << text << "\n";

  char room[8];
  leveldb::Slice read;
  leveldb::RandomAccessFile* at_random = nullptr;
  Check(env->NewRandomAccessFile(path, &at_random));
  Check(at_random->Read(3, 4, &read, room));
  std::cout << read.ToString() << "\n";
  delete at_random;
  leveldb::SequentialFile* in_order = nullptr;
  Check(env->NewSequentialFile(path, &in_order));
  Check(in_order->Skip(8));
  Check(in_order->Read(5, &read, room));
  std::cout << read.ToString() << "\n";
  delete in_order;

  Check(env->RenameFile(path, directory + "/other"));
  std::vector<std::string> names;
  Check(env->GetChildren(directory, &names));
  std::cout << env->FileExists(path) << env->FileExists(directory + "/other")
            << std::count(names.begin(), names.end(), "other") << "\n";
  Check(env->RemoveFile(directory + "/other"));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  leveldb::Env* const env = leveldb::Env::Default();
  const std::string directory = argv[1];
  Check(env->CreateDir(directory));
  std::cout << "created twice: " << env->CreateDir(directory).ok() << "\n";
  UseFiles(env, directory);
  const std::unique_ptr<leveldb::Env> in_memory(leveldb::NewMemEnv(env));
  Check(in_memory->CreateDir("/memory"));
  UseFiles(in_memory.get(), "/memory");

  leveldb::FileLock* lock = nullptr;
  Check(env->LockFile(directory + "/LOCK", &lock));
  leveldb::FileLock* second = nullptr;
  std::cout << "locked twice: "
            << env->LockFile(directory + "/LOCK", &second).ok() << "\n";
  Check(env->UnlockFile(lock));

  leveldb::SequentialFile* missing = nullptr;
  const leveldb::Status status =
      env->NewSequentialFile(directory + "/missing", &missing);
  std::cout << "missing: " << status.IsNotFound() << (missing == nullptr)
            << "\n";
  leveldb::Logger* logger = nullptr;
  Check(env->NewLogger(directory + "/log", &logger));
  Print(logger, "%s %d", "a line", 1);
  delete logger;
  std::string text;
  Check(leveldb::ReadFileToString(env, directory + "/log", &text));
  std::cout << "logged: " << (text.find("a line 1") != std::string::npos)
            << "\n";
  Check(leveldb::WriteStringToFile(env, "text", directory + "/text"));
  Check(leveldb::ReadFileToString(env, directory + "/text", &text));
  std::cout << text << "\n";

  std::atomic<int> calls{0};
  env->Schedule(&Add, &calls);
  env->StartThread(&Add, &calls);
  const uint64_t begin = env->NowMicros();
  while (calls < 2) env->SleepForMicroseconds(1000);
  std::cout << calls << " calls, time passes: " << (env->NowMicros() > begin)
            << "\n";
  return 0;
}
