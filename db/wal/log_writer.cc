// SPDX-License-Identifier: Apache-2.0
#include "db/wal/log_writer.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "db/wal/log_format.h"
#include "util/base/check.h"
#include "util/base/result.h"
#include "util/coding/coding.h"
#include "util/coding/crc32c.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

// The buffer is appended to the file when it reaches this size.
constexpr size_t kBufferBytesMax = 8 * log::kBlockBytes;
// The longest record that is stored in place. For longer ones, page faults cost
// twice as much as a system call, and more long ones are likely to follow.
constexpr size_t kStoredBytesMax = 64 << 10;
// More memory than this is not kept for the next compressed record.
constexpr size_t kFrameBytesKept = 1 << 20;

uint8_t FragmentType(bool first, bool last) {
  if (first) return last ? log::kFull : log::kFirst;
  return last ? log::kLast : log::kMiddle;
}

auto TypeCrcs() {
  std::array<uint32_t, log::kSetCompression + 1> crcs{};
  for (uint8_t type = 0; type < crcs.size(); ++type) {
    const auto byte = static_cast<char>(type);
    crcs[type] = crc32c::Value(&byte, 1);
  }
  return crcs;
}

// Reads the parts from front to back.
class PartsReader {
 public:
  explicit PartsReader(std::span<const Slice> parts) : parts_(parts) {}
  // REQUIRES: n bytes are left.
  void CopyTo(char* to, size_t n) {
    while (n > 0) {
      TAMIS_DCHECK(!parts_.empty());
      const Slice& part = parts_.front();
      const size_t some = std::min(n, part.size() - offset_);
      std::memcpy(to, part.data() + offset_, some);
      to += some;
      n -= some;
      offset_ += some;
      if (offset_ < part.size()) continue;
      parts_ = parts_.subspan(1);
      offset_ = 0;
    }
  }

 private:
  std::span<const Slice> parts_;
  size_t offset_ = 0;  // in the first of them
};

}  // namespace

LogWriter::LogWriter(std::unique_ptr<WritableFile> file, FileNumber number,
                     Style style, CompressionType compression)
    : file_(std::move(file)),
      number_(number),
      size_(file_->GetFileSize()),
      synced_size_(size_),
      handed_size_(size_),
      in_place_(style == Style::kInPlace),
      type_crcs_(TypeCrcs()),
      compressor_(compression == kNoCompression ? nullptr
                                                : RecordCompressor::New()) {
  TAMIS_CHECK(compression == kNoCompression ||
              (compression == kZSTD && compressor_ != nullptr && size_ == 0));
}

Status LogWriter::AppendBuffer() {
  if (buffer_.empty()) return status_;
  status_ = file_io::Append(file_.get(), buffer_);
  buffer_.clear();
  return status_;
}

// Returns the place for the next n bytes, which are zeros until written.
char* LogWriter::Room(size_t n) {
  if (in_place_) {
    // n + 1: see WriteHeader.
    if (char* const room = file_io::Reserve(file_.get(), n + 1)) return room;
    in_place_ = false;
  }
  const size_t start = buffer_.size();
  buffer_.resize(start + n);
  return buffer_.data() + start;
}

