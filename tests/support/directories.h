// SPDX-License-Identifier: Apache-2.0
//
// Real directories and real programs, for tests against the operating system
// and against other engines' tools.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tamis {

// The entries of a scan, in order.
using KeyValues = std::vector<std::pair<std::string, std::string>>;

// A new directory; the destructor removes it and its contents.
class TemporaryDirectory {
 public:
  // In the system's directory for temporary files, or in `parent`.
  TemporaryDirectory();
  explicit TemporaryDirectory(const std::string& parent);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string Path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// A parent for directories in memory, where a sync costs nothing: /dev/shm. If
// it is missing or TMPDIR is set, the parent of other temporary directories.
std::string MemoryParent();

// The bytes of a file; empty if it does not exist.
std::string ReadWholeFile(const std::filesystem::path& path);

// Removes `to` first. REQUIRES: the source does not change meanwhile.
void CopyDirectory(const std::string& from, const std::string& to);

struct CommandResult {
  int exit_code = -1;  // -1: it was killed
  std::string output;  // both streams
};
// Runs a shell command.
CommandResult RunCommand(const std::string& command);

// The number of occurrences of `what` in `text`.
size_t Count(const std::string& text, const std::string& what);

std::string ToHex(std::string_view bytes);
std::string FromHexDigits(std::string_view digits);

// The lines "0xKEY : 0xVALUE" of `ldb --hex scan`. *rest: every other line.
KeyValues ParseHexScan(const std::string& output, std::string* rest);

// The first difference, as a sentence; empty: none.
std::string Difference(const KeyValues& expected, const KeyValues& got);

}  // namespace tamis
