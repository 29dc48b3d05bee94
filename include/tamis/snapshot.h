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

#include "tamis/types.h"

namespace tamis {

class Snapshot {
 public:
  virtual SequenceNumber GetSequenceNumber() const = 0;
  // Returns when it was taken, by DBOptions::clock, in Unix seconds.
  virtual int64_t GetUnixTime() const = 0;

 protected:
  virtual ~Snapshot();
};

}  // namespace tamis