// Called after the n bytes of payload are written. In place, a kill may come
// between any two stores. The header is therefore written last, by one store: a
// reader finds either a complete record or a header of zeros. The store has
// eight bytes; the last is the payload's first byte, or 0 without payload.
void LogWriter::WriteHeader(char* to, uint8_t type, size_t n) {
  TAMIS_CHECK(n <= log::kBlockBytes - log::kHeaderBytes);
  const char* const payload = to + log::kHeaderBytes;
  const uint32_t crc = crc32c::Extend(type_crcs_[type], payload, n);
  if (!in_place_) {
    EncodeFixed32(to, crc32c::Mask(crc));
    EncodeFixed16(to + 4, static_cast<uint16_t>(n));
    to[6] = static_cast<char>(type);
    return;
  }
  const uint64_t next = n > 0 ? static_cast<uint8_t>(*payload) : 0;
  const uint64_t header =
      crc32c::Mask(crc) | uint64_t{n} << 32 | uint64_t{type} << 48 | next << 56;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  EncodeFixed64(to, header);
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

Status LogWriter::AddRecord(std::span<const Slice> parts) {
  if (compressor_ == nullptr || !status_.ok()) return AddStored(parts);
  status_ = compressor_->Compress(parts, &frame_);
  if (!status_.ok()) return status_;
  if (size_ == 0) AddCompressionType();
  const Slice frame = frame_;
  const Status status = AddStored({&frame, 1});
  if (frame_.capacity() > kFrameBytesKept) frame_ = std::string();
  return status;
}

// It goes to the file with the record after it, or is stored in place before.
void LogWriter::AddCompressionType() {
  constexpr size_t kTypeBytes = 4;
  constexpr size_t kBytes = log::kHeaderBytes + kTypeBytes;
  char* const header = Room(kBytes);
  EncodeFixed32(header + log::kHeaderBytes, kZSTD);
  WriteHeader(header, log::kSetCompression, kTypeBytes);
  if (in_place_) file_io::Commit(file_.get(), kBytes);
  size_ += kBytes;
}

// Returns the most bytes of payload of a fragment in a room of a block, if
// `rest` bytes are left of the record.
size_t LogWriter::PayloadMax(size_t room, size_t rest) const {
  const size_t all = room - log::kHeaderBytes;
  // RocksDB 7.0 to 7.10.1 takes two fragments of a compressed record that
  // follow each other and lie at the same place of their blocks for one, and
  // skips the second (its pull request 11198). So a fragment that fills its
  // block leaves room for another one, of a byte, from which the next block's
  // differs.
  const bool fills_a_block = room == log::kBlockBytes && rest > all;
  return compressor_ != nullptr && fills_a_block ? all - log::kHeaderBytes - 1
                                                 : all;
}

Status LogWriter::AddStored(std::span<const Slice> parts) {
  if (!status_.ok()) return status_;
  PartsReader reader(parts);
  size_t rest = 0;
  for (const Slice& part : parts) rest += part.size();
  // Never in place again: a call that a kill interrupts leaves a torn tail only
  // at the end of the file, not before reserved zeros.
  if (rest > kStoredBytesMax) in_place_ = false;
  bool first = true;
  bool last = false;
  while (!last) {
    const size_t left = log::kBlockBytes - size_ % log::kBlockBytes;
    const size_t padding = left < log::kHeaderBytes ? left : 0;
    const size_t room = padding > 0 ? log::kBlockBytes : left;
    TAMIS_DCHECK(room >= log::kHeaderBytes);
    const size_t n = std::min(rest, PayloadMax(room, rest));
    rest -= n;
    last = rest == 0;
    const uint8_t type = FragmentType(first, last);
    first = false;

    const size_t bytes = padding + log::kHeaderBytes + n;
    TAMIS_DCHECK(padding + room >= bytes);
    char* const header = Room(bytes) + padding;
    reader.CopyTo(header + log::kHeaderBytes, n);
    WriteHeader(header, type, n);
    if (in_place_) file_io::Commit(file_.get(), bytes);
    size_ += bytes;
    if (buffer_.size() >= kBufferBytesMax) {
      TAMIS_RETURN_IF_ERROR(AppendBuffer());
    }
  }
  return AppendBuffer();
}

Status LogWriter::AddCleanCloseMarker(SequenceNumber next) {
  std::string batch;
  PutFixed64(&batch, next);
  PutFixed32(&batch, 0);
  if (compressor_ != nullptr) {
    if (!status_.ok()) return status_;
    if (size_ == 0) AddCompressionType();
    batch.insert(0, reinterpret_cast<const char*>(log::kCleanCloseFrame),
                 sizeof(log::kCleanCloseFrame));
  }
  const size_t bytes = log::kHeaderBytes + batch.size();
  TAMIS_CHECK(bytes == log::kCleanCloseBytes ||
              bytes == log::kZstdCleanCloseBytes);
  const size_t room = log::kBlockBytes - size_ % log::kBlockBytes;
  const Slice record = batch;
  TAMIS_RETURN_IF_ERROR(AddStored({&record, 1}));
  const bool was_split = room >= log::kHeaderBytes && room < bytes;
  return was_split ? AddStored({&record, 1}) : Status::OK();
}

Status LogWriter::Flush() {
  if (status_.ok()) status_ = file_io::Flush(file_.get());
  return status_;
}

void LogWriter::StartWriteback(uint64_t bytes_min) {
  if (size_ - handed_size_ < bytes_min || !status_.ok()) return;
  file_io::RangeSync(file_.get(), handed_size_, size_ - handed_size_);
  handed_size_ = size_;
}

Status LogWriter::Sync() {
  if (status_.ok()) status_ = file_io::Sync(file_.get());
  if (status_.ok()) synced_size_ = size_;
  return status_;
}

Status LogWriter::Close() {
  if (status_.ok()) status_ = file_->Close();
  return status_;
}

}  // namespace tamis
