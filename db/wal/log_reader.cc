// SPDX-License-Identifier: Apache-2.0
#include "db/wal/log_reader.h"

#include <algorithm>
#include <utility>

#include "tamis/write_batch.h"

#include "db/wal/log_format.h"
#include "util/coding/coding.h"
#include "util/coding/crc32c.h"
#include "util/compression/compression.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

bool BeginsRecord(uint8_t type) {
  return type == log::kFull || type == log::kFirst ||
         type == log::kRecyclableFull || type == log::kRecyclableFirst;
}

bool EndsRecord(uint8_t type) {
  return type == log::kFull || type == log::kLast ||
         type == log::kRecyclableFull || type == log::kRecyclableLast;
}

bool IsSkipped(uint8_t type) {
  return type == log::kTimestampSizes ||
         type == log::kRecyclableTimestampSizes ||
         (type & log::kIgnorableBit) != 0;
}

}  // namespace

LogReader::LogReader(std::unique_ptr<SequentialFile> file, std::string path,
                     FileNumber number, LogKind kind)
    : file_(std::move(file)),
      path_(std::move(path)),
      number_(number),
      kind_(kind),
      space_(std::make_unique<char[]>(log::kBlockBytes)) {}

Result<std::unique_ptr<LogReader>> LogReader::Open(FileSystem* fs,
                                                   const std::string& path,
                                                   FileNumber number,
                                                   LogKind kind) {
  std::unique_ptr<SequentialFile> file;
  TAMIS_RETURN_IF_ERROR(file_io::Open(fs, path, &file));
  auto reader =
      std::make_unique<LogReader>(std::move(file), path, number, kind);
  reader->fs_ = fs;
  return reader;
}

// False at the end of the file, and on an error, which is in status_ then.
bool LogReader::ReadBlock() {
  if (last_block_) return false;
  block_start_ += block_.size();
  position_ = 0;
  Status s =
      file_io::Read(file_.get(), log::kBlockBytes, &block_, space_.get());
  if (!s.ok()) {
    block_.clear();
    last_block_ = true;
    status_ = std::move(s);
    return false;
  }
  last_block_ = block_.size() < log::kBlockBytes;
  return !block_.empty();
}

bool LogReader::IsZeroFrom(size_t offset) const {
  return std::all_of(block_.begin() + offset, block_.end(),
                     [](char c) { return c == 0; });
}

LogReader::Fragment LogReader::FragmentAt(size_t offset) const {
  using Kind = Fragment::Kind;
  Fragment f;
  const size_t left = block_.size() - offset;
  // A record that crosses the end of a full block is bad; of the file, cut.
  const Kind beyond = last_block_ ? Kind::kCut : Kind::kBad;
  const auto unreadable = [&f](Kind kind, const char* why, uint64_t expected,
                               uint64_t got) {
    f.kind = kind;
    f.why = why;
    f.expected = expected;
    f.got = got;
    return f;
  };
  const auto padding = [&f] {
    f.kind = Kind::kPadding;
    return f;
  };

  if (left < log::kHeaderBytes) {
    if (!last_block_ || IsZeroFrom(offset)) return padding();
    return unreadable(Kind::kCut, "header bytes", log::kHeaderBytes, left);
  }
  const char* const p = block_.data() + offset;
  const size_t length = DecodeFixed16(p + 4);
  f.type = static_cast<uint8_t>(p[6]);
  // Zeros followed by records in the same block are not padding. No writer
  // leaves them; a lost page does.
  if (f.type == log::kZero && length == 0 && IsZeroFrom(offset)) {
    return padding();
  }

  const size_t header = log::HeaderBytes(f.type);
  if (header + length > left) {
    return unreadable(beyond, "bytes of record", header + length, left);
  }
  const uint32_t stored = crc32c::Unmask(DecodeFixed32(p));
  const uint32_t computed =
      crc32c::Value(p + 6, header + length - 6);  // starts at the type
  if (stored != computed) {
    // A writer that stores in place writes the header after the payload.
    const bool has_none =
        f.type == log::kZero && length == 0 && DecodeFixed32(p) == 0;
    if (has_none) {
      return unreadable(kind_ == LogKind::kWal ? Kind::kCut : Kind::kBad,
                        nullptr, 0, 0);
    }
    return unreadable(Kind::kBad, "checksum", stored, computed);
  }
  f.payload = Slice(p + header, length);
  f.bytes = header + length;
  f.kind = Kind::kRecord;
  if (header == log::kRecyclableHeaderBytes &&
      DecodeFixed32(p + log::kHeaderBytes) !=
          static_cast<uint32_t>(number_.value())) {
    f.kind = Kind::kStale;
  }
  return f;
}

