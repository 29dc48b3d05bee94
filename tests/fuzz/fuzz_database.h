// SPDX-License-Identifier: Apache-2.0
//
// A small database in memory, as files by name, for targets that replace
// records of its MANIFEST and its log. The names are always the same.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tamis/db.h"

#include "tests/fuzz/fuzz_input.h"
#include "tests/support/simulated_file_system.h"

namespace tamis {

inline constexpr char kFuzzDirectory[] = "/db";

using FuzzFiles = std::map<std::string, std::string>;  // name → bytes

inline Options FuzzOptions(const std::shared_ptr<FileSystem>& fs) {
  Options options;
  options.file_system = fs;
  options.job_runner = NewDeterministicJobRunner(1);
  return options;
}

inline std::shared_ptr<SimulatedFileSystem> FuzzFileSystem(
    const FuzzFiles& files) {
  auto fs = NewSimulatedFileSystem();
  Claim(fs->CreateDirIfMissing(kFuzzDirectory).ok());
  for (const auto& [name, bytes] : files) {
    const std::string path = std::string(kFuzzDirectory) + "/" + name;
    Claim(WriteStringToFile(fs.get(), bytes, path, true).ok());
  }
  return fs;
}

// All files, except those that any open writes, and those in lost/.
inline FuzzFiles FuzzFilesOf(SimulatedFileSystem* fs) {
  std::vector<std::string> names;
  Claim(fs->GetChildren(kFuzzDirectory, &names).ok());
  FuzzFiles files;
  for (const std::string& name : names) {
    if (name == "LOCK" || name == "lost" || name.starts_with("LOG")) continue;
    const std::string path = std::string(kFuzzDirectory) + "/" + name;
    Claim(fs->GetContents(path, &files[name]).ok());
  }
  return files;
}

// A table in level 1, one in level 0, and an unflushed log.
inline FuzzFiles MakeFuzzDatabase() {
  const auto fs = NewSimulatedFileSystem();
  Options options = FuzzOptions(fs);
  options.create_if_missing = true;
  std::unique_ptr<DB> db;
  Claim(DB::Open(options, kFuzzDirectory, &db).ok());
  for (const char* key : {"a", "b", "c", "d"}) {
    Claim(db->Put(WriteOptions(), key, "value").ok());
  }
  Claim(db->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
  Claim(db->Delete(WriteOptions(), "b").ok());
  Claim(db->Flush(FlushOptions()).ok());
  Claim(db->Put(WriteOptions(), "c", "another").ok());
  Claim(db->Delete(WriteOptions(), "a").ok());
  const FuzzFiles files = FuzzFilesOf(fs.get());
  Claim(db->Close().ok());
  return files;
}

}  // namespace tamis
