// SPDX-License-Identifier: Apache-2.0
#include "table/table_format.h"

#include <algorithm>
#include <utility>

#include "table/block.h"
#include "table/block_builder.h"
#include "table/properties.h"
#include "util/base/check.h"
#include "util/coding/printable.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

constexpr uint64_t kPlainMagic = 0x8242229663bf9564;
constexpr uint64_t kLegacyPlainMagic = 0x4f3418eb7a8f13b8;
constexpr uint64_t kCuckooMagic = 0x926789d0c5f17873;
constexpr uint32_t kCuckooVersion = 1;
// Of the handles in the footer of 53 bytes, and the bytes that they may take.
constexpr size_t kHandlesAt = 1;
constexpr size_t kHandlesBytes = 40;

uint64_t MagicOf(const Slice& file_end) {
  return file_end.size() < sizeof(uint64_t)
             ? 0
             : DecodeFixed64(file_end.end() - sizeof(uint64_t));
}

// Whether the block lies in the first `limit` bytes. It has no trailer.
bool IsWithin(const BlockHandle& handle, uint64_t limit) {
  return handle.size <= limit && handle.offset <= limit - handle.size;
}

Result<ByteBuffer> ReadBytes(const RandomAccessFile& file,
                             const BlockHandle& handle,
                             const std::string& file_name) {
  ByteBuffer bytes;
  const auto n = static_cast<size_t>(handle.size);
  Slice got;
  TAMIS_RETURN_IF_ERROR(
      file_io::Read(file, handle.offset, n, &got, bytes.Room(n)));
  if (got.size() != n) {
    return Status::Corruption(
        file_name, "block (" + handle.ToString() + "): short read, got " +
                       std::to_string(got.size()) + " bytes");
  }
  if (got.data() == bytes.data()) {
    bytes.Advance(n);
  } else {
    bytes.Append(got);
  }
  return bytes;
}

// Decodes the handle of the metaindex from the footer.
Result<BlockHandle> DecodeFooter(const Slice& file_end, uint64_t file_size,
                                 const std::string& file_name) {
  const bool legacy = MagicOf(file_end) == kLegacyPlainMagic;
  const size_t footer_bytes = legacy ? kLegacyFooterBytes : kFooterBytes;
  if (file_end.size() < footer_bytes) {
    return Status::Corruption(
        file_name,
        "too short for a table: " + std::to_string(file_size) + " bytes");
  }
  const uint64_t footer_at = file_size - footer_bytes;
  const char* const handles =
      file_end.end() - footer_bytes + (legacy ? 0 : kHandlesAt);
  Decoder in(Slice(handles, kHandlesBytes));
  const BlockHandle metaindex = BlockHandle::DecodeFrom(&in);
  if (!in.ok() || metaindex.size == 0 || !IsWithin(metaindex, footer_at)) {
    return Status::Corruption(
        file_name, "footer at offset " + std::to_string(footer_at) +
                       ": expected the handle of a metaindex before it, got " +
                       metaindex.ToString());
  }
  return metaindex;
}

std::string EncodeFooter(TableFormat format, const BlockHandle& metaindex) {
  const bool legacy = format == TableFormat::kPlain;
  std::string out;
  if (!legacy) out.push_back(static_cast<char>(kNoChecksum));
  metaindex.EncodeTo(&out);
  BlockHandle().EncodeTo(&out);
  out.resize(kHandlesBytes + (legacy ? 0 : kHandlesAt), '\0');
  if (!legacy) PutFixed32(&out, kCuckooVersion);
  PutFixed64(&out, legacy ? kLegacyPlainMagic : kCuckooMagic);
  TAMIS_CHECK(out.size() == (legacy ? kLegacyFooterBytes : kFooterBytes));
  return out;
}

}  // namespace

const char* TableFormatName(TableFormat format) {
  switch (format) {
    case TableFormat::kBlockBased:
      return "block-based";
    case TableFormat::kPlain:
      return "plain";
    case TableFormat::kCuckoo:
      return "cuckoo";
  }
  return "unknown";
}

TableFormat TableFormatOf(const Slice& file_end) {
  switch (MagicOf(file_end)) {
    case kPlainMagic:
    case kLegacyPlainMagic:
      return TableFormat::kPlain;
    case kCuckooMagic:
      return TableFormat::kCuckoo;
    default:
      return TableFormat::kBlockBased;
  }
}

Result<PlainTail> PlainTail::Read(const RandomAccessFile& file,
                                  uint64_t file_size,
                                  const std::string& file_name) {
  char space[kFooterBytes];
  const auto n =
      static_cast<size_t>(std::min<uint64_t>(file_size, kFooterBytes));
  Slice file_end;
  TAMIS_RETURN_IF_ERROR(
      file_io::Read(file, file_size - n, n, &file_end, space));
  const auto metaindex = DecodeFooter(file_end, file_size, file_name);
  if (!metaindex.ok()) return metaindex.status();
  PlainTail tail;
  tail.format = TableFormatOf(file_end);
  tail.begin = metaindex->offset;
  Result<ByteBuffer> block = ReadBytes(file, *metaindex, file_name);
  if (!block.ok()) return block.status();
  BlockIterator it;
  it.Open(PinnedBytes::Own(*std::move(block)), BlockFormat(),
          {&file_name, metaindex->offset});
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    Decoder in(it.value());
    const BlockHandle handle = BlockHandle::DecodeFrom(&in);
    if (!in.ok() || !IsWithin(handle, metaindex->offset)) {
      return it.origin().Corruption("metaindex entry '" + Printable(it.key()) +
                                    "' has a malformed handle");
    }
    tail.blocks[it.key().ToString()] = handle;
    tail.begin = std::min(tail.begin, handle.offset);
  }
  TAMIS_RETURN_IF_ERROR(it.status());
  auto found = tail.blocks.find(kPropertiesBlockName);
  if (found == tail.blocks.end()) {
    found = tail.blocks.find(kPropertiesBlockOldName);
  }
  if (found == tail.blocks.end()) {
    return it.origin().Corruption(std::string("metaindex names no ") +
                                  kPropertiesBlockName);
  }
  block = ReadBytes(file, found->second, file_name);
  if (!block.ok()) return block.status();
  auto properties = DecodeProperties(PinnedBytes::Own(*std::move(block)),
                                     {&file_name, found->second.offset});
  if (!properties.ok()) return properties.status();
  tail.properties = *std::move(properties);
  tail.blocks.erase(found);
  return tail;
}

std::string PlainTail::Encode(uint64_t offset) const {
  std::string out = EncodeProperties(properties);
  std::map<std::string, BlockHandle> named = blocks;
  named[kPropertiesBlockName] = {offset, out.size()};
  BlockBuilder metaindex(1);
  for (const auto& [name, handle] : named) {
    std::string value;
    handle.EncodeTo(&value);
    metaindex.Add(name, value);
  }
  const Slice block = metaindex.Finish();
  const BlockHandle handle{offset + out.size(), block.size()};
  out.append(block.data(), block.size());
  return out + EncodeFooter(format, handle);
}

}  // namespace tamis
