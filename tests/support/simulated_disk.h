// SPDX-License-Identifier: Apache-2.0
//
// A SimulatedDisk is the disk of SimulatedFileSystem. It keeps each directory
// twice, as the process sees it and as it is on the device for certain, with a
// log of the operations between the two.
//
//   directory   visible:  name -> node     what the process sees
//               durable:  name -> node     what is on the device for certain
//   log         operations not on the device yet, oldest first; each changes
//               one entry (create, link, remove) or two (rename)
//   file        bytes; the first `synced` of them are on the device
//
// A power failure keeps random operations of the log, under two rules: an
// operation on an entry survives only if all older ones on that entry do, and a
// rename survives at both names or at neither. For file contents see
// power_cut.h.
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

#include "tests/support/power_cut.h"
#include "util/base/result.h"

namespace tamis {

class SimulatedDisk {
 public:
  struct Node;
  using NodePtr = std::shared_ptr<Node>;
  struct Node {
    bool is_directory = false;
    bool locked = false;
    // Files.
    std::string bytes;
    size_t synced = 0;
    // File length including WritableFile::Reserve; the zeros after `bytes` can
    // appear only after a power failure.
    size_t reserved = 0;
    // Whether a sync failed. The system may believe that the file is clean, so
    // a later sync guarantees nothing.
    bool sync_failed = false;
    // The synced bytes from before a truncation, until the next sync.
    std::optional<std::string> before_truncation;
    // Directories.
    std::map<std::string, NodePtr> visible;
    std::map<std::string, NodePtr> durable;
  };

  SimulatedDisk();

  // Returns the node at `path`, or nullptr if there is none. The next two
  // return PathNotFound, or IOError if it is of the other kind.
  NodePtr Find(const std::string& path) const;
  Result<NodePtr> FindFile(const std::string& path) const;
  Result<NodePtr> FindDirectory(const std::string& path) const;

  // Returns the file at `path`, and creates it if it is missing.
  Result<NodePtr> FindOrCreate(const std::string& path);
  Status RemoveFile(const std::string& path);
  Status Rename(const std::string& from, const std::string& to);
  // Creates a hard link.
  Status Link(const std::string& from, const std::string& to);
  Status CreateDirectory(const std::string& path);
  Status RemoveDirectory(const std::string& path);

  static void Truncate(Node* file);
  // Keeps the first `size` bytes. A power failure does not bring back others.
  // REQUIRES: the file has as many.
  static void Shorten(Node* file, size_t size);
  // Returns the number of names that the file has.
  uint64_t CountNames(const Node& file) const;
  static void SyncFile(Node* file);
  // Also makes the path to the directory durable, as journaling file systems
  // do.
  Status SyncDirectory(const std::string& path);

  // Keeps only the state that survives a power failure. Nodes returned earlier
  // no longer have a path.
  void Restart(uint64_t seed, CrashStyle style);

 private:
  // A name in a directory. The log keeps the directories it refers to alive.
  using Entry = std::pair<NodePtr, std::string>;
  struct Change {
    Entry entry;
    NodePtr node;  // nullptr if removed
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
