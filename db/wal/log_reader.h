// SPDX-License-Identifier: Apache-2.0
//
// Reads the records of a log (log_format.h) from front to back. It reports one
// of three kinds of damage; the caller decides what each means for the
// database:
//
//   torn tail  the file, or the log in it, ends within the last record, as
//              after a crash
//   bad tail   the bytes are complete but wrong, and no record begins between
//              them and the end of the file
//   corrupt    a record begins after them, where Resume continues
//
// In a MANIFEST, a bad tail counts as torn if a sector of it was lost, that is,
// ends in zeros: the device stored later sectors first. Otherwise it counts as
// corrupt. A record begins at a full or first part with a good checksum: at any
// byte of the damaged block, whose lengths are not reliable; in later blocks,
// only at the parts that follow one another from the block's start.
//
// While another process appends to the log, a reader may see a record after one
// that is still missing. Reread reads the same place again.
//
// One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tamis/file_system.h"
#include "tamis/slice.h"
#include "tamis/status.h"

#include "db/base/numbers.h"
#include "util/base/result.h"

namespace tamis {

enum class LogKind : uint8_t { kWal, kManifest };

class LogReader {
 public:
  enum class Outcome : uint8_t {
    kRecord,    // *record was filled
    kEnd,       // the file ends after the last record
    kTornTail,  // a torn tail: see above, status() and bytes_dropped()
    kBadTail,   // a bad tail; only in write-ahead logs
    kCorrupt,   // corrupt; or another error, which is in status()
  };

  // Opens a log; `number` is from its name. Returns the file system's errors.
  static Result<std::unique_ptr<LogReader>> Open(FileSystem* fs,
                                                 const std::string& path,
                                                 FileNumber number,
                                                 LogKind kind);
  // `path` is for messages.
  LogReader(std::unique_ptr<SequentialFile> file, std::string path,
            FileNumber number, LogKind kind);
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  // Reads the next record into *record. Any outcome except kRecord is final
  // until Resume or Reread.
  Outcome ReadRecord(std::string* record);
  // Makes the next ReadRecord continue after the damage of kCorrupt. If a
  // checksum or a length was wrong, the rest of that block is lost. Returns
  // false and changes nothing if reading cannot continue: after a torn or bad
  // tail, after an error of the file system, in a format that this build does
  // not support, or if no record follows.
  bool Resume();

  // Undoes the last ReadRecord: the next call reads the same place of the file
  // again, with its contents at that time. REQUIRES: created by Open.
  void Reread();

  // Returns the offset of the first header of the record, or, after a tail or
  // kCorrupt, of the unreadable record.
  uint64_t record_offset() const { return record_offset_; }
  // Whether the record contains, or the record or kEnd follows, more zeros than
  // a writer leaves as padding (kPaddingBytesMax). The reader skips them, but a
  // lost sector looks the same; only the records' contents can tell whether
  // some are missing.
  bool after_zeros() const { return after_zeros_; }

  // Returns how much of the file was read: after kEnd all of it, unless the
  // file was recycled.
  uint64_t bytes_read() const { return block_start_ + block_.size(); }

  // REQUIRES, for the next three: a tail or kCorrupt.

  // Returns the bytes from record_offset() to where Resume continues, or to the
  // end of the file.
  uint64_t bytes_dropped() const { return bytes_dropped_; }
  // Returns Corruption with file, offset, expected and actual value. For
  // kCorrupt it may also be the file system's error, or NotSupported for
  // compression that this build does not read.
  const Status& status() const { return status_; }
  // Returns the status without the file's name, for LOG.
  const std::string& reason() const { return reason_; }

  // Whether parts in the format of recycled files were read. An unreadable tail
  // may then be left from the file's previous use.
  bool recycled() const { return recycled_; }
  // Whether each record is stored as a zstd frame. ReadRecord decompresses it.
  bool compressed() const { return compressed_; }

 private:
  // The bytes at an offset of the current block.
  struct Fragment {
    enum class Kind : uint8_t {
      kRecord,   // a physical record with a good checksum
      kPadding,  // zeros to the end of the block
      kStale,    // a physical record of the file's previous use
      kCut,      // a physical record that is incomplete
      kBad,      // anything else
    };
    Kind kind = Kind::kBad;
    uint8_t type = 0;
    Slice payload;
    size_t bytes = 0;  // header and payload
    // The mismatch of a kCut or kBad record; nullptr for a header of zeros.
    const char* why = nullptr;
    uint64_t expected = 0;
    uint64_t got = 0;
  };
  // The state at the start of ReadRecord, for Reread.
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
  bool FindRecordAfter(size_t known_bytes);
  bool RecordBeginsAt(size_t offset) const;

  FileSystem* fs_ = nullptr;  // nullptr: not created by Open
  std::unique_ptr<SequentialFile> file_;
  const std::string path_;
  const FileNumber number_;
  const LogKind kind_;

  const std::unique_ptr<char[]> space_;
  Slice block_;               // the bytes of the current block
  uint64_t block_start_ = 0;  // its offset in the file
  size_t position_ = 0;       // the next fragment in it
  Place place_;
  bool last_block_ = false;  // the file ends with it

  bool open_ = false;     // a first part was read, the last not yet
  bool resumed_ = false;  // later parts may come without their first
  bool compressed_ = false;
  bool recycled_ = false;
  uint64_t zeros_ = 0;  // since the last record, for after_zeros()
  bool after_zeros_ = false;
  bool can_resume_ = false;
  Outcome outcome_ = Outcome::kRecord;
  uint64_t record_offset_ = 0;
  uint64_t bytes_dropped_ = 0;
  Status status_;
  std::string reason_;
};

// Returns whether the last record of the log is a clean-close marker
// (log_writer.h), so that the log is complete. Reads only that record. Errors
// are the file system's.
//
// If RocksDB's recovery stopped early, it starts the new log with a record like
// the marker. A log with only that record counts as cleanly closed.
Result<bool> IsCleanlyClosed(FileSystem* fs, const std::string& path);

}  // namespace tamis
