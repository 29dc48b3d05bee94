// SPDX-License-Identifier: Apache-2.0
//
// A Checkpoint is a copy of an open database at one moment, in a directory of
// its own, which opens like any other. Tables are hard links where the file
// system has them, so that it costs little time and room.
//
//   std::unique_ptr<Checkpoint> checkpoint;
//   Status status = Checkpoint::Create(db, &checkpoint);
//   if (status.ok()) status = checkpoint->CreateCheckpoint("/backup/monday");
//
// Threads: any. Lifetime: the database outlives it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tamis/status.h"
#include "tamis/types.h"

namespace tamis {

class DB;

class Checkpoint {
 public:
  static Status Create(DB* db, Checkpoint** checkpoint);
  static Status Create(DB* db, std::unique_ptr<Checkpoint>* checkpoint);

  virtual ~Checkpoint();

  // Makes the directory, which is not there yet (its parent is); until the
  // last step it is called `directory`.tmp. It holds every write of all
  // families that had returned before, and is durable when this returns. On an
  // error nothing of it is left behind, but for `directory`.tmp where the file
  // system goes on failing; the next call removes that. InvalidArgument: there
  // is a `directory`.tmp with files that no checkpoint writes.
  //
  // Memtables are flushed first when the logs hold more than
  // log_size_for_flush bytes, and else their logs are copied; always flushed
  // when writes with disableWAL are in them.
  // *sequence_number: the last write that the checkpoint holds for certain.
  virtual Status CreateCheckpoint(
      const std::string& directory, uint64_t log_size_for_flush = 0,
      SequenceNumber* sequence_number = nullptr) = 0;
};

}  // namespace tamis
