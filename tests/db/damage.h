// SPDX-License-Identifier: Apache-2.0
//
// Directories that tests damage: their files as strings, the files that must be
// kept, and what an error must name.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "db/base/file_names.h"
#include "tests/support/databases.h"
#include "tests/support/simulated_file_system.h"

namespace tamis {

inline constexpr char kDirectory[] = "/db";

using Files = std::map<std::string, std::string>;  // name → bytes
using Model = std::map<std::string, std::string>;

inline KeyValues Listing(const Model& model) {
  return {model.begin(), model.end()};
}

inline bool IsInfoLog(const std::string& name) {
  return name.starts_with("LOG");
}

// All but the lock and the folder of what was set aside.
inline Files FilesOf(SimulatedFileSystem* fs) {
  std::vector<std::string> names;
  EXPECT_TRUE(fs->GetChildren(kDirectory, &names).ok());
  Files files;
  for (const std::string& name : names) {
    if (name == "LOCK" || name == "lost") continue;
    EXPECT_TRUE(
        fs->GetContents(std::string(kDirectory) + "/" + name, &files[name])
            .ok());
  }
  return files;
}

// What even a refused open may write is left out.
inline Files WithoutInfoLogs(Files files) {
  std::erase_if(files, [](const auto& file) { return IsInfoLog(file.first); });
  return files;
}

// The tables, logs and MANIFESTs that are there, in place or set aside.
inline std::set<std::string> Keepsakes(SimulatedFileSystem* fs) {
  std::vector<std::string> names;
  EXPECT_TRUE(fs->GetChildren(kDirectory, &names).ok());
  std::vector<std::string> lost;
  const Status status =
      fs->GetChildren(std::string(kDirectory) + "/lost", &lost);
  if (status.ok()) names.insert(names.end(), lost.begin(), lost.end());
  std::set<std::string> kept;
  for (const std::string& name : names) {
    const auto parsed = ParseFileName(name);
    if (!parsed) continue;
    if (parsed->type == FileKind::kTable || parsed->type == FileKind::kLog ||
        parsed->type == FileKind::kDescriptor) {
      kept.insert(name);
    }
  }
  return kept;
}

inline std::shared_ptr<SimulatedFileSystem> FileSystemWith(const Files& files) {
  return SimulatedFileSystemWith(kDirectory, files);
}

inline Options OptionsOn(const std::shared_ptr<FileSystem>& fs) {
  Options options;
  options.file_system = fs;
  options.job_runner = NewDeterministicJobRunner(1);
  return options;
}

inline bool Mentions(const Status& status, const std::string& word) {
  return status.message().find(word) != std::string::npos;
}

// The file, and the place or the contradiction: an offset, or the expected and
// the actual size or name.
inline void ExpectNamed(const Status& status, const std::string& damaged) {
  EXPECT_TRUE(Mentions(status, std::string(kDirectory) + "/" + damaged))
      << status;
  const bool placed =
      Mentions(status, "offset ") || Mentions(status, "expected ") ||
      Mentions(status, "it is missing, but the directory contains ") ||
      Mentions(status, "it names ") || Mentions(status, " lists it at ") ||
      Mentions(status, "it ends at sequence ") ||
      Mentions(status, " does not exist") ||
      Mentions(status, "this release reads ");
  EXPECT_TRUE(placed) << status;
}

enum class Outcome { kRefused, kRight, kReadFailed };

}  // namespace tamis
