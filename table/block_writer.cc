// SPDX-License-Identifier: Apache-2.0
#include "table/block_writer.h"

#include "util/io/file_io.h"
#include "util/stats/histogram_timer.h"
#include "util/stats/perf_counters.h"

namespace tamis {

Result<BlockHandle> BlockWriter::Write(const Slice& raw) {
  return WriteStored(raw, kNoCompression);
}

Result<BlockHandle> BlockWriter::WriteCompressed(
    const Slice& raw, CompressionDictionary* dictionary) {
  if (codec_ == kNoCompression) return Write(raw);
  bool compressed = false;
  {
    const HistogramTimer timing(statistics_, COMPRESSION_TIMES_NANOS);
    const PayloadForm form = PayloadFormOf(footer_.format_version);
    compressed = dictionary != nullptr
                     ? dictionary->Compress(raw, form, &compressed_)
                     : Compress(codec_, raw, &compressed_, form, level_);
  }
  if (compressed && compressed_.size() < raw.size() - raw.size() / 8) {
    if (verifies_) TAMIS_RETURN_IF_ERROR(Verify(raw, dictionary));
    any_compressed_ = true;
    RecordTick(statistics_, NUMBER_BLOCK_COMPRESSED);
    return WriteStored(compressed_, codec_);
  }
  RecordTick(statistics_, NUMBER_BLOCK_NOT_COMPRESSED);
  return Write(raw);
}

Status BlockWriter::Verify(const Slice& raw,
                           const CompressionDictionary* dictionary) {
  if (dictionary != nullptr &&
      (verifying_ == nullptr || verifying_->raw() != dictionary->raw())) {
    verifying_ =
        std::make_unique<UncompressionDictionary>(dictionary->raw().ToString());
  }
  const auto again =
      Uncompress(codec_, compressed_, PayloadFormOf(footer_.format_version),
                 dictionary != nullptr ? verifying_.get() : nullptr);
  if (again.ok() && Slice(again->data(), again->size()) == raw) {
    return Status::OK();
  }
  return Status::Corruption(
      "the block for offset " + std::to_string(offset_),
      "its compressed form does not decompress to it" +
          (again.ok() ? std::string() : ": " + again.status().ToString()));
}

Result<BlockHandle> BlockWriter::WriteStored(const Slice& payload,
                                             CompressionType codec) {
  char trailer[kBlockTrailerBytes];
  trailer[0] = static_cast<char>(codec);
  EncodeFixed32(trailer + 1, footer_.ChecksumOf(offset_, payload,
                                                static_cast<uint8_t>(codec)));
  const BlockHandle handle{.offset = offset_, .size = payload.size()};
  TAMIS_RETURN_IF_ERROR(file_io::Append(file_, payload));
  TAMIS_RETURN_IF_ERROR(
      file_io::Append(file_, Slice(trailer, sizeof(trailer))));
  offset_ = handle.end();
  TAMIS_CHECK(offset_ > handle.offset);
  if (bytes_per_sync_ != 0 && offset_ - writeback_from_ >= bytes_per_sync_) {
    StartWriteback();
  }
  return handle;
}

void BlockWriter::StartWriteback() {
  TAMIS_CHECK(writeback_from_ <= offset_);
  file_io::RangeSync(file_, writeback_from_, offset_ - writeback_from_);
  writeback_from_ = offset_;
}

Status BlockWriter::WriteBytes(const Slice& bytes) {
  TAMIS_RETURN_IF_ERROR(file_io::Append(file_, bytes));
  offset_ += bytes.size();
  return Status::OK();
}

}  // namespace tamis
