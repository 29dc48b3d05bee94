// SPDX-License-Identifier: Apache-2.0
//
// Databases in tests: creates one from files, and checks its entries, by scans
// and point reads, and its files. `family` nullptr: the default one.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/support/directories.h"
#include "tests/support/simulated_file_system.h"

namespace tamis {

// Returns all entries of the family. *status: the iterator's at the end.
inline KeyValues ScanForward(DB* db, Status* status,
                             const ReadOptions& options = ReadOptions(),
                             ColumnFamilyHandle* family = nullptr) {
  KeyValues entries;
  if (family == nullptr) family = db->DefaultColumnFamily();
  const std::unique_ptr<Iterator> it(db->NewIterator(options, family));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    entries.emplace_back(it->key().ToString(), it->value().ToString());
  }
  *status = it->status();
  return entries;
}

// The same by a backward scan; also in ascending order.
inline KeyValues ScanBackward(DB* db, Status* status,
                              const ReadOptions& options = ReadOptions(),
                              ColumnFamilyHandle* family = nullptr) {
  KeyValues entries;
  if (family == nullptr) family = db->DefaultColumnFamily();
  const std::unique_ptr<Iterator> it(db->NewIterator(options, family));
  for (it->SeekToLast(); it->Valid(); it->Prev()) {
    entries.emplace_back(it->key().ToString(), it->value().ToString());
  }
  *status = it->status();
  std::reverse(entries.begin(), entries.end());
  return entries;
}

// Compares the database with `expected`, by scans in both directions, a point
// read of every key, and as many of absent keys. Empty: no difference.
// *status: the first error of a read, which ends the comparison.
inline std::string DifferenceFrom(const KeyValues& expected, DB* db,
                                  Status* status,
                                  const ReadOptions& options = ReadOptions(),
                                  ColumnFamilyHandle* family = nullptr) {
  if (family == nullptr) family = db->DefaultColumnFamily();
  KeyValues got = ScanForward(db, status, options, family);
  if (!status->ok()) return "";
  std::string difference = Difference(expected, got);
  if (!difference.empty()) return "forward scan: " + difference;
  got = ScanBackward(db, status, options, family);
  if (!status->ok()) return "";
  difference = Difference(expected, got);
  if (!difference.empty()) return "backward scan: " + difference;
  for (const auto& [key, value] : expected) {
    std::string read;
    *status = db->Get(options, family, key, &read);
    if (status->IsNotFound()) return "point read misses " + ToHex(key);
    if (!status->ok()) return "";
    if (read != value) return "point read of another value: " + ToHex(key);
    *status = db->Get(options, family, key + std::string("\0absent", 7), &read);
    if (status->ok()) return "point read finds what is not: " + ToHex(key);
    if (!status->IsNotFound()) return "";
    *status = Status::OK();
  }
  return "";
}

// A SimulatedFileSystem with files of these names and contents.
inline std::shared_ptr<SimulatedFileSystem> SimulatedFileSystemWith(
    const std::string& directory,
    const std::map<std::string, std::string>& files) {
  auto fs = NewSimulatedFileSystem();
  EXPECT_TRUE(fs->CreateDirIfMissing(directory).ok());
  for (const auto& [name, bytes] : files) {
    EXPECT_TRUE(
        WriteStringToFile(fs.get(), bytes, directory + "/" + name, true).ok());
  }
  return fs;
}

// Checks that the tables in the directories, of which some may be missing, are
// exactly the live ones. Empty: they are.
inline std::string DifferenceOnDisk(FileSystem* fs,
                                    const std::vector<std::string>& directories,
                                    DB* db) {
  std::vector<LiveFileMetaData> live;
  db->GetLiveFilesMetaData(&live);
  std::vector<std::string> expected;
  for (const LiveFileMetaData& file : live) {
    expected.push_back(file.db_path + file.name);
  }
  std::vector<std::string> names;
  for (const std::string& directory : directories) {
    std::vector<std::string> children;
    const Status status = fs->GetChildren(directory, &children);
    if (status.IsPathNotFound()) continue;
    if (!status.ok()) return "GetChildren: " + status.ToString();
    for (const std::string& child : children) {
      if (child.ends_with(".sst")) names.push_back(directory + "/" + child);
    }
  }
  std::sort(expected.begin(), expected.end());
  std::sort(names.begin(), names.end());
  if (names == expected) return "";
  std::string problem = "tables on disk:";
  for (const std::string& name : names) problem += " " + name;
  problem += "; live:";
  for (const std::string& name : expected) problem += " " + name;
  return problem;
}

}  // namespace tamis
