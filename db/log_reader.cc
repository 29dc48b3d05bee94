// SPDX-License-Identifier: Apache-2.0
#include "db/log_reader.h"

#include <algorithm>
#include <utility>

#include "util/coding.h"
#include "util/crc32c.h"

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
                     uint64_t number, LogKind kind)
    : file_(std::move(file)),
      path_(std::move(path)),
      number_(number),
      kind_(kind),
      space_(std::make_unique<char[]>(log::kBlockBytes)) {}

// False at the end of the file, and with status_ set when it cannot be read.
bool LogReader::ReadBlock() {
  if (last_block_) return false;
  block_start_ += block_.size();
  position_ = 0;
  Status s = file_->Read(log::kBlockBytes, &block_, space_.get());
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
  // A whole block has no room for a header at its end; a short one was cut.
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
  // Zeros with records behind them in the same block are not padding: no
  // writer leaves such, a lost page does.
  if (f.type == log::kZero && length == 0 && IsZeroFrom(offset)) {
    return padding();
  }

  const size_t header = log::HeaderBytes(f.type);
  if (header + length > left) {
    return unreadable(beyond, "bytes of record", header + length, left);
  }
  const uint32_t stored = crc32c::Unmask(DecodeFixed32(p));
  const uint32_t computed =
      crc32c::Value(p + 6, header + length - 6);  // from the type on
  if (stored != computed) {
    return unreadable(Kind::kBad, "checksum", stored, computed);
  }
  f.payload = Slice(p + header, length);
  f.bytes = header + length;
  f.kind = Kind::kRecord;
  if (header == log::kRecyclableHeaderBytes &&
      DecodeFixed32(p + log::kHeaderBytes) != static_cast<uint32_t>(number_)) {
    f.kind = Kind::kStale;
  }
  return f;
}

LogReader::Outcome LogReader::ReadRecord(std::string* record) {
  using Kind = Fragment::Kind;
  record->clear();
  while (outcome_ == Outcome::kRecord) {
    if (position_ >= block_.size()) {
      if (!ReadBlock()) return EndOfFile();
      continue;
    }
    const Fragment f = FragmentAt(position_);
    switch (f.kind) {
      case Kind::kPadding:
        position_ = block_.size();
        break;
      case Kind::kStale:
        if (open_) return Unreadable(true, "the rest of a record is missing");
        return End(Outcome::kEnd);
      case Kind::kCut:
      case Kind::kBad:
        return Unreadable(f.kind == Kind::kCut,
                          std::string(f.why) + ": expected " +
                              std::to_string(f.expected) + ", got " +
                              std::to_string(f.got));
      case Kind::kRecord:
        if (Accept(f, record)) return Outcome::kRecord;
        break;
    }
  }
  return outcome_;
}

// True when *record is complete. When the log ends here, outcome_ says so.
bool LogReader::Accept(const Fragment& f, std::string* record) {
  if (f.type >= log::kFull && f.type <= log::kRecyclableLast) {
    return BeginsRecord(f.type) ? Begin(f, record) : Continue(f, record);
  }
  if (IsSkipped(f.type)) {
    position_ += f.bytes;
    return false;
  }
  record_offset_ = block_start_ + position_;
  if (f.type == log::kSetCompression) {
    Corrupt(Status::NotSupported(
        path_, "offset " + std::to_string(record_offset_) +
                   ": compressed write-ahead log (record type 9)"));
  } else {
    Corrupt(
        Status::Corruption(path_, "offset " + std::to_string(record_offset_) +
                                      ": expected a known record type, got " +
                                      std::to_string(f.type)));
  }
  return false;
}

bool LogReader::Begin(const Fragment& f, std::string* record) {
  // Early writers left empty first parts at the end of a block.
  if (open_ && !record->empty()) {
    Corrupt(Status::Corruption(
        path_, "offset " + std::to_string(record_offset_) +
                   ": expected the rest of this record, got a new one at " +
                   std::to_string(block_start_ + position_)));
    return false;
  }
  record_offset_ = block_start_ + position_;
  record->assign(f.payload.data(), f.payload.size());
  position_ += f.bytes;
  open_ = !EndsRecord(f.type);
  return !open_;
}

bool LogReader::Continue(const Fragment& f, std::string* record) {
  if (!open_) {
    Unreadable(false, "expected the begin of a record, got a later part");
    return false;
  }
  record->append(f.payload.data(), f.payload.size());
  position_ += f.bytes;
  open_ = !EndsRecord(f.type);
  return !open_;
}

LogReader::Outcome LogReader::End(Outcome outcome) {
  outcome_ = outcome;
  return outcome;
}

LogReader::Outcome LogReader::EndOfFile() {
  if (!status_.ok()) {
    record_offset_ = block_start_;
    return End(Outcome::kCorrupt);
  }
  if (open_) return Unreadable(true, "the rest of a record is missing");
  return End(Outcome::kEnd);
}

// `cut`: the end of the file, or of what is not stale, came too early.
LogReader::Outcome LogReader::Unreadable(bool cut, const std::string& what) {
  const uint64_t here = block_start_ + position_;
  if (!open_) record_offset_ = here;
  const std::string message = "offset " + std::to_string(here) + ": " + what;
  const bool found = RecordBeginsBehind(position_ + 1);
  bytes_dropped_ = block_start_ + block_.size() - record_offset_;
  if (!status_.ok()) return End(Outcome::kCorrupt);
  if (found || (kind_ == LogKind::kManifest && !cut)) {
    status_ = Status::Corruption(path_, message);
    return End(Outcome::kCorrupt);
  }
  tail_reason_ = message;
  tail_was_cut_ = cut;
  return End(Outcome::kTornTail);
}

LogReader::Outcome LogReader::Corrupt(Status status) {
  while (ReadBlock()) {
  }
  bytes_dropped_ = block_start_ + block_.size() - record_offset_;
  status_ = std::move(status);
  return End(Outcome::kCorrupt);
}

// Reads to the end of the file. In the block where the trouble is, a length
// may be wrong, so that a record may begin anywhere; later blocks begin with
// one, and are followed as long as they are good.
bool LogReader::RecordBeginsBehind(size_t offset) {
  bool found = false;
  for (; offset < block_.size() && !found; ++offset) {
    found = RecordBeginsAt(offset);
  }
  while (ReadBlock()) {
    size_t p = 0;
    while (!found && p < block_.size()) {
      const Fragment f = FragmentAt(p);
      if (f.kind != Fragment::Kind::kRecord) break;
      found = BeginsRecord(f.type);
      p += f.bytes;
    }
  }
  return found;
}

bool LogReader::RecordBeginsAt(size_t offset) const {
  if (offset + log::kHeaderBytes > block_.size()) return false;
  return BeginsRecord(static_cast<uint8_t>(block_[offset + 6])) &&
         FragmentAt(offset).kind == Fragment::Kind::kRecord;
}

}  // namespace tamis
