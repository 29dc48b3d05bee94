// SPDX-License-Identifier: Apache-2.0
//
// Other processes read a database that one process writes to.
#include <iostream>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include "program.h"

using namespace rocksdb;

namespace {

// What the program itself does when it is started as a reader.
int Read(const std::string& path) {
  Options options;
  DB* db = nullptr;
  Check(DB::OpenForReadOnly(options, path, &db));
  int keys = 0;
  std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++keys;
  Check(it->status());
  it.reset();
  std::string value;
  Check(db->Get(ReadOptions(), Key(0), &value));
  std::cout << "a reader sees " << keys << " keys, the first is " << value
            << "\n";
  std::cout << "it may write: " << db->Put(WriteOptions(), "k", "v").ok()
            << "\n";
  delete db;
  DB* writer = nullptr;
  std::cout << "it may open: " << DB::Open(options, path, &writer).ok()
            << std::endl;
  return 0;
}

void Start(const char* program, const std::string& path) {
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0) {
    setenv("READER", "1", 1);
    execl(program, program, path.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::cout << "exit " << WEXITSTATUS(status) << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  if (std::getenv("READER") != nullptr) return Read(path);
  Options options;
  options.create_if_missing = true;
  DB* db = nullptr;
  Check(DB::Open(options, path, &db));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100 * (round + 1); ++i) {
      Check(db->Put(WriteOptions(), Key(i), "round " + std::to_string(round)));
    }
    if (round == 1) Check(db->Flush(FlushOptions()));
    Start(argv[0], path);
  }
  delete db;
  return 0;
}
