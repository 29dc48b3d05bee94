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

// What a scan shows, in its order.
using KeyValues = std::vector<std::pair<std::string, std::string>>;

// A new directory, removed with all that is in it at the end of the scope.
class TemporaryDirectory {
 public:
  // Where the system has its temporary files, or below `parent`.
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

// A parent for a directory in memory, where a sync costs nothing: /dev/shm.
// Where there is none, or TMPDIR is set, that of other temporary directories.
std::string MemoryParent();

// All of a file, as bytes; empty where there is none.
std::string ReadWholeFile(const std::filesystem::path& path);

// `to` is removed first. The source may not change meanwhile.
void CopyDirectory(const std::string& from, const std::string& to);

struct CommandResult {
  int exit_code = -1;  // -1: it did not end by itself
  std::string output;  // both streams
};
// Runs a line of shell.
CommandResult RunCommand(const std::string& command);

// How often it stands in the text.
size_t Count(const std::string& text, const std::string& what);

std::string ToHex(std::string_view bytes);
std::string FromHexDigits(std::string_view digits);

// The lines "0xKEY : 0xVALUE" of `ldb --hex scan`. *rest: every other line.
KeyValues ParseHexScan(const std::string& output, std::string* rest);

// The first difference in a sentence; empty when there is none.
std::string Difference(const KeyValues& expected, const KeyValues& got);

}  // namespace tamis
