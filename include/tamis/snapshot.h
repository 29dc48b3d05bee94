// SPDX-License-Identifier: Apache-2.0
//
// A Snapshot is a moment in the history of a database. DB::GetSnapshot makes
// it, ReadOptions::snapshot reads at it, DB::ReleaseSnapshot gives it back.
// While it is held, compactions keep every version that it can see.
//
// Threads: immutable, any thread. Lifetime: released before the DB is closed.
#pragma once

#include "tamis/types.h"

namespace tamis {

class Snapshot {
 public:
  virtual SequenceNumber GetSequenceNumber() const = 0;

 protected:
  virtual ~Snapshot();
};

}  // namespace tamis
