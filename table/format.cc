// SPDX-License-Identifier: Apache-2.0
#include "table/format.h"

#include <cstdio>
#include <cstring>

#include "util/base/check.h"
#include "util/coding/hash.h"

namespace tamis {

namespace {

constexpr size_t kVersionAt = 41;
constexpr size_t kLegacyMagicAt = 40;
// Versions 6 and 7.
constexpr char kExtendedMagic[4] = {0x3e, 0x00, 0x7a, 0x00};
constexpr size_t kExtendedMagicAt = 1;
constexpr size_t kFooterChecksumAt = 5;
constexpr size_t kBaseContextAt = 9;
constexpr size_t kMetaindexSizeAt = 13;
// Of the zeros before the version, readers check those from here on.
constexpr size_t kReservedAt = 33;

std::string Hex(uint64_t v, int digits) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%0*llx", digits,
                static_cast<unsigned long long>(v));
  return text;
}

std::string Where(uint64_t footer_offset) {
  return "footer at offset " + std::to_string(footer_offset);
}

Status CheckHandles(const Footer& footer, const Decoder& in,
                    uint64_t footer_offset, const std::string& file_name) {
  const std::string where = Where(footer_offset);
  if (!in.ok()) {
    return Status::Corruption(file_name, where + ": malformed block handle");
  }
  // Blocks are never empty. Besides, an empty one at offset 62 would look like
  // a footer of version 6.
  if (footer.metaindex.size == 0 || footer.index.size == 0) {
    return Status::Corruption(file_name, where +
                                             ": expected metaindex and "
                                             "index, got an empty block");
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

Result<Footer> DecodeLegacy(const Slice& file_end, uint64_t file_size,
                            const std::string& file_name) {
  Footer footer;
  footer.format_version = 0;
  footer.checksum = kCRC32c;
  footer.magic = kLegacyMagic;
  Decoder in(Slice(file_end.end() - kLegacyFooterBytes, kLegacyMagicAt));
  footer.metaindex = BlockHandle::DecodeFrom(&in);
  footer.index = BlockHandle::DecodeFrom(&in);
  TAMIS_RETURN_IF_ERROR(
      CheckHandles(footer, in, file_size - kLegacyFooterBytes, file_name));
  return footer;
}

bool HasExtendedMagic(const char* bytes) {
  return std::memcmp(bytes + kExtendedMagicAt, kExtendedMagic,
                     sizeof(kExtendedMagic)) == 0;
}

// The expected checksum of a footer of version 6 or 7.
uint32_t FooterChecksum(const Footer& footer, uint64_t footer_offset,
                        const char* bytes) {
  char copy[kFooterBytes];
  std::memcpy(copy, bytes, sizeof(copy));
  EncodeFixed32(copy + kFooterChecksumAt, 0);
  // There is no codec byte; the last byte takes its place.
  return footer.ChecksumOf(footer_offset, Slice(copy, kFooterBytes - 1),
                           static_cast<uint8_t>(copy[kFooterBytes - 1]));
}

// Versions 1 to 5. `bytes` starts after the checksum type.
Status DecodeHandles(const char* bytes, uint64_t footer_offset,
                     const std::string& file_name, Footer* footer) {
  if (HasExtendedMagic(bytes)) {
    return Status::Corruption(
        file_name, Where(footer_offset) +
                       ": expected format_version 6 or 7 from its form, got " +
                       std::to_string(footer->format_version));
  }
  Decoder in(Slice(bytes + 1, kVersionAt - 1));
  footer->metaindex = BlockHandle::DecodeFrom(&in);
  footer->index = BlockHandle::DecodeFrom(&in);
  return CheckHandles(*footer, in, footer_offset, file_name);
}

// Versions 6 and 7. `bytes` starts after the checksum type.
Status DecodeExtended(const char* bytes, uint64_t footer_offset,
                      const std::string& file_name, Footer* footer) {
  const auto corrupt = [&](const std::string& what) {
    return Status::Corruption(file_name, Where(footer_offset) + ": " + what);
  };
  if (!HasExtendedMagic(bytes)) {
    return corrupt(
        "extended magic, expected 3E007A00, got " +
        Slice(bytes + kExtendedMagicAt, sizeof(kExtendedMagic)).ToString(true));
  }
  footer->base_context_checksum = DecodeFixed32(bytes + kBaseContextAt);
  if (footer->base_context_checksum == 0) {
    return corrupt("base_context_checksum, expected not 0, got 0");
  }
  const uint32_t stored = DecodeFixed32(bytes + kFooterChecksumAt);
  const uint32_t expected = FooterChecksum(*footer, footer_offset, bytes);
  if (stored != expected) {
    return corrupt(std::string("checksum mismatch (") +
                   ChecksumTypeName(footer->checksum) + "), expected " +
                   Hex(expected, 8) + ", got " + Hex(stored, 8));
  }
  const Slice reserved(bytes + kReservedAt, kVersionAt - kReservedAt);
  if (reserved != Slice("\0\0\0\0\0\0\0\0", 8)) {
    return Status::NotSupported(
        file_name, Where(footer_offset) +
                       ": a feature of a later release (reserved bytes " +
                       reserved.ToString(true) + ")");
  }
  const uint64_t size = DecodeFixed32(bytes + kMetaindexSizeAt);
  if (size + kBlockTrailerBytes > footer_offset) {
    return corrupt("metaindex of " + std::to_string(size) +
                   " bytes does not fit before the footer");
  }
  footer->metaindex = {footer_offset - kBlockTrailerBytes - size, size};
  return Status::OK();
}

}  // namespace

std::string CompressionProperty(uint32_t format_version, CompressionType codec,
                                bool compressed) {
  if (format_version < 7) return CompressionTypeName(codec);
  if (codec == kNoCompression || !compressed) return ";;";
  char text[24];
  std::snprintf(text, sizeof(text), "BuiltinV2;%02X;", unsigned{codec});
  return text;
}

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

void Footer::SetVersion(uint32_t version, const Slice& seed) {
  format_version = version;
  magic = version == 0 ? kLegacyMagic : kBlockBasedMagic;
  base_context_checksum = 0;
  if (version < 6) return;
  base_context_checksum = static_cast<uint32_t>(Hash64(seed));
  if (base_context_checksum == 0) base_context_checksum = 1;
}

std::string Footer::Encode() const {
  TAMIS_CHECK(format_version <= kFormatVersionMax);
  std::string out;
  if (format_version == 0) {
    TAMIS_CHECK(checksum == kCRC32c);
    metaindex.EncodeTo(&out);
    index.EncodeTo(&out);
    TAMIS_CHECK(out.size() <= kLegacyMagicAt);
    out.resize(kLegacyMagicAt, '\0');
    PutFixed64(&out, magic);
    return out;
  }
  out.push_back(static_cast<char>(checksum));
  if (index_is_in_metaindex()) {
    TAMIS_CHECK(base_context_checksum != 0);
    TAMIS_CHECK(metaindex.size <= UINT32_MAX);
    out.append(kExtendedMagic, sizeof(kExtendedMagic));
    PutFixed32(&out, 0);
    PutFixed32(&out, base_context_checksum);
    PutFixed32(&out, static_cast<uint32_t>(metaindex.size));
  } else {
    TAMIS_CHECK(base_context_checksum == 0);
    metaindex.EncodeTo(&out);
    index.EncodeTo(&out);
  }
  TAMIS_CHECK(out.size() <= kVersionAt);
  out.resize(kVersionAt, '\0');
  PutFixed32(&out, format_version);
  PutFixed64(&out, magic);
  if (index_is_in_metaindex()) {
    EncodeFixed32(out.data() + kFooterChecksumAt,
                  FooterChecksum(*this, metaindex.end(), out.data()));
  }
  return out;
}

Result<Footer> Footer::Decode(const Slice& file_end, uint64_t file_size,
                              const std::string& file_name) {
  const auto too_short = [&](size_t least) {
    return Status::Corruption(
        file_name, "too short for a table: " + std::to_string(file_size) +
                       " bytes, expected at least " + std::to_string(least));
  };
  if (file_end.size() < kLegacyFooterBytes)
    return too_short(kLegacyFooterBytes);
  const uint64_t magic = DecodeFixed64(file_end.end() - sizeof(uint64_t));
  if (magic == kLegacyMagic)
    return DecodeLegacy(file_end, file_size, file_name);
  if (magic != kBlockBasedMagic) {
    return Status::Corruption(
        file_name, "not a block-based table: magic number at offset " +
                       std::to_string(file_size - sizeof(uint64_t)) +
                       ", expected " + Hex(kBlockBasedMagic, 16) + ", got " +
                       Hex(magic, 16));
  }
  if (file_end.size() < kFooterBytes) return too_short(kFooterBytes);
  const char* const bytes = file_end.end() - kFooterBytes;
  const uint64_t footer_offset = file_size - kFooterBytes;
  Footer footer;
  footer.format_version = DecodeFixed32(bytes + kVersionAt);
  if (footer.format_version == 0) {
    return Status::Corruption(
        file_name, Where(footer_offset) +
                       ": expected a format_version of 1 or higher with this "
                       "magic number, got 0");
  }
  if (footer.format_version > kFormatVersionMax) {
    return Status::NotSupported(
        file_name, "format_version " + std::to_string(footer.format_version) +
                       " (this release reads 0 to " +
                       std::to_string(kFormatVersionMax) + ")");
  }
  const auto checksum = static_cast<uint8_t>(bytes[0]);
  if (!IsKnownChecksumType(checksum)) {
    return Status::Corruption(file_name, "unknown checksum type " +
                                             std::to_string(checksum) +
                                             " in the footer at offset " +
                                             std::to_string(footer_offset));
  }
  footer.checksum = static_cast<ChecksumType>(checksum);
  TAMIS_RETURN_IF_ERROR(
      footer.index_is_in_metaindex()
          ? DecodeExtended(bytes, footer_offset, file_name, &footer)
          : DecodeHandles(bytes, footer_offset, file_name, &footer));
  return footer;
}

}  // namespace tamis
