// SPDX-License-Identifier: Apache-2.0
//
// A directory of a volume in which other clients than the owner may make files:
// the workers of a remote compaction are guests there. An object has its names:
//
//   owner   Create ─────────────────────────── List, link the files ── Remove
//   guest            Put open ─ bytes ─ Put closed
//
// A guest's change requires that the object is there, and that its `writer` is
// the epoch of the owner that made it. A later owner takes it over, which ends
// that, and removes it with its files. So a guest changes nothing outside, and
// nothing at all once its owner was replaced.
//
// Threads: any.
#pragma once

#include <string>
#include <utility>

#include "rados/object_store.h"
#include "rados/volume_layout.h"

namespace tamis::rados {

class SharedDirectory {
 public:
  // `store` must outlive the object. `id` is that of the directory's entry.
  SharedDirectory(ObjectStore* store, std::string volume, std::string id)
      : store_(store),
        volume_(std::move(volume)),
        id_(std::move(id)),
        object_(SharedObject(volume_, id_)) {}

  const std::string& id() const { return id_; }
  // The epoch that may write its files.
  std::string epoch_text() const { return EpochOfId(id_); }

  // The owner's.
  StoreResult Create();
  // Ends the guests of owners before `epoch`. kNotFound: it is gone.
  StoreResult TakeOver(const std::string& epoch_text);
  StoreResult Forget(const std::string& name);
  // OK if it is gone already.
  StoreResult Remove();

  // A guest's. kUnequal or kNotFound: its owner was replaced, or has removed
  // the directory.
  StoreResult Put(const std::string& name, const FileEntry& entry);

  // Sets *entry to that of a file. Fails the lookup of a malformed one.
  Status Find(const std::string& name, FileEntry* entry) const;
  // Sets *files to all files, by name; none if the directory is gone.
  Status List(NameMap* files) const;

 private:
  StoreResult Apply(const ObjectWrite& write);

  ObjectStore* const store_;
  const std::string volume_;
  const std::string id_;
  const ObjectName object_;
};

}  // namespace tamis::rados
