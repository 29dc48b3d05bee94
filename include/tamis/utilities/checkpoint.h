// SPDX-License-Identifier: Apache-2.0
//
// A Checkpoint makes copies of an open database. Each copy shows one moment of
// it, in a directory of its own, which opens like any other. Its tables are
// hard links where the file system has them, so that it costs little time and
// space.
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

  // Makes `directory`, whose parent must exist, and builds the copy under the
  // name `directory`.tmp until the last step. The copy holds every write, of
  // every family, that returned before the call, and is durable when this
  // returns OK. An error removes the copy. If the file system keeps failing,
  // `directory`.tmp may remain, which the next call removes, or `directory`
  // itself. InvalidArgument: `directory` exists, or `directory`.tmp holds files
  // that no checkpoint writes.
  //
  // If the logs hold more than log_size_for_flush bytes, or memtables hold
  // writes made with disableWAL, memtables are flushed first. Otherwise the
  // logs are copied.
  // *sequence_number: the checkpoint holds every write up to this one, and may
  // hold later ones.
  virtual Status CreateCheckpoint(
      const std::string& directory, uint64_t log_size_for_flush = 0,
      SequenceNumber* sequence_number = nullptr) = 0;
};

}  // namespace tamis
