// SPDX-License-Identifier: Apache-2.0
//
// Runs the programs of tests/interop/differential.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include <gtest/gtest.h>

namespace tamis {

// Scripts sync and open often, which memory does at once.
class ProgramDirectory {
 public:
  ProgramDirectory() {
    std::error_code error;
    const std::filesystem::path memory("/dev/shm");
    path_ = (std::filesystem::is_directory(memory, error)
                 ? memory
                 : std::filesystem::temp_directory_path()) /
            "tamis_differential_XXXXXX";
    EXPECT_NE(::mkdtemp(path_.data()), nullptr) << path_;
  }
  ~ProgramDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ProgramDirectory(const ProgramDirectory&) = delete;
  ProgramDirectory& operator=(const ProgramDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// All but the directory. engine: tamis or rocksdb.
inline std::string DifferentialCommand(const std::string& engine,
                                       uint64_t seed) {
  return std::string(TAMIS_DIFFERENTIAL_DIR) + "/differential_" + engine +
         " --seed " + std::to_string(seed);
}

}  // namespace tamis
