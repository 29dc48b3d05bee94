// SPDX-License-Identifier: Apache-2.0
//
// The disk under MemoryFileSystem: a tree of directories and files in which
// each thing is kept twice, as the process sees it and as it would be found
// after a power cut, with the operations between the two in a log.
//
//   directory   visible:  name -> node     what the process sees
//               durable:  name -> node     what is on the device for certain
//   log         operations not on the device yet, oldest first; each changes
//               one entry (create, link, remove) or two (rename)
//   file        bytes; the first `synced` of them are on the device
//
// A power cut keeps of the log what luck decides, under two rules: an
// operation on an entry survives only if all older ones on that entry do, and
// a rename survives at both its names or at neither. What it keeps of a file's
// bytes: power_cut.h.
//
// One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tamis/status.h"

#include "util/base/result.h"
#include "util/io/power_cut.h"

namespace tamis {

class MemoryDisk {
 public:
  struct Node;
  using NodePtr = std::shared_ptr<Node>;
  struct Node {
    bool is_directory = false;
    bool locked = false;
    // Files.
    std::string bytes;
    size_t synced = 0;
    // The file's length on its way through WritableFile::Reserve: zeros behind
    // the bytes, which only a power cut brings to light.
    size_t reserved = 0;
    // A sync failed: what the system then holds of the file it may believe to
    // be written, so that a later sync saves nothing for certain.
    bool sync_failed = false;
    // What was synced before the file was last emptied, until the next sync.
    std::optional<std::string> before_truncation;
    // Directories.
    std::map<std::string, NodePtr> visible;
    std::map<std::string, NodePtr> durable;
  };

  MemoryDisk();

  // What stands at the path; nullptr: nothing.
  NodePtr Find(const std::string& path) const;
  Result<NodePtr> FindFile(const std::string& path) const;
  Result<NodePtr> FindDirectory(const std::string& path) const;

  // The file at the path, created when missing.
  Result<NodePtr> FindOrCreate(const std::string& path);
  Status RemoveFile(const std::string& path);
  Status Rename(const std::string& from, const std::string& to);
  // A second name for a file.
  Status Link(const std::string& from, const std::string& to);
  Status CreateDirectory(const std::string& path);
  Status RemoveDirectory(const std::string& path);

  static void Truncate(Node* file);
  static void SyncFile(Node* file);
  // Also makes the directory itself durable, and those above it, as file
  // systems with a journal do.
  Status SyncDirectory(const std::string& path);

  // Replaces everything by what survived. Nodes handed out before belong to
  // no path any more.
  void Restart(uint64_t seed, CrashStyle style);

 private:
  // An entry: a name in a directory. Directories live as long as the log that
  // names them.
  using Entry = std::pair<NodePtr, std::string>;
  struct Change {
    Entry entry;
    NodePtr node;  // nullptr: removed
  };
  using Operation = std::vector<Change>;

  Result<Entry> Locate(const std::string& path) const;
  void Apply(Operation operation);
  static bool Touches(const Operation& operation,
                      const std::set<Entry>& entries);
  static void MakeDurable(const Operation& operation);

  NodePtr root_;
  std::vector<Operation> log_;
};

}  // namespace tamis
