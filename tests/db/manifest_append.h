// SPDX-License-Identifier: Apache-2.0
//
// Appends a record to the MANIFEST of a closed database.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "db/base/file_names.h"
#include "db/manifest/version_edit.h"
#include "db/wal/log_writer.h"
#include "tests/support/simulated_file_system.h"
#include "tests/support/string_files.h"

namespace tamis {

inline void AppendToManifest(SimulatedFileSystem* fs,
                             const std::string& directory,
                             const VersionEdit& edit) {
  const auto current = ReadCurrentFile(fs, directory);
  ASSERT_TRUE(current.ok()) << current.status();
  const std::string path = directory + "/" + *current;
  std::string manifest;
  ASSERT_TRUE(fs->GetContents(path, &manifest).ok());
  std::string record;
  edit.EncodeTo(&record);
  LogWriter writer(std::make_unique<StringWritableFile>(&manifest),
                   FileNumber(1));
  ASSERT_TRUE(writer.AddRecord(record).ok());
  ASSERT_TRUE(writer.Flush().ok());
  ASSERT_TRUE(fs->SetContents(path, manifest).ok());
}

}  // namespace tamis