LogReader::Outcome LogReader::ReadRecord(std::string* record) {
  using Kind = Fragment::Kind;
  record->clear();
  if (outcome_ == Outcome::kRecord) {
    place_ = {block_start_ + position_, zeros_, resumed_};
  }
  while (outcome_ == Outcome::kRecord) {
    if (position_ >= block_.size()) {
      if (!ReadBlock()) return EndOfFile();
      continue;
    }
    const Fragment f = FragmentAt(position_);
    switch (f.kind) {
      case Kind::kPadding:
        SkipZeros();
        break;
      case Kind::kStale:
        if (open_) return Unreadable(true, "the rest of a record is missing");
        return End(Outcome::kEnd);
      case Kind::kCut:
      case Kind::kBad:
        return Unreadable(f);
      case Kind::kRecord:
        if (Accept(f, record)) return Outcome::kRecord;
        break;
    }
  }
  return outcome_;
}

void LogReader::SkipZeros() {
  const size_t left = block_.size() - position_;
  if (left > log::kPaddingBytesMax) zeros_ += left;
  position_ = block_.size();
}

// Returns whether *record is complete. If reading ends here, sets outcome_.
bool LogReader::Accept(const Fragment& f, std::string* record) {
  if (log::HeaderBytes(f.type) == log::kRecyclableHeaderBytes) recycled_ = true;
  if (f.type >= log::kFull && f.type <= log::kRecyclableLast) {
    return BeginsRecord(f.type) ? Begin(f, record) : Continue(f, record);
  }
  if (f.type == log::kSetCompression) {
    SetCompression(f);
  } else if (IsSkipped(f.type)) {
    SkipPart(f);
  } else {
    const uint64_t here = block_start_ + position_;
    position_ += f.bytes;
    Corrupt(here,
            "expected a known record type, got " + std::to_string(f.type));
  }
  return false;
}

// Writers never split it. Padding that was too short for it does not count.
void LogReader::SkipPart(const Fragment& f) {
  if (position_ == 0 && zeros_ < f.bytes) zeros_ = 0;
  position_ += f.bytes;
}

void LogReader::SetCompression(const Fragment& f) {
  const uint64_t here = block_start_ + position_;
  position_ += f.bytes;
  if (here != 0) {
    Corrupt(here,
            "expected record type 9 (compression) at the begin of the log "
            "alone");
    return;
  }
  if (f.payload.size() != 4) {
    Corrupt(here, "compression: expected 4 bytes, got " +
                      std::to_string(f.payload.size()));
    return;
  }
  const uint32_t number = DecodeFixed32(f.payload.data());
  if (kind_ == LogKind::kManifest) {
    NotSupported(here, "compressed MANIFEST (record type 9)");
  } else if (number != kZSTD) {
    const char* const name =
        number > kZSTD ? "unknown"
                       : CompressionTypeName(static_cast<CompressionType>(
                             static_cast<uint8_t>(number)));
    NotSupported(here, "compressed write-ahead log (record type 9): type " +
                           std::to_string(number) + " (" + name + ")");
  } else if (!UncompressionSupported(kZSTD)) {
    NotSupported(here,
                 "compressed write-ahead log (record type 9): this build has "
                 "no ZSTD codec");
  } else {
    compressed_ = true;
  }
}

bool LogReader::Begin(const Fragment& f, std::string* record) {
  // Early versions of LevelDB left empty first parts at the end of a block.
  if (open_ && !record->empty()) {
    Corrupt(record_offset_,
            "expected the rest of this record, got a new one at " +
                std::to_string(block_start_ + position_));
    return false;
  }
  resumed_ = false;
  record_offset_ = block_start_ + position_;
  record->assign(f.payload.data(), f.payload.size());
  position_ += f.bytes;
  open_ = !EndsRecord(f.type);
  return !open_ && Complete(record);
}

