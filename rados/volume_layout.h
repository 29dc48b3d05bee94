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
//     map     n<path>       "directory", "shared <id>", "open <pool> <id>",
//                           or "closed <pool> <id> <size>"
//             t<id>         "<pool> <seconds> <size> <change>": a file that
//                           lost its last name, when, and by which change
//             p<reader>     "<lease> <beat> <change> <id> ...": a client that
//                           reads (reader_pin.h)
//
//                         <volume>/<id>.names   of a shared directory
//     attribute writer      20 digits: whose guests may add names
//     map     o<name>       "open <pool> <id>": a file in the directory
//             n<name>       "closed <pool> <id> <size>": once it is closed
//
//   pool of logs, tables  <volume>/<id>.<n>     a stripe
//     bytes                 [n * 4 MiB, (n + 1) * 4 MiB) of the file
//     attribute writer      20 digits: the only epoch that may write it
//
// An id is "<epoch>-<n>", and never used again; that of a file in a shared
// directory is "<id of the directory>-<16 letters>-<n>". Two names of one file
// have the same id. The size of an open file is that of its stripes, up to the
// first one that is not full or is missing; what lies behind that does not
// count.
#pragma once

#include <cstdint>
#include <map>
#include <set>
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
inline constexpr char kOpenNamePrefix[] = "o";
inline constexpr char kTrashPrefix[] = "t";
inline constexpr char kPinPrefix[] = "p";

struct FileEntry {
  enum class Kind : uint8_t { kDirectory, kOpen, kClosed };

  Kind kind = Kind::kDirectory;
  Pool pool = Pool::kLogs;
  std::string id;     // of a file, or of a shared directory
  uint64_t size = 0;  // of a closed file

  bool is_directory() const { return kind == Kind::kDirectory; }
  bool is_shared() const { return is_directory() && !id.empty(); }
  bool is_open() const { return kind == Kind::kOpen; }
  bool operator==(const FileEntry&) const = default;
};

// By path. Paths have no '/' at their end, and no two in a row.
using NameMap = std::map<std::string, FileEntry>;
// The map of an object, or a part of it.
using EntryMap = std::map<std::string, std::string>;

// The changes of a volume's names, in order. {0, 0}: none yet.
struct ChangeNumber {
  uint64_t epoch = 0;
  uint64_t n = 0;

  auto operator<=>(const ChangeNumber&) const = default;
};

// A file without a name.
struct TrashEntry {
  Pool pool = Pool::kLogs;
  uint64_t seconds = 0;  // since the Unix epoch, when it lost its name
  uint64_t size = 0;     // 0: the file was open
  ChangeNumber change;   // that took its name
};
using TrashMap = std::map<std::string, TrashEntry>;  // by id

// What a client may have open: the files that had names after `change`, and
// some that have none any more.
struct PinEntry {
  uint32_t lease_seconds = 0;  // so often, at least, `beat` changes
  uint64_t beat = 0;
  ChangeNumber change;
  std::set<std::string> ids;
};
using PinMap = std::map<std::string, PinEntry>;  // by the reader

// Returns InvalidArgument unless the name has only letters, digits, '.', '_'
// and '-', and at least one of them.
Status CheckVolumeName(const std::string& volume);

// Returns 16 letters, other ones each time.
std::string NewUniqueName();

std::string EncodeEpoch(uint64_t epoch);
std::string EncodeEntry(const FileEntry& entry);
std::string EncodeChange(const ChangeNumber& change);
std::string EncodeTrash(const TrashEntry& entry);
std::string EncodePin(const PinEntry& entry);
// Return Corruption, which names the volume and the key.
Status DecodeEpoch(const std::string& volume, const std::string& text,
                   uint64_t* epoch);
Status DecodeChange(const std::string& volume, const std::string& text,
                    ChangeNumber* change);
Status DecodeEntry(const std::string& volume, const std::string& key,
                   const std::string& text, FileEntry* entry);
// Those with kNamePrefix, kTrashPrefix and kPinPrefix.
Status DecodeNames(const std::string& volume, const EntryMap& entries,
                   NameMap* names);
Status DecodeTrash(const std::string& volume, const EntryMap& entries,
                   TrashMap* trash);
Status DecodePins(const std::string& volume, const EntryMap& entries,
                  PinMap* pins);

// The object that has the volume's names.
ObjectName NamesObject(const std::string& volume);
ObjectName StripeObject(const std::string& volume, Pool pool,
                        const std::string& id, uint64_t stripe);

// The object that has the names of a shared directory.
ObjectName SharedObject(const std::string& volume, const std::string& id);
// The epoch that made the id, as text of EncodeEpoch.
std::string EpochOfId(const std::string& id);

// "/a//b/" is "/a/b", and "/" is "".
std::string CleanPath(const std::string& path);
// The directory of a clean path; "": the top one.
std::string ParentOf(const std::string& path);

// The error of a call for the path, as FileSystem returns it.
Status StatusOf(const std::string& path, const std::string& what,
                const StoreResult& result);

}  // namespace tamis::rados
