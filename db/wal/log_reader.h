// SPDX-License-Identifier: Apache-2.0
//
// Reads the records of a log (log_format.h) from front to back. Of what it
// cannot read it tells three kinds apart, and what each means for the database
// is for its caller to say:
//
//   torn tail  the end of the file cuts the last record, as a crash does
//   bad tail   the bytes are all there and wrong, and no record begins behind
//              them, all the way to the end of the file
//   corrupt    a record begins behind them; Resume reads on with it
//
// In a MANIFEST a bad tail is a torn one where a sector of it is lost, that is,
// ends in zeros: the device wrote what stands behind it first. Any other is
// corrupt. A record begins where a full or
// first part with a good checksum stands: in the block of the trouble, whose
// lengths cannot be trusted, at any byte; in later blocks along the parts from
// the block's start.
//
// A log that another process appends to while it is read may show a record
// behind one that is not there yet: LookAgain reads the same place once more.
//
// One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tamis/file_system.h"
#include "tamis/slice.h"
#include "tamis/status.h"

#include "util/base/result.h"

namespace tamis {

enum class LogKind : uint8_t { kWal, kManifest };

class LogReader {
 public:
  enum class Outcome : uint8_t {
    kRecord,    // *record was filled
    kEnd,       // the file ends behind the last record
    kTornTail,  // see above; status() and bytes_dropped() say more
    kBadTail,   // the same; of write-ahead logs alone
    kCorrupt,   // the same, or the file cannot be read at all: status()
  };

  // An error is the file system's. `number` is that of the file's name.
  static Result<std::unique_ptr<LogReader>> Open(FileSystem* fs,
                                                 const std::string& path,
                                                 uint64_t number, LogKind kind);
  // `path` is for messages.
  LogReader(std::unique_ptr<SequentialFile> file, std::string path,
            uint64_t number, LogKind kind);
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  // Once it gave anything but kRecord it gives that again.
  Outcome ReadRecord(std::string* record);
  // After kCorrupt: lets the next ReadRecord go on behind the damage. Where a
  // checksum or a length was wrong the rest of that block is lost. False: there
  // is no going on, and nothing changes. Behind a torn or a bad tail no record
  // begins; a file that gives an error, and one in a form that this build does
  // not know, stay what they are.
  bool Resume();

  // Takes back what the last ReadRecord gave: the next one reads the same place
  // of the file as it is by then. REQUIRES: Open made the reader.
  void LookAgain();

  // Where the first header of the record stands; after a tail and kCorrupt: of
  // the one that cannot be read.
  uint64_t record_offset() const { return record_offset_; }
  // Whether zeros stood before the record (after kEnd: before the end of the
  // file), or within it, that no writer leaves:
  // more than the 10 bytes that may have no room for a header. They are
  // skipped, but a sector that was lost looks the same: whether records are
  // missing there, only what is in them can tell.
  bool after_zeros() const { return after_zeros_; }

  // After a tail and kCorrupt. From record_offset() to where Resume goes on, or
  // to the end of the file where nothing does.
  uint64_t bytes_dropped() const { return bytes_dropped_; }
  // The same: Corruption with file, offset, expected and got; for kCorrupt also
  // IOError, and NotSupported for a compression that this build lacks.
  const Status& status() const { return status_; }
  // The same without the file's name, for the info log.
  const std::string& reason() const { return reason_; }

  // Parts of the form that recycled files have were read: what cannot be read
  // at the tail may be of the file's former life.
  bool recycled() const { return recycled_; }
  // Each record is a zstd frame in the file. ReadRecord gives what it holds.
  bool compressed() const { return compressed_; }

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
    size_t bytes = 0;  // header and payload
    // kCut, kBad: what did not fit. nullptr: the header is seven zeros.
    const char* why = nullptr;
    uint64_t expected = 0;
    uint64_t got = 0;
  };
  // Where a ReadRecord began, for LookAgain.
  struct Place {
    uint64_t offset = 0;
    uint64_t zeros = 0;
    bool resumed = false;
  };

  bool ReadBlock();
  Fragment FragmentAt(size_t offset) const;
  bool IsZeroFrom(size_t offset) const;
  void SkipZeros();
  bool Accept(const Fragment& fragment, std::string* record);
  bool Begin(const Fragment& fragment, std::string* record);
  bool Continue(const Fragment& fragment, std::string* record);
  bool Complete(std::string* record);
  void SkipPart(const Fragment& fragment);
  void SetCompression(const Fragment& fragment);
  Outcome End(Outcome outcome);
  Outcome EndOfFile();
  Outcome Unreadable(const Fragment& fragment);
  Outcome Unreadable(bool cut, std::string what, size_t known_bytes = 0);
  Outcome Corrupt(uint64_t offset, const std::string& what);
  Outcome NotSupported(uint64_t offset, const std::string& what);
  bool SectorIsLost() const;
  bool FindRecordBehind(size_t known_bytes);
  bool RecordBeginsAt(size_t offset) const;

  FileSystem* fs_ = nullptr;  // nullptr: not known
  std::unique_ptr<SequentialFile> file_;
  const std::string path_;
  const uint64_t number_;
  const LogKind kind_;

  const std::unique_ptr<char[]> space_;
  Slice block_;               // the bytes of the current block
  uint64_t block_start_ = 0;  // where it begins in the file
  size_t position_ = 0;       // the next fragment in it
  Place place_;
  bool last_block_ = false;  // nothing of the file comes behind it

  bool open_ = false;     // a first part was read, the last not yet
  bool resumed_ = false;  // later parts may stand here without their first
  bool compressed_ = false;
  bool recycled_ = false;
  uint64_t zeros_ = 0;  // those for after_zeros(), since the last record
  bool after_zeros_ = false;
  bool can_resume_ = false;
  Outcome outcome_ = Outcome::kRecord;
  uint64_t record_offset_ = 0;
  uint64_t bytes_dropped_ = 0;
  Status status_;
  std::string reason_;
};

// Whether the last record of the log is a clean-close marker (log_writer.h):
// then the file ends where it was meant to. Reads only that record.
//
// RocksDB begins a log with a record like the marker when its recovery stopped
// early: a log of nothing else passes for cleanly closed, whoever wrote it.
Result<bool> IsCleanlyClosed(FileSystem* fs, const std::string& path);

}  // namespace tamis
