// SPDX-License-Identifier: Apache-2.0
#include "db/log_writer.h"

#include <algorithm>
#include <utility>

#include "db/log_format.h"
#include "util/check.h"
#include "util/coding.h"
#include "util/crc32c.h"
#include "util/result.h"

namespace tamis {

namespace {

// More than this is handed to the file in pieces.
constexpr size_t kBufferBytesMax = 8 * log::kBlockBytes;

uint8_t FragmentType(bool first, bool last) {
  if (first) return last ? log::kFull : log::kFirst;
  return last ? log::kLast : log::kMiddle;
}

void AppendFragment(std::string* out, uint8_t type, const Slice& payload) {
  const auto type_byte = static_cast<char>(type);
  const uint32_t crc = crc32c::Extend(crc32c::Value(&type_byte, 1),
                                      payload.data(), payload.size());
  PutFixed32(out, crc32c::Mask(crc));
  PutFixed16(out, static_cast<uint16_t>(payload.size()));
  out->push_back(type_byte);
  out->append(payload.data(), payload.size());
}

}  // namespace

LogWriter::LogWriter(std::unique_ptr<WritableFile> file, uint64_t number)
    : file_(std::move(file)), number_(number), size_(file_->GetFileSize()) {}

Status LogWriter::AppendBuffer() {
  if (buffer_.empty()) return status_;
  status_ = file_->Append(buffer_);
  buffer_.clear();
  return status_;
}

Status LogWriter::AddRecord(const Slice& payload) {
  if (!status_.ok()) return status_;
  Slice rest = payload;
  bool first = true;
  bool last = false;
  while (!last) {
    size_t room = log::kBlockBytes - size_ % log::kBlockBytes;
    if (room < log::kHeaderBytes) {
      buffer_.append(room, '\0');
      size_ += room;
      room = log::kBlockBytes;
    }
    const size_t n = std::min(rest.size(), room - log::kHeaderBytes);
    last = n == rest.size();
    AppendFragment(&buffer_, FragmentType(first, last), Slice(rest.data(), n));
    size_ += log::kHeaderBytes + n;
    rest.remove_prefix(n);
    first = false;
    if (buffer_.size() >= kBufferBytesMax) {
      TAMIS_RETURN_IF_ERROR(AppendBuffer());
    }
  }
  return AppendBuffer();
}

Status LogWriter::AddSeal(SequenceNumber next) {
  std::string batch;
  PutFixed64(&batch, next);
  PutFixed32(&batch, 0);
  TAMIS_CHECK(log::kHeaderBytes + batch.size() == log::kSealBytes);
  const size_t room = log::kBlockBytes - size_ % log::kBlockBytes;
  TAMIS_RETURN_IF_ERROR(AddRecord(batch));
  const bool was_split = room >= log::kHeaderBytes && room < log::kSealBytes;
  return was_split ? AddRecord(batch) : Status::OK();
}

Status LogWriter::Flush() {
  if (status_.ok()) status_ = file_->Flush();
  return status_;
}

Status LogWriter::Sync() {
  if (status_.ok()) status_ = file_->Sync();
  return status_;
}

Status LogWriter::Close() {
  if (status_.ok()) status_ = file_->Close();
  return status_;
}

}  // namespace tamis
