// SPDX-License-Identifier: Apache-2.0
//
// The names of a file system: what they are, and what a power cut leaves of
// them. A call that changes names is durable once a directory that it changed
// is synced. Until then all of it survives or nothing, whatever became of the
// calls before it: a journal keeps a rename whole, but need not keep two calls
// in their order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "util/base/random.h"

namespace tamis::writeback {

class Names {
 public:
  // Path → number of the file; kDirectory for a directory, which comes before
  // what is in it.
  using Paths = std::map<std::string, uint64_t>;
  static constexpr uint64_t kDirectory = uint64_t{1} << 63;

  // One line of a trace: "create NUMBER PATH", "mkdir PATH", "link FROM TO",
  // "rename FROM TO", "remove PATH" (a file or a directory), "sync PATH" (a
  // directory; "." is the top). False: it fits nothing before it.
  bool Note(const std::string& line);
  // As from now on all is durable.
  void Settle();

  Paths Now() const { return PathsIn(now_); }
  Paths AfterPowerCut(Random* luck) const;

 private:
  // In a directory of this number a name is to mean a file or directory of
  // that number; 0: nothing.
  struct Edit {
    uint64_t directory;
    std::string name;
    uint64_t number;
  };
  using Change = std::vector<Edit>;
  using Tree = std::map<uint64_t, std::map<std::string, uint64_t>>;

  static void Apply(const Change& change, Tree* tree);
  static Paths PathsIn(const Tree& tree);
  // 0: there is none.
  uint64_t Find(const std::string& path) const;
  Edit EditOf(const std::string& path, uint64_t number) const;
  void Sync(uint64_t directory);

  Tree now_;
  Tree durable_;
  std::vector<Change> pending_;
  uint64_t next_directory_ = kDirectory + 1;  // kDirectory is the top
};

}  // namespace tamis::writeback
