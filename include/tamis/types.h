// SPDX-License-Identifier: Apache-2.0
//
// Types shared by the public headers.
#pragma once

#include <cstdint>

namespace tamis {

// Every change gets the next number, below 2^56; a new database starts at 1. 0
// means older than everything.
using SequenceNumber = uint64_t;

// The kind of an entry. The values are RocksDB's.
enum EntryType {
  kEntryPut = 0,
  kEntryDelete = 1,
  kEntrySingleDelete = 2,
  kEntryMerge = 3,
  kEntryRangeDeletion = 4,
};

// What a file of a database is. The values are RocksDB's.
enum FileType {
  kWalFile,
  kDBLockFile,
  kTableFile,
  kDescriptorFile,  // MANIFEST
  kCurrentFile,
  kTempFile,
  kInfoLogFile,
  kMetaDatabase,
  kIdentityFile,
  kOptionsFile,
  kBlobFile,
};

// Why a table is made.
enum class TableFileCreationReason : uint8_t {
  kFlush,
  kCompaction,
  kRecovery,  // Open replays a log
  kMisc,
};

}  // namespace tamis
