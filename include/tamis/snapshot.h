// SPDX-License-Identifier: Apache-2.0
//
// A Snapshot pins the state of a database at one sequence number.
// DB::GetSnapshot creates it, ReadOptions::snapshot reads from it,
// DB::ReleaseSnapshot frees it. While it exists, compactions keep every version
// visible to it. (A compaction filter whose IgnoreSnapshots() returns true
// overrules that.)
//
// Threads: any. A Snapshot is immutable.
// Lifetime: must be released before the DB is closed.
#pragma once

#include <cstdint>

#include "tamis/export.h"
#include "tamis/types.h"

namespace tamis {

class DB;

class TAMIS_EXPORT Snapshot {
 public:
  // Returns the number of the last write that it sees.
  virtual SequenceNumber GetSequenceNumber() const = 0;
  // Returns when it was taken, by DBOptions::clock, in Unix seconds.
  virtual int64_t GetUnixTime() const = 0;

 protected:
  virtual ~Snapshot();
};

// Holds a snapshot and releases it in its destructor. Lifetime: the database
// must outlive it. One thread, but any thread may read from the snapshot.
class TAMIS_EXPORT ManagedSnapshot {
 public:
  // Takes a snapshot. REQUIRES: db != nullptr. Throws what GetSnapshot throws.
  explicit ManagedSnapshot(DB* db);
  // Takes over a snapshot of the database, or nullptr.
  ManagedSnapshot(DB* db, const Snapshot* snapshot);
  ~ManagedSnapshot();
  ManagedSnapshot(const ManagedSnapshot&) = delete;
  ManagedSnapshot& operator=(const ManagedSnapshot&) = delete;

  // Returns the snapshot; it stays owned by *this.
  const Snapshot* snapshot() const { return snapshot_; }

 private:
  DB* const db_;
  const Snapshot* const snapshot_;
};

}  // namespace tamis
