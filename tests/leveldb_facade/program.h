// SPDX-License-Identifier: Apache-2.0
//
// What the programs for LevelDB share. Each is built with LevelDB's headers and
// library, gets a directory, and prints what it saw.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include <leveldb/db.h>

// Ends the program if the status is an error.
inline void Check(const leveldb::Status& status) {
  if (status.ok()) return;
  std::cout << status.ToString() << std::endl;
  std::exit(1);
}

// The kind of the error: its text up to the first colon.
inline std::string Kind(const leveldb::Status& status) {
  const std::string text = status.ToString();
  return text.substr(0, text.find(':'));
}

inline std::string Key(int i) {
  char text[16];
  std::snprintf(text, sizeof(text), "key%06d", i);
  return text;
}

inline std::string DirectoryOf(int argc, char** argv) {
  if (argc == 2) return argv[1];
  std::cout << "usage: PROGRAM DIRECTORY\n";
  std::exit(2);
}

inline std::unique_ptr<leveldb::DB> Open(const leveldb::Options& options,
                                         const std::string& path) {
  leveldb::DB* db = nullptr;
  Check(leveldb::DB::Open(options, path, &db));
  return std::unique_ptr<leveldb::DB>(db);
}

inline std::string Get(leveldb::DB* db, const std::string& key,
                       const leveldb::ReadOptions& options = {}) {
  std::string value = "unchanged";
  const leveldb::Status status = db->Get(options, key, &value);
  return status.ok() ? value : status.ToString() + value;
}

inline void PrintAll(leveldb::DB* db,
                     const leveldb::ReadOptions& options = {}) {
  const std::unique_ptr<leveldb::Iterator> it(db->NewIterator(options));
  int n = 0;
  size_t bytes = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    ++n;
    bytes += it->key().size() + it->value().size();
    if (n <= 3) {
      std::cout << it->key().ToString() << " = " << it->value().ToString()
                << "\n";
    }
  }
  Check(it->status());
  int back = 0;
  for (it->SeekToLast(); it->Valid(); it->Prev()) ++back;
  std::cout << n << " entries, " << bytes << " bytes, " << back
            << " backward\n";
}
