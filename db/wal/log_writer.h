// SPDX-License-Identifier: Apache-2.0
//
// Appends records to a log (log_format.h). After a failed call it is not known
// what the file holds, and every later call fails with the same Status: the
// remedy is a new log.
//
// One thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "tamis/file_system.h"
#include "tamis/slice.h"
#include "tamis/status.h"
#include "tamis/types.h"

#include "db/wal/log_format.h"

namespace tamis {

class LogWriter {
 public:
  enum class Style : uint8_t {
    kAppended,
    // Stored in place (WritableFile::Reserve) where the file takes that, until
    // a long record comes: safe from a kill once AddRecord returns, without a
    // call of the system.
    kInPlace,
  };

  // Appends behind what the file holds.
  LogWriter(std::unique_ptr<WritableFile> file, uint64_t number,
            Style style = Style::kAppended);
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // Appends without flushing. An empty payload is a record too.
  Status AddRecord(const Slice& payload) { return AddRecord({&payload, 1}); }
  // The parts one behind the other are the payload.
  Status AddRecord(std::span<const Slice> parts);
  // Appends the clean-close marker of a write-ahead log, its last record: a
  // batch without entries that gives the next sequence number. It is one `full`
  // record of 19 bytes at the very end of the file. Readers of every make pass
  // over it; IsCleanlyClosed (log_reader.h) finds it. Where the block has no
  // room for a whole one a split one comes first: that is what a writer of logs
  // leaves there, and zeros would not be.
  Status AddCleanCloseMarker(SequenceNumber next);
  Status Flush();
  Status Sync();
  // No call but the destructor may follow.
  Status Close();

  // That of the file's name.
  uint64_t number() const { return number_; }
  // Bytes appended so far.
  uint64_t size() const { return size_; }

 private:
  Status AppendBuffer();
  char* Room(size_t n);
  void WriteHeader(char* to, uint8_t type, size_t n);

  const std::unique_ptr<WritableFile> file_;
  const uint64_t number_;
  uint64_t size_;
  bool in_place_;
  // Of the byte that gives the type, by type.
  const std::array<uint32_t, log::kLast + 1> type_crcs_;
  std::string buffer_;  // framed, not yet appended; empty between calls
  Status status_;       // the first failure
};

}  // namespace tamis
