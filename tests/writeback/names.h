// SPDX-License-Identifier: Apache-2.0
//
// The names of a file system, and those that remain after a power failure. A
// call that changes names is durable once a directory that it changed is
// synced. Until then either all of it survives or nothing, independently of
// earlier calls: a journal keeps a rename whole, but need not keep the order of
// two calls.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "util/base/random.h"

namespace tamis::writeback {

class Names {
 public:
  // Maps a path to the number of its file, or to kDirectory. A directory comes
  // before its contents.
  using Paths = std::map<std::string, uint64_t>;
  static constexpr uint64_t kDirectory = uint64_t{1} << 63;

  // Applies a line of a trace: "create NUMBER PATH", "mkdir PATH", "link FROM
  // TO", "rename FROM TO", "remove PATH" (a file or a directory), "sync PATH"
  // (a directory; "." is the top). Returns false if the line contradicts the
  // earlier ones.
  bool Note(const std::string& line);
  // Makes all names durable.
  void Settle();

  Paths Now() const { return PathsIn(now_); }
  Paths AfterPowerCut(Random* luck) const;

 private:
  // Sets a name in the directory of this number to the file or directory of
  // that number; 0: removes the name.
  struct Edit {
    uint64_t directory;
    std::string name;
    uint64_t number;
  };
  using Change = std::vector<Edit>;
  using Tree = std::map<uint64_t, std::map<std::string, uint64_t>>;

  static void Apply(const Change& change, Tree* tree);
  static Paths PathsIn(const Tree& tree);
  // 0: no such file.
  uint64_t Find(const std::string& path) const;
  Edit EditOf(const std::string& path, uint64_t number) const;
  void Sync(uint64_t directory);

  Tree now_;
  Tree durable_;
  std::vector<Change> pending_;
  uint64_t next_directory_ = kDirectory + 1;  // kDirectory is the top
};

}  // namespace tamis::writeback
