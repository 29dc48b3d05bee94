// SPDX-License-Identifier: Apache-2.0
//
// The initial inputs of fuzz targets: files out/<target>/<name>, below 4 KiB.
// Each starts with the bytes that its target takes from the front.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "util/coding/coding.h"

namespace tamis {

inline constexpr size_t kSeedBytesMax = 4095;

inline std::string Contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string Byte(unsigned v) {
  return std::string(1, static_cast<char>(v));
}
inline std::string Short(size_t v) {
  std::string out;
  PutFixed16(&out, static_cast<uint16_t>(v));
  return out;
}

// The part of a file that matters, followed by the file if both are small.
inline std::string WithFile(const std::string& part, const std::string& file) {
  return part.size() + file.size() < kSeedBytesMax ? part + file : part;
}

class Corpus {
 public:
  explicit Corpus(std::filesystem::path out) : out_(std::move(out)) {}

  // Ignores an input that is too large or that exists under another name.
  void Add(const std::string& target, const std::string& name,
           const std::string& bytes) {
    if (bytes.size() > kSeedBytesMax) return;
    if (!seen_.insert({target, bytes}).second) return;
    std::filesystem::create_directories(out_ / target);
    std::ofstream(out_ / target / name, std::ios::binary) << bytes;
    bytes_ += bytes.size();
  }
  void Report() const {
    std::printf("%zu inputs, %zu bytes\n", seen_.size(), bytes_);
  }

 private:
  const std::filesystem::path out_;
  std::set<std::pair<std::string, std::string>> seen_;
  size_t bytes_ = 0;
};

// The inputs that make_corpus adds, with one source file each. `golden`:
// recorded files of other engines.
void AddTables(Corpus* corpus, const std::filesystem::path& golden);
void AddDatabases(Corpus* corpus, const std::filesystem::path& golden);
void AddInputs(Corpus* corpus);

}  // namespace tamis
