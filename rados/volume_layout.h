// SPDX-License-Identifier: Apache-2.0
//
// How a volume lies in a cluster's pools.
//
//   pool of names         <volume>              one object
//     attribute epoch       20 digits: how many owners the volume has had
//     attribute owner       "<address> <cookie>" of the last; empty: it left
//     attribute change      "<epoch>.<n>": the last change of the map
//     attribute identity    16 letters that no other volume has
//     lease                 of the owner
//     map     n<path>       "directory", "open <pool> <id>",
//                           or "closed <pool> <id> <size>"
//             t<id>         "<pool> <seconds>": a file that lost its last name,
//                           and when its bytes may be removed
//
//   pool of logs, tables  <volume>/<id>.<n>     a stripe
//     bytes                 [n * 4 MiB, (n + 1) * 4 MiB) of the file
//     attribute writer      20 digits: the only epoch that may write it
//
// An id is "<epoch>-<n>", and never used again. Two names of one file have the
// same id. The size of an open file is that of its stripes, up to the first one
// that is not full or is missing; what lies behind that does not count.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tamis/status.h"

#include "rados/object_store.h"

namespace tamis::rados {

inline constexpr uint64_t kStripeBytes = 4 << 20;
// Writes of a file are under way in its first stripe that is not full, and in
// no more than this many behind it.
inline constexpr uint64_t kStripesAhead = 2;

inline constexpr char kEpochAttribute[] = "epoch";
inline constexpr char kOwnerAttribute[] = "owner";
inline constexpr char kChangeAttribute[] = "change";
inline constexpr char kIdentityAttribute[] = "identity";
inline constexpr char kWriterAttribute[] = "writer";
inline constexpr char kNamePrefix[] = "n";
inline constexpr char kTrashPrefix[] = "t";

struct FileEntry {
  enum class Kind : uint8_t { kDirectory, kOpen, kClosed };

  Kind kind = Kind::kDirectory;
  Pool pool = Pool::kLogs;
  std::string id;
  uint64_t size = 0;  // of a closed file

  bool is_directory() const { return kind == Kind::kDirectory; }
  bool is_open() const { return kind == Kind::kOpen; }
  bool operator==(const FileEntry&) const = default;
};

// By path. Paths have no '/' at their end, and no two in a row.
using NameMap = std::map<std::string, FileEntry>;
// The map of an object, or a part of it.
using EntryMap = std::map<std::string, std::string>;

// A file without a name.
struct TrashEntry {
  Pool pool = Pool::kLogs;
  uint64_t seconds = 0;  // since the Unix epoch
};
using TrashMap = std::map<std::string, TrashEntry>;  // by id

// Returns InvalidArgument unless the name has only letters, digits, '.', '_'
// and '-', and at least one of them.
Status CheckVolumeName(const std::string& volume);

std::string EncodeEpoch(uint64_t epoch);
std::string EncodeEntry(const FileEntry& entry);
std::string EncodeTrash(const TrashEntry& entry);
// Return Corruption, which names the volume and the key.
Status DecodeEpoch(const std::string& volume, const std::string& text,
                   uint64_t* epoch);
Status DecodeEntry(const std::string& volume, const std::string& key,
                   const std::string& text, FileEntry* entry);
// Those with kNamePrefix, and those with kTrashPrefix.
Status DecodeNames(const std::string& volume, const EntryMap& entries,
                   NameMap* names);
Status DecodeTrash(const std::string& volume, const EntryMap& entries,
                   TrashMap* trash);

// The object that has the volume's names.
ObjectName NamesObject(const std::string& volume);
ObjectName StripeObject(const std::string& volume, Pool pool,
                        const std::string& id, uint64_t stripe);

// "/a//b/" is "/a/b", and "/" is "".
std::string CleanPath(const std::string& path);

// The error of a call for the path, as FileSystem returns it.
Status StatusOf(const std::string& path, const std::string& what,
                const StoreResult& result);

}  // namespace tamis::rados
