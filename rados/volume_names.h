// SPDX-License-Identifier: Apache-2.0
//
// The names of a volume's files and directories. The owner keeps them in memory
// and changes them; each change is one atomic operation, and the next one is
// not sent before its outcome is known:
//
//   change = "7.4" ── if it is "7.3", set it to "7.4", and the names ── "7.4"
//                     no answer: the same again; refused: look what it is
//
// Other clients look each name up.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tamis/clock.h"
#include "tamis/status.h"

#include "rados/object_store.h"
#include "rados/ownership.h"
#include "rados/volume_layout.h"

namespace tamis::rados {

// Returns an error unless the directory of the path exists. The top directory
// always does.
Status CheckParent(const NameMap& names, const std::string& path,
                   const char* what);

class VolumeNames {
 public:
  // All must outlive the object.
  VolumeNames(ObjectStore* store, Ownership* ownership, Clock* clock,
              std::string volume);
  VolumeNames(const VolumeNames&) = delete;
  VolumeNames& operator=(const VolumeNames&) = delete;

  // Reads all names. REQUIRES: the ownership was just acquired
  Status Load();

  // Returns IsPathNotFound() if there is no such name.
  Status Find(const std::string& path, FileEntry* entry);
  // Sets *names to all names below the directory, at any depth.
  Status FindBelow(const std::string& directory, NameMap* names);

  // Sets *change to a text that each change of a name replaces.
  Status FindLastChange(std::string* change);

  // What a change makes of names: an entry, or none.
  using Edits = std::map<std::string, std::optional<FileEntry>>;
  // Fills in the edits of these names. Nothing is changed if it returns an
  // error, or no edit.
  using Edit = std::function<Status(const NameMap& names, Edits* edits)>;
  // Changes names. `path` and `what` are for errors. The owner's.
  Status Change(const std::string& path, const std::string& what,
                const Edit& edit);
  // Creates a directory where there is no owner, too.
  Status CreateDirectory(const std::string& path);
  // Moves files to the trash that have a name in a shared directory, unless
  // they have one in the volume, too. The owner's.
  Status Discard(const std::string& path, const std::vector<FileEntry>& files);

  // A new id. The owner's.
  std::string NewId();
  // The files that lost their last name `seconds` ago or before.
  TrashMap TrashOlderThan(uint64_t seconds) const;
  // Forgets files whose bytes are gone.
  Status ForgetTrash(const std::vector<std::string>& ids);

 private:
  // A change of the map, and what follows from it in memory.
  struct MapChange {
    ChangeNumber number;
    ObjectWrite write;
    std::function<void()> done;
  };
  // All with mutex_ held.
  void AddTrash(const FileEntry& file, MapChange* change,
                TrashMap* trash) const;
  // Before the names are looked at for a change.
  Status BeginLocked(const std::string& path, const std::string& what);
  Status ApplyLocked(const std::string& path, const std::string& what,
                     MapChange change);
  // Finds out whether the change of unsettled_ took effect. If it has not, sees
  // to it that it never will.
  StoreResult Settle();
  // Sets *took_effect. A change that had no answer, and an error afterwards, is
  // left to Settle.
  StoreResult ApplyOnce(const std::string& name, const ObjectWrite& write,
                        bool* took_effect);
  ChangeNumber NextChange();
  StoreResult ReadLastChange(std::string* name);

  ObjectStore* const store_;
  Ownership* const ownership_;
  Clock* const clock_;
  const std::string volume_;
  const ObjectName object_;

  mutable std::mutex mutex_;
  NameMap names_;
  TrashMap trash_;
  std::string last_change_;
  uint64_t changes_ = 0;
  // A change whose outcome is unknown.
  struct Unsettled {
    std::string name;
    std::function<void()> done;
  };
  std::optional<Unsettled> unsettled_;
  uint64_t ids_ = 0;
};

}  // namespace tamis::rados
