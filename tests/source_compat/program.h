// SPDX-License-Identifier: Apache-2.0
//
// What the programs share: each is given a directory, writes what it sees to
// standard output, and ends with exit code 1 at the first error.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include <rocksdb/status.h>

inline std::string DirectoryOf(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " DIRECTORY\n";
    std::exit(2);
  }
  return argv[1];
}

inline void Check(const rocksdb::Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << "\n";
  std::exit(1);
}

// A key that sorts like its number.
inline std::string Key(int number) {
  char text[16];
  std::snprintf(text, sizeof text, "key%06d", number);
  return text;
}