bool LogReader::Continue(const Fragment& f, std::string* record) {
  if (!open_ && resumed_) {
    position_ += f.bytes;
    return false;
  }
  if (!open_) {
    Unreadable(false, "expected the begin of a record, got a later part",
               f.bytes);
    return false;
  }
  record->append(f.payload.data(), f.payload.size());
  position_ += f.bytes;
  open_ = !EndsRecord(f.type);
  return !open_ && Complete(record);
}

bool LogReader::Complete(std::string* record) {
  after_zeros_ = std::exchange(zeros_, 0) != 0;
  if (!compressed_) return true;
  auto raw = UncompressZstdRecord(*record, WriteBatch::kMaxBytes);
  if (raw.ok()) {
    record->assign(raw->data(), raw->size());
    return true;
  }
  record->clear();
  Corrupt(record_offset_, raw.status().message());
  return false;
}

LogReader::Outcome LogReader::End(Outcome outcome) {
  bytes_dropped_ = block_start_ + position_ - record_offset_;
  outcome_ = outcome;
  return outcome;
}

LogReader::Outcome LogReader::EndOfFile() {
  if (!status_.ok()) {
    record_offset_ = block_start_;
    reason_ = status_.message();
    return End(Outcome::kCorrupt);
  }
  if (open_) return Unreadable(true, "the rest of a record is missing");
  after_zeros_ = zeros_ != 0;
  return End(Outcome::kEnd);
}

LogReader::Outcome LogReader::Unreadable(const Fragment& f) {
  const bool cut = f.kind == Fragment::Kind::kCut;
  if (f.why == nullptr) {
    return Unreadable(cut, "a header of zeros where a record was expected");
  }
  return Unreadable(cut, std::string(f.why) + ": expected " +
                             std::to_string(f.expected) + ", got " +
                             std::to_string(f.got));
}

// `cut`: the file, or the log in it, ended too early. `known_bytes`: the length
// of the part here; 0: not reliable.
LogReader::Outcome LogReader::Unreadable(bool cut, std::string what,
                                         size_t known_bytes) {
  const uint64_t here = block_start_ + position_;
  const uint64_t begin = open_ ? record_offset_ : here;
  // Each record of a MANIFEST is synced before the next is written, so only the
  // last one can lack a sector. A header alone has no payload to lose.
  const bool is_header = block_.size() - position_ == log::kHeaderBytes;
  cut = cut || (kind_ == LogKind::kManifest && (is_header || SectorIsLost()));
  const bool found = FindRecordAfter(known_bytes);
  record_offset_ = begin;
  reason_ = "offset " + std::to_string(here) + ": " + std::move(what);
  if (found) reason_ += "; records follow it";
  if (!status_.ok()) return End(Outcome::kCorrupt);  // ReadBlock failed
  status_ = Status::Corruption(path_, reason_);
  can_resume_ = found;
  if (found || (kind_ == LogKind::kManifest && !cut)) {
    return End(Outcome::kCorrupt);
  }
  return End(cut ? Outcome::kTornTail : Outcome::kBadTail);
}

// REQUIRES: position_ is where Resume continues.
LogReader::Outcome LogReader::Corrupt(uint64_t offset,
                                      const std::string& what) {
  record_offset_ = offset;
  reason_ = "offset " + std::to_string(offset) + ": " + what;
  status_ = Status::Corruption(path_, reason_);
  can_resume_ = true;
  return End(Outcome::kCorrupt);
}

LogReader::Outcome LogReader::NotSupported(uint64_t offset,
                                           const std::string& what) {
  record_offset_ = offset;
  reason_ = "offset " + std::to_string(offset) + ": " + what;
  status_ = Status::NotSupported(path_, reason_);
  return End(Outcome::kCorrupt);
}

void LogReader::Reread() {
  block_.clear();  // it may point into file_, which is replaced
  block_start_ = place_.offset / log::kBlockBytes * log::kBlockBytes;
  position_ = 0;
  last_block_ = false;
  open_ = false;
  resumed_ = place_.resumed;
  zeros_ = place_.zeros;
  can_resume_ = false;
  outcome_ = Outcome::kRecord;
  reason_.clear();
  status_ = file_->Seek(block_start_);
  if (!status_.ok()) {
    status_ = file_io::Open(fs_, path_, &file_);
    if (status_.ok()) status_ = file_->Skip(block_start_);
  }
  last_block_ = !status_.ok();
  if (ReadBlock()) {
    position_ = std::min(static_cast<size_t>(place_.offset - block_start_),
                         block_.size());
  }
}

