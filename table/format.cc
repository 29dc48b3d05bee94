// SPDX-License-Identifier: Apache-2.0
#include "table/format.h"

#include <cstdio>

#include "util/check.h"
#include "util/checksum.h"

namespace tamis {

namespace {

constexpr size_t kVersionAt = 41;
constexpr size_t kLegacyMagicAt = 40;

std::string Hex64(uint64_t v) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%016llx",
                static_cast<unsigned long long>(v));
  return text;
}

Status CheckHandles(const Footer& footer, const Decoder& in,
                    uint64_t footer_offset, const std::string& file_name) {
  const std::string where = "footer at offset " + std::to_string(footer_offset);
  if (!in.ok()) {
    return Status::Corruption(file_name, where + ": malformed block handle");
  }
  if (!footer.metaindex.FitsIn(footer_offset)) {
    return Status::Corruption(
        file_name, where + ": metaindex (" + footer.metaindex.ToString() +
                       ") does not lie before the footer");
  }
  if (!footer.index.FitsIn(footer_offset)) {
    return Status::Corruption(file_name, where + ": index (" +
                                             footer.index.ToString() +
                                             ") does not lie before the "
                                             "footer");
  }
  return Status::OK();
}

Result<Footer> DecodeLegacy(const Slice& tail, uint64_t file_size,
                            const std::string& file_name) {
  Footer footer;
  footer.format_version = 0;
  footer.checksum = kCRC32c;
  footer.magic = kLegacyMagic;
  Decoder in(Slice(tail.end() - kLegacyFooterBytes, kLegacyMagicAt));
  footer.metaindex = BlockHandle::DecodeFrom(&in);
  footer.index = BlockHandle::DecodeFrom(&in);
  TAMIS_RETURN_IF_ERROR(
      CheckHandles(footer, in, file_size - kLegacyFooterBytes, file_name));
  return footer;
}

}  // namespace

void BlockHandle::EncodeTo(std::string* out) const {
  PutVarint64(out, offset);
  PutVarint64(out, size);
}

BlockHandle BlockHandle::DecodeFrom(Decoder* in) {
  BlockHandle handle;
  handle.offset = in->Varint64();
  handle.size = in->Varint64();
  return handle;
}

std::string BlockHandle::ToString() const {
  return "offset " + std::to_string(offset) + ", size " + std::to_string(size);
}

std::string Footer::Encode() const {
  TAMIS_CHECK(format_version == kFormatVersionWritten);
  std::string out(1, static_cast<char>(checksum));
  metaindex.EncodeTo(&out);
  index.EncodeTo(&out);
  TAMIS_CHECK(out.size() <= kVersionAt);
  out.resize(kVersionAt, '\0');
  PutFixed32(&out, format_version);
  PutFixed64(&out, magic);
  return out;
}

Result<Footer> Footer::Decode(const Slice& tail, uint64_t file_size,
                              const std::string& file_name) {
  if (tail.size() < kLegacyFooterBytes) {
    return Status::Corruption(
        file_name, "too short for a table: " + std::to_string(file_size) +
                       " bytes, expected at least " +
                       std::to_string(kLegacyFooterBytes));
  }
  const uint64_t magic = DecodeFixed64(tail.end() - sizeof(uint64_t));
  if (magic == kLegacyMagic) return DecodeLegacy(tail, file_size, file_name);
  if (magic != kBlockBasedMagic) {
    return Status::Corruption(
        file_name, "not a block-based table: magic number at offset " +
                       std::to_string(file_size - sizeof(uint64_t)) +
                       ", expected " + Hex64(kBlockBasedMagic) + ", got " +
                       Hex64(magic));
  }
  if (tail.size() < kFooterBytes) {
    return Status::Corruption(
        file_name, "too short for a table: " + std::to_string(file_size) +
                       " bytes, expected at least " +
                       std::to_string(kFooterBytes));
  }
  const char* const bytes = tail.end() - kFooterBytes;
  Footer footer;
  footer.format_version = DecodeFixed32(bytes + kVersionAt);
  if (footer.format_version > kFormatVersionMax) {
    return Status::NotSupported(
        file_name, "format_version " + std::to_string(footer.format_version) +
                       " (this release reads 0 to " +
                       std::to_string(kFormatVersionMax) + ")");
  }
  const auto checksum = static_cast<uint8_t>(bytes[0]);
  if (!IsKnownChecksumType(checksum)) {
    return Status::Corruption(
        file_name, "unknown checksum type " + std::to_string(checksum) +
                       " in the footer at offset " +
                       std::to_string(file_size - kFooterBytes));
  }
  footer.checksum = static_cast<ChecksumType>(checksum);
  Decoder in(Slice(bytes + 1, kVersionAt - 1));
  footer.metaindex = BlockHandle::DecodeFrom(&in);
  footer.index = BlockHandle::DecodeFrom(&in);
  TAMIS_RETURN_IF_ERROR(
      CheckHandles(footer, in, file_size - kFooterBytes, file_name));
  return footer;
}

}  // namespace tamis
