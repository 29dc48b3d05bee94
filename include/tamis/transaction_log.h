// SPDX-License-Identifier: Apache-2.0
//
// The files of the write-ahead log, as DB::GetSortedWalFiles describes them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tamis/types.h"

namespace tamis {

enum WalFileType {
  kArchivedLogFile = 0,  // in archive/: no longer needed
  kAliveLogFile = 1,
};

// Const, any thread.
class LogFile {
 public:
  virtual ~LogFile();
  // Returns "/000012.log" or "/archive/000012.log", relative to the directory
  // of the database. An alive log may move to the archive at any time, unless
  // file deletions are disabled.
  virtual std::string PathName() const = 0;
  virtual uint64_t LogNumber() const = 0;
  virtual WalFileType Type() const = 0;
  // Returns the sequence number of the first entry, or 0 if there is none.
  // (RocksDB's GetCurrentWalFile always returns 0.)
  virtual SequenceNumber StartSequence() const = 0;
  // Returns the size when the file was listed. It may have grown since, and its
  // memory-mapped part may extend beyond it.
  virtual uint64_t SizeFileBytes() const = 0;
};

using VectorLogPtr = std::vector<std::unique_ptr<LogFile>>;

}  // namespace tamis
