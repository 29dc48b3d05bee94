// SPDX-License-Identifier: Apache-2.0
//
// Appends records to a log (log_format.h). A failed call leaves the contents of
// the file unknown, so every later call fails with the same Status, and the
// caller needs a new log.
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
#include "tamis/table.h"
#include "tamis/types.h"

#include "db/base/numbers.h"
#include "db/wal/log_format.h"
#include "util/compression/codec_zstd_records.h"

namespace tamis {

class LogWriter {
 public:
  enum class Style : uint8_t {
    kAppended,
    // Stores records in place (WritableFile::Reserve) if the file supports it,
    // until the first long record. A record then survives a kill of the process
    // once AddRecord and Flush have returned OK, without a system call where
    // the file is mapped.
    kInPlace,
  };

  // Creates a writer that appends after the existing contents of the file. With
  // kZSTD, the first record says that all further ones are compressed.
  // REQUIRES: `compression` is kNoCompression; or kZSTD, the file is empty, and
  // the build has zstd.
  LogWriter(std::unique_ptr<WritableFile> file, FileNumber number,
            Style style = Style::kAppended,
            CompressionType compression = kNoCompression);
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // Appends a record without flushing it. The payload may be empty.
  Status AddRecord(const Slice& payload) { return AddRecord({&payload, 1}); }
  // Appends a record whose payload is the concatenation of the parts.
  Status AddRecord(std::span<const Slice> parts);
  // Appends the clean-close marker, the last record of a write-ahead log: a
  // batch without entries that has the next sequence number. It is one `full`
  // record of 19 bytes (28 if compressed) at the very end of the file. Every
  // reader of the format ignores it; IsCleanlyClosed (log_reader.h) finds it.
  // If it does not fit into the block, a split one comes first, because no
  // writer would leave that much padding.
  Status AddCleanCloseMarker(SequenceNumber next);
  // Flush makes the records survive a kill of the process; Sync, a power
  // failure.
  Status Flush();
  Status Sync();
  // Starts writeback of what was appended since the last call that did, if it
  // is at least this many bytes. A hint (WritableFile::RangeSync).
  void StartWriteback(uint64_t bytes_min);
  // Closes the file. Only the destructor may be called afterwards.
  Status Close();

  // From the file's name.
  FileNumber number() const { return number_; }
  // Bytes appended so far.
  uint64_t size() const { return size_; }
  // Whether Sync returned OK after the last record.
  bool is_synced() const { return synced_size_ == size_; }

 private:
  // Appends a record as it is.
  Status AddStored(std::span<const Slice> parts);
  // Appends the record that announces compressed ones.
  void AddCompressionType();
  size_t PayloadMax(size_t room, size_t rest) const;
  Status AppendBuffer();
  char* Room(size_t n);
  void WriteHeader(char* to, uint8_t type, size_t n);

  const std::unique_ptr<WritableFile> file_;
  const FileNumber number_;
  uint64_t size_;
  uint64_t synced_size_;
  uint64_t handed_size_;  // whose writeback was started
  bool in_place_;
  // The crc of the type byte, by type.
  const std::array<uint32_t, log::kSetCompression + 1> type_crcs_;
  const std::unique_ptr<RecordCompressor> compressor_;  // nullptr: none
  std::string frame_;                                   // scratch
  std::string buffer_;  // physical records to append; empty between calls
  Status status_;       // the first failure
};

}  // namespace tamis
