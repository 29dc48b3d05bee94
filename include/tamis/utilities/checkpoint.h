// SPDX-License-Identifier: Apache-2.0
//
// A Checkpoint copies an open database. Each copy shows the database at one
// point in time, in a directory of its own that opens like any other. Tables
// are hard-linked if the file system can, so that a copy is fast and takes
// little space.
//
//   std::unique_ptr<Checkpoint> checkpoint;
//   Status status = Checkpoint::Create(db, &checkpoint);
//   if (status.ok()) status = checkpoint->CreateCheckpoint("/backup/monday");
//
// Threads: any.
// Lifetime: the database must outlive the Checkpoint.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tamis/export.h"
#include "tamis/status.h"
#include "tamis/types.h"

namespace tamis {

class ColumnFamilyHandle;
class DB;
struct ExportImportFilesMetaData;

class TAMIS_EXPORT Checkpoint {
 public:
  // Make an object for the database, which must outlive it.
  static Status Create(DB* db, Checkpoint** checkpoint);
  static Status Create(DB* db, std::unique_ptr<Checkpoint>* checkpoint);

  virtual ~Checkpoint();

  // Creates `directory`, whose parent must exist. The copy is built in
  // `directory`.tmp and renamed as the last step. It holds every write to any
  // family that returned before the call, and is durable when this returns OK.
  // On an error the copy is removed. If the file system keeps failing,
  // `directory` or `directory`.tmp may remain; the next call removes the
  // latter. Returns InvalidArgument if `directory` exists, or `directory`.tmp
  // holds files that no checkpoint writes.
  //
  // Memtables are flushed first if the logs exceed log_size_for_flush bytes, or
  // if memtables hold writes made with disableWAL. Otherwise the logs are
  // copied. Sets *sequence_number to a number up to which the checkpoint holds
  // every write; it may hold later ones.
  virtual Status CreateCheckpoint(
      const std::string& directory, uint64_t log_size_for_flush = 0,
      SequenceNumber* sequence_number = nullptr) = 0;

  // Flushes the family, then copies its tables into `directory`, as
  // CreateCheckpoint creates one. Sets *metadata to a new object, which the
  // caller deletes: what DB::CreateColumnFamilyWithImport needs to make a
  // family of the copy, in this or another database.
  virtual Status ExportColumnFamily(ColumnFamilyHandle* family,
                                    const std::string& directory,
                                    ExportImportFilesMetaData** metadata) = 0;
};

}  // namespace tamis
