// SPDX-License-Identifier: Apache-2.0
#include "tests/support/directories.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <gtest/gtest.h>

namespace tamis {

namespace fs = std::filesystem;

TemporaryDirectory::TemporaryDirectory()
    : TemporaryDirectory(fs::temp_directory_path().string()) {}

TemporaryDirectory::TemporaryDirectory(const std::string& parent) {
  std::string name = parent + "/tamis_test_XXXXXX";
  EXPECT_NE(::mkdtemp(name.data()), nullptr) << name;
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string MemoryParent() {
  constexpr char kInMemory[] = "/dev/shm";
  const bool is_asked_for = std::getenv("TMPDIR") != nullptr;
  return !is_asked_for && ::access(kInMemory, W_OK) == 0
             ? kInMemory
             : fs::temp_directory_path().string();
}

std::string ReadWholeFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void CopyDirectory(const std::string& from, const std::string& to) {
  std::error_code error;
  // An open database may delete a file that was just listed.
  constexpr int kAttempts = 20;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    fs::remove_all(to, error);
    fs::copy(from, to, fs::copy_options::recursive, error);
    if (error != std::errc::no_such_file_or_directory) break;
  }
  EXPECT_FALSE(error) << from << " to " << to << ": " << error.message();
}

CommandResult RunCommand(const std::string& command) {
  CommandResult result;
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 65536> buffer;
  size_t n = 0;
  while ((n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0) {
    result.output.append(buffer.data(), n);
  }
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

size_t Count(const std::string& text, const std::string& what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + 1)) {
    ++n;
  }
  return n;
}

std::string ToHex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string digits;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    digits.push_back(kDigits[byte >> 4]);
    digits.push_back(kDigits[byte & 15]);
  }
  return digits;
}

std::string FromHexDigits(std::string_view digits) {
  const auto nibble = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return (c | 0x20) - 'a' + 10;
  };
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(
        static_cast<char>(nibble(digits[i]) * 16 + nibble(digits[i + 1])));
  }
  return bytes;
}

KeyValues ParseHexScan(const std::string& output, std::string* rest) {
  KeyValues entries;
  rest->clear();
  std::istringstream lines(output);
  std::string line;
  while (std::getline(lines, line)) {
    const size_t middle = line.find(" : 0x");
    if (line.compare(0, 2, "0x") != 0 || middle == std::string::npos) {
      *rest += line + "\n";
      continue;
    }
    const std::string_view text(line);
    entries.emplace_back(FromHexDigits(text.substr(2, middle - 2)),
                         FromHexDigits(text.substr(middle + 5)));
  }
  return entries;
}

std::string Difference(const KeyValues& expected, const KeyValues& got) {
  const auto describe = [](const KeyValues& all, size_t i) -> std::string {
    if (i >= all.size()) return "the end";
    std::string value = all[i].second;
    const size_t size = value.size();
    if (size > 40) value.resize(40);
    return ToHex(all[i].first) + " => " + ToHex(value) + " (" +
           std::to_string(size) + " bytes)";
  };
  const size_t n = std::min(expected.size(), got.size());
  size_t i = 0;
  while (i < n && expected[i] == got[i]) ++i;
  if (i == expected.size() && i == got.size()) return "";
  return "entry " + std::to_string(i) + ": expected " + describe(expected, i) +
         ", got " + describe(got, i) + "; " + std::to_string(expected.size()) +
         " entries expected, " + std::to_string(got.size()) + " got";
}

}  // namespace tamis
