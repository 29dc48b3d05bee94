// SPDX-License-Identifier: Apache-2.0
//
// Reads the records of a log (log_format.h) from front to back and tells a
// tail that a crash left from damage:
//
//   write-ahead log  what cannot be read is a torn tail when no record begins
//                    behind it, all the way to the end of the file; otherwise
//                    it is corruption
//   MANIFEST         only a last record that the end of the file cuts is a
//                    torn tail; a bad checksum is corruption anywhere
//
// One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tamis/file_system.h"
#include "tamis/slice.h"
#include "tamis/status.h"

#include "db/log_format.h"

namespace tamis {

enum class LogKind : uint8_t { kWal, kManifest };

class LogReader {
 public:
  enum class Outcome : uint8_t {
    kRecord,    // *record was filled
    kEnd,       // the file ends behind the last record
    kTornTail,  // the same, and bytes_dropped() behind it are a crash's
    kCorrupt,   // status() says what is wrong
  };

  // `number` is that of the file's name, `path` is for messages.
  LogReader(std::unique_ptr<SequentialFile> file, std::string path,
            uint64_t number, LogKind kind);
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  // Once it gave anything but kRecord it gives that again.
  Outcome ReadRecord(std::string* record);

  // Where the first header of the record stands; after kTornTail and kCorrupt:
  // of the one that cannot be read.
  uint64_t record_offset() const { return record_offset_; }
  // From record_offset() to the end of the file, after kTornTail and kCorrupt.
  uint64_t bytes_dropped() const { return bytes_dropped_; }
  // Not OK after kCorrupt: Corruption or IOError with file, offset, expected
  // and got; NotSupported for a compressed log.
  const Status& status() const { return status_; }
  // What ended the log at a torn tail, in words, for the info log.
  const std::string& tail_reason() const { return tail_reason_; }
  // After kTornTail: whether the file just ends too early, as it does when a
  // process dies. Otherwise the bytes are all there, but not what was written.
  bool tail_was_cut() const { return tail_was_cut_; }

 private:
  // What stands at a place of the current block.
  struct Fragment {
    enum class Kind : uint8_t {
      kRecord,   // a physical record with a good checksum
      kPadding,  // zeros up to the end of the block
      kStale,    // good, but of the file's former life
      kCut,      // the end of the file cuts it
      kBad,      // anything else
    };
    Kind kind = Kind::kBad;
    uint8_t type = 0;
    Slice payload;
    size_t bytes = 0;      // header and payload
    const char* why = "";  // kCut, kBad
    uint64_t expected = 0;
    uint64_t got = 0;
  };

  bool ReadBlock();
  Fragment FragmentAt(size_t offset) const;
  bool IsZeroFrom(size_t offset) const;
  bool Accept(const Fragment& fragment, std::string* record);
  bool Begin(const Fragment& fragment, std::string* record);
  bool Continue(const Fragment& fragment, std::string* record);
  Outcome End(Outcome outcome);
  Outcome EndOfFile();
  Outcome Unreadable(bool cut, const std::string& what);
  Outcome Corrupt(Status status);
  bool RecordBeginsBehind(size_t offset);
  bool RecordBeginsAt(size_t offset) const;

  const std::unique_ptr<SequentialFile> file_;
  const std::string path_;
  const uint64_t number_;
  const LogKind kind_;

  const std::unique_ptr<char[]> space_;
  Slice block_;               // the bytes of the current block
  uint64_t block_start_ = 0;  // where it begins in the file
  size_t position_ = 0;       // the next fragment in it
  bool last_block_ = false;   // nothing of the file comes behind it

  bool open_ = false;  // a first part was read, the last not yet
  Outcome outcome_ = Outcome::kRecord;
  uint64_t record_offset_ = 0;
  uint64_t bytes_dropped_ = 0;
  Status status_;
  std::string tail_reason_;
  bool tail_was_cut_ = false;
};

}  // namespace tamis