bool LogReader::Resume() {
  if (outcome_ != Outcome::kCorrupt || !can_resume_) return false;
  outcome_ = Outcome::kRecord;
  can_resume_ = false;
  status_ = Status::OK();
  reason_.clear();
  open_ = false;
  resumed_ = true;
  return true;
}

// Looks from position_ to the end of the block.
bool LogReader::SectorIsLost() const {
  for (size_t from = position_; from < block_.size();) {
    const size_t to = std::min(
        block_.size(), (from / log::kSectorBytes + 1) * log::kSectorBytes);
    size_t zeros = 0;
    while (zeros < to - from && block_[to - zeros - 1] == 0) ++zeros;
    const size_t rest = to % log::kTornBytes;
    if (zeros == to - from || zeros >= log::kLostBytesMin ||
        (rest != 0 && zeros >= rest)) {
      return true;
    }
    from = to;
  }
  return false;
}

// Moves position_ to where reading can continue: after the part here if its
// length is known, else to the next block, or to the next beginning of a record
// in later blocks. Returns false if no record follows; position_ is then the
// end of the file.
bool LogReader::FindRecordAfter(size_t known_bytes) {
  for (size_t p = position_ + std::max<size_t>(known_bytes, 1);
       p < block_.size(); ++p) {
    if (!RecordBeginsAt(p)) continue;
    position_ = known_bytes != 0 ? position_ + known_bytes : block_.size();
    return true;
  }
  while (ReadBlock()) {
    while (position_ < block_.size()) {
      const Fragment f = FragmentAt(position_);
      if (f.kind != Fragment::Kind::kRecord) break;
      if (BeginsRecord(f.type)) return true;
      position_ += f.bytes;
    }
  }
  position_ = block_.size();
  return false;
}

bool LogReader::RecordBeginsAt(size_t offset) const {
  if (offset + log::kHeaderBytes > block_.size()) return false;
  return BeginsRecord(static_cast<uint8_t>(block_[offset + 6])) &&
         FragmentAt(offset).kind == Fragment::Kind::kRecord;
}

namespace {

// Returns whether the end of a log of `size` bytes is a clean-close marker
// whose batch is after `frame`.
Result<bool> EndsInMarker(const RandomAccessFile& file, uint64_t size,
                          const Slice& frame) {
  const size_t bytes = log::kCleanCloseBytes + frame.size();
  if (size < bytes) return false;
  const uint64_t begin = size - bytes;
  if (begin % log::kBlockBytes + bytes > log::kBlockBytes) return false;
  char space[log::kZstdCleanCloseBytes];
  Slice marker;
  TAMIS_RETURN_IF_ERROR(file_io::Read(file, begin, bytes, &marker, space));
  if (marker.size() != bytes) return false;
  const uint32_t crc = crc32c::Unmask(DecodeFixed32(marker.data()));
  const bool is_empty_batch =
      DecodeFixed16(marker.data() + 4) == bytes - log::kHeaderBytes &&
      static_cast<uint8_t>(marker[6]) == log::kFull &&
      Slice(marker.data() + log::kHeaderBytes, frame.size()) == frame &&
      DecodeFixed32(marker.end() - 4) == 0;
  return is_empty_batch && crc == crc32c::Value(marker.data() + 6, bytes - 6);
}

}  // namespace

Result<bool> IsCleanlyClosed(FileSystem* fs, const std::string& path) {
  uint64_t size = 0;
  TAMIS_RETURN_IF_ERROR(fs->GetFileSize(path, &size));
  if (size < log::kCleanCloseBytes) return false;
  std::unique_ptr<RandomAccessFile> file;
  TAMIS_RETURN_IF_ERROR(file_io::Open(fs, path, &file));
  Result<bool> closed = EndsInMarker(*file, size, Slice());
  if (!closed.ok() || *closed) return closed;
  return EndsInMarker(
      *file, size,
      Slice(reinterpret_cast<const char*>(log::kCleanCloseFrame),
            sizeof(log::kCleanCloseFrame)));
}

}  // namespace tamis
