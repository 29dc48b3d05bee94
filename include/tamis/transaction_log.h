// SPDX-License-Identifier: Apache-2.0
//
// The files of the write-ahead log, as DB::GetSortedWalFiles describes them,
// and the batches in them, as DB::GetUpdatesSince returns them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tamis/export.h"
#include "tamis/status.h"
#include "tamis/types.h"
#include "tamis/write_batch.h"

namespace tamis {

// Where a log is.
enum WalFileType {
  kArchivedLogFile = 0,  // in archive/: kept only for readers
  kAliveLogFile = 1,
};

// Const, any thread.
class TAMIS_EXPORT LogFile {
 public:
  virtual ~LogFile();
  // Returns "/000012.log" or "/archive/000012.log", relative to the directory
  // of the database. An alive log may move to the archive at any time, unless
  // file deletions are disabled.
  virtual std::string PathName() const = 0;
  // Returns the number in its name.
  virtual uint64_t LogNumber() const = 0;
  // Returns whether it is in the archive.
  virtual WalFileType Type() const = 0;
  // Returns the sequence number of the first entry, or 0 if there is none.
  // (RocksDB's GetCurrentWalFile always returns 0.)
  virtual SequenceNumber StartSequence() const = 0;
  // Returns the size when the file was listed. It may have grown since, and its
  // memory-mapped part may extend beyond it.
  virtual uint64_t SizeFileBytes() const = 0;
};

// The logs of a database, oldest first.
using VectorLogPtr = std::vector<std::unique_ptr<LogFile>>;

// A record of the log: a batch, or several that were written together.
struct BatchResult {
  // The i-th change of the batch has the sequence number `sequence` + i, where
  // entries of PutLogData are no changes.
  SequenceNumber sequence = 0;
  std::unique_ptr<WriteBatch> writeBatchPtr;
};

// An iterator over the batches in the logs, in the order of their sequence
// numbers, without gaps. It begins at the batch that has the sequence number
// asked for; if the logs do not have it any more, at the next one that they
// have: compare BatchResult::sequence. It reads alive and archived logs. It
// sees a batch when readers of the database do, and keeps up with the database:
// where it ends, it is not Valid(), and its status() is OK. After further
// writes, Next() makes it valid again, also when they are in another log.
// (RocksDB's then needs to be created again.)
//
// One thread at a time, beside any use of the database.
class TAMIS_EXPORT TransactionLogIterator {
 public:
  // As in RocksDB.
  struct ReadOptions {
    // Tamis verifies the checksums of all records that it reads, whatever this
    // is.
    bool verify_checksums_ = true;

    ReadOptions() = default;
    // Sets the member.
    explicit ReadOptions(bool verify_checksums)
        : verify_checksums_(verify_checksums) {}
  };

  virtual ~TransactionLogIterator();
  // Returns whether there is a batch here.
  virtual bool Valid() = 0;
  // Moves to the next batch. REQUIRES: status() is OK or TryAgain; after any
  // other one, the call changes nothing.
  virtual void Next() = 0;
  // Returns OK; or
  //   TryAgain    the database has newer changes, but the logs do not have them
  //               yet (DBOptions::manual_wal_flush), or never will (see below);
  //   NotFound    sequence numbers are missing here: the changes were made with
  //               disableWAL, by an ingestion or an import, or the log was
  //               deleted from the archive. GetUpdatesSince can skip them;
  //   Corruption  a record is damaged. Names the file and the offset.
  virtual Status status() = 0;
  // Returns the batch, and leaves none: call it once for each. REQUIRES:
  // Valid().
  virtual BatchResult GetBatch() = 0;
};

}  // namespace tamis
