// SPDX-License-Identifier: Apache-2.0
#include "table/table_salvage.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "table/properties.h"
#include "table/table_reader_rep.h"
#include "table/translated_table.h"
#include "util/coding/checksum.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

// The smallest block: one entry, one restart, and their number.
constexpr uint64_t kPayloadBytesMin = 12;
// How far to search for the end of a block, in steps, since most are short.
constexpr uint64_t kWindows[] = {16 << 10, 128 << 10, 1 << 20, 8 << 20};
constexpr uint8_t kCodecMax = kZSTD;

constexpr ChecksumType kChecksumTypes[] = {kXXH3, kCRC32c, kxxHash64, kxxHash};

// Returns whether the error is not damage to the table. Damage is skipped.
bool IsFatal(const Status& status) {
  return status.IsIOError() || status.IsNotSupported() ||
         status.IsInvalidArgument();
}

// Returns whether the block's first entry refers to the first block of the
// file, as in an index block.
bool LooksLikeIndex(const Slice& block, uint64_t first_block_bytes) {
  for (const bool with_value_length : {true, false}) {
    Decoder in(block);
    const uint32_t shared = in.Varint32();
    const uint32_t non_shared = in.Varint32();
    if (with_value_length) in.Varint32();
    in.Bytes(non_shared);
    const BlockHandle handle = BlockHandle::DecodeFrom(&in);
    if (in.ok() && shared == 0 &&
        handle == BlockHandle{.offset = 0, .size = first_block_bytes}) {
      return true;
    }
  }
  return false;
}

}  // namespace

class TableSalvage::Scan {
 public:
  Scan(std::unique_ptr<RandomAccessFile> file, uint64_t file_size,
       const TableContext& context, const Visit& visit)
      : visit_(visit) {
    const auto footer =
        TableReader::Rep::ReadFooter(*file, file_size, context.file_name);
    footer_status_ = footer.ok() ? Status::OK() : footer.status();
    rep_ = std::make_unique<TableReader::Rep>(
        std::move(file), file_size, context, footer.ok() ? *footer : Footer());
  }

  Status Run();
  Result<std::shared_ptr<const TableProperties>> ReadProperties();
  SalvagedTable TakeResult() { return std::move(result_); }

 private:
  Status ReadIndex();
  Status ReadTombstones();
  Status VisitKnown(const BlockHandle& handle);
  Status VisitUnknown(uint64_t from, uint64_t to);
  Status VisitEntries(const BlockHandle& handle, const Slice& block);
  bool EntriesAreSound(const BlockHandle& handle, const Slice& block);
  // Returns whether `key` orders after `before`, with the global sequence
  // applied.
  bool Follows(const Slice& before, const Slice& key) const;
  // Returns the block that begins at `from`, of size 0 if none is detected.
  Result<BlockHandle> FindBlock(uint64_t from, uint64_t to);
  std::optional<uint64_t> FindLength(uint64_t offset, const Slice& bytes,
                                     uint64_t shortest, const Footer& footer);
  Result<ByteBuffer> ReadUnknown(const BlockHandle& handle) const;

  const Visit& visit_;
  Status footer_status_;
  std::unique_ptr<TableReader::Rep> rep_;
  std::vector<BlockHandle> blocks_;  // listed in the index
  // The checksum parameters of blocks that are not in the index; nullopt until
  // the checksum type is known.
  std::optional<Footer> unknown_footer_;
  uint64_t first_block_bytes_ = 0;
  std::string last_key_;
  SalvagedTable result_;
};

Result<std::shared_ptr<const TableProperties>>
TableSalvage::Scan::ReadProperties() {
  TAMIS_RETURN_IF_ERROR(footer_status_);
  TAMIS_RETURN_IF_ERROR(rep_->ReadMetaindex());
  TAMIS_RETURN_IF_ERROR(rep_->ReadProperties());
  return rep_->properties;
}

// Fills blocks_ with the readable part of the index. Damage is not an error.
Status TableSalvage::Scan::ReadIndex() {
  result_.index_lost = true;
  result_.tombstones_lost = true;
  if (!footer_status_.ok()) {
    return footer_status_.IsIOError() ? footer_status_ : Status::OK();
  }
  // From version 6 on the footer is protected by a checksum.
  if (rep_->footer.format_version >= 6) unknown_footer_ = rep_->footer;
  Status status = rep_->ReadMetaindex();
  if (!status.ok()) return IsFatal(status) ? status : Status::OK();
  unknown_footer_ = rep_->footer;
  status = rep_->ReadProperties();
  if (!status.ok()) return IsFatal(status) ? status : Status::OK();
  // Without it, every entry would have the wrong sequence number.
  TAMIS_RETURN_IF_ERROR(rep_->FindGlobalSequence());
  TAMIS_RETURN_IF_ERROR(rep_->CheckReadable());
  TAMIS_RETURN_IF_ERROR(ReadTombstones());
  status = rep_->OpenIndex();
  if (!status.ok()) return IsFatal(status) ? status : Status::OK();
  const ReadContext context = rep_->open_context();
  IndexIterator it(rep_->index.get(), &context);
  uint64_t end = 0;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    // The entries of an index are in file order.
    if (it.handle().offset < end || !it.handle().FitsIn(rep_->file_size)) {
      return Status::OK();
    }
    end = it.handle().end();
    blocks_.push_back(it.handle());
  }
  if (IsFatal(it.status())) return it.status();
  result_.index_lost = !it.status().ok();
  return Status::OK();
}

Status TableSalvage::Scan::ReadTombstones() {
  auto tombstones = rep_->ReadRangeTombstones();
  if (tombstones.ok()) {
    result_.tombstones = std::move(tombstones).value();
    result_.tombstones_lost = false;
    return Status::OK();
  }
  return IsFatal(tombstones.status()) ? tombstones.status() : Status::OK();
}

Status TableSalvage::Scan::Run() {
  TAMIS_RETURN_IF_ERROR(ReadIndex());
  uint64_t position = 0;
  for (const BlockHandle& handle : blocks_) {
    position = handle.end();
    if (handle.offset == 0) first_block_bytes_ = handle.size;
    TAMIS_RETURN_IF_ERROR(VisitKnown(handle));
  }
  if (!result_.index_lost) return Status::OK();
  return VisitUnknown(position, rep_->file_size);
}

Status TableSalvage::Scan::VisitKnown(const BlockHandle& handle) {
  Result<ByteBuffer> block =
      rep_->fetcher.Read(handle, BlockKind::kData, rep_->open_context());
  if (!block.ok() && IsFatal(block.status())) return block.status();
  if (!block.ok() || !EntriesAreSound(handle, *block)) {
    ++result_.blocks_lost;
    result_.bytes_lost += handle.size + kBlockTrailerBytes;
    return Status::OK();
  }
  return VisitEntries(handle, *block);
}

Status TableSalvage::Scan::VisitUnknown(uint64_t from, uint64_t to) {
  while (from < to) {
    Result<BlockHandle> handle = FindBlock(from, to);
    if (!handle.ok()) return handle.status();
    if (handle->size == 0) break;
    Result<ByteBuffer> block = ReadUnknown(*handle);
    if (!block.ok()) {
      if (block.status().IsIOError()) return block.status();
      break;
    }
    if (from == 0) {
      first_block_bytes_ = handle->size;
    } else if (LooksLikeIndex(*block, first_block_bytes_)) {
      return Status::OK();  // past the last data block
    }
    if (!EntriesAreSound(*handle, *block)) break;
    TAMIS_RETURN_IF_ERROR(VisitEntries(*handle, *block));
    from = handle->end();
  }
  result_.bytes_lost += to - from;
  return Status::OK();
}

Result<BlockHandle> TableSalvage::Scan::FindBlock(uint64_t from, uint64_t to) {
  const uint64_t room = to - from;
  uint64_t shortest = kPayloadBytesMin;
  std::string space;
  for (const uint64_t window : kWindows) {
    const uint64_t n = std::min(window, room);
    if (n < shortest + kBlockTrailerBytes) break;
    space.resize(n);
    Slice bytes;
    TAMIS_RETURN_IF_ERROR(
        file_io::Read(*rep_->file, from, space.size(), &bytes, space.data()));
    if (unknown_footer_) {
      const auto length = FindLength(from, bytes, shortest, *unknown_footer_);
      if (length) return BlockHandle{.offset = from, .size = *length};
    } else {
      for (const ChecksumType type : kChecksumTypes) {
        Footer footer;
        footer.checksum = type;
        const auto length = FindLength(from, bytes, shortest, footer);
        if (!length) continue;
        unknown_footer_ = footer;
        return BlockHandle{.offset = from, .size = *length};
      }
    }
    shortest = n - kBlockTrailerBytes + 1;
    if (n == room) break;
  }
  return BlockHandle();
}

std::optional<uint64_t> TableSalvage::Scan::FindLength(uint64_t offset,
                                                       const Slice& bytes,
                                                       uint64_t shortest,
                                                       const Footer& footer) {
  if (bytes.size() < shortest + kBlockTrailerBytes) return std::nullopt;
  const uint64_t longest = bytes.size() - kBlockTrailerBytes;
  const uint32_t modifier =
      ChecksumModifier(footer.base_context_checksum, offset);
  PrefixChecksum checksum(footer.checksum, bytes);
  for (uint64_t length = shortest; length <= longest; ++length) {
    if (static_cast<uint8_t>(bytes[length]) > kCodecMax) continue;
    const uint32_t stored = DecodeFixed32(bytes.data() + length + 1);
    if (checksum.Of(length) + modifier == stored) return length;
  }
  return std::nullopt;
}

Result<ByteBuffer> TableSalvage::Scan::ReadUnknown(
    const BlockHandle& handle) const {
  // If the metaindex is readable, so is the compression dictionary.
  if (!rep_->metaindex.empty()) {
    return rep_->fetcher.Read(handle, BlockKind::kData, rep_->open_context());
  }
  BlockFetcher fetcher(rep_->file.get(), &rep_->context.file_name,
                       rep_->file_size, *unknown_footer_);
  fetcher.LimitBlocks(rep_->context.max_decompressed_block_bytes);
  return fetcher.Read(handle, BlockKind::kData, rep_->open_context());
}

bool TableSalvage::Scan::Follows(const Slice& before, const Slice& key) const {
  const KeyOrder& order = rep_->context.order;
  // With a global sequence number, user keys are distinct.
  return rep_->global_sequence != 0
             ? order.CompareUserKeys(ExtractUserKey(before),
                                     ExtractUserKey(key)) < 0
             : order.Compare(before, key) < 0;
}

bool TableSalvage::Scan::EntriesAreSound(const BlockHandle& handle,
                                         const Slice& block) {
  BlockIterator it;
  it.Open(PinnedBytes::Borrow(block), rep_->data_format(),
          {&rep_->context.file_name, handle.offset});
  std::string before = last_key_;
  uint64_t entries = 0;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    ParsedInternalKey key;
    if (!ParseEntryKey(it.key(), &key)) {
      return false;
    }
    if (!before.empty() && !Follows(before, it.key())) return false;
    before.assign(it.key().data(), it.key().size());
    ++entries;
  }
  return it.status().ok() && entries > 0;
}

// REQUIRES: EntriesAreSound returned true.
Status TableSalvage::Scan::VisitEntries(const BlockHandle& handle,
                                        const Slice& block) {
  BlockIterator it;
  it.Open(PinnedBytes::Borrow(block), rep_->data_format(),
          {&rep_->context.file_name, handle.offset});
  ++result_.blocks;
  std::string key;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    last_key_.assign(it.key().data(), it.key().size());
    ++result_.entries;
    if (rep_->global_sequence == 0) {
      TAMIS_RETURN_IF_ERROR(visit_(last_key_, it.value()));
      continue;
    }
    ParsedInternalKey parsed;
    if (!ParseInternalKey(last_key_, &parsed)) continue;
    key.clear();
    AppendInternalKey(&key, parsed.user_key, rep_->global_sequence,
                      parsed.type);
    TAMIS_RETURN_IF_ERROR(visit_(key, it.value()));
  }
  return it.status();
}

namespace {

// Recovers the entries of a plain or cuckoo table, up to the first that is
// malformed. There is no way to tell where the next one is.
Result<SalvagedTable> SalvageEntries(const RandomAccessFile& file,
                                     uint64_t file_size,
                                     const TableContext& context,
                                     const TableSalvage::Visit& visit) {
  SalvagedTable result;
  const auto source = OpenEntrySource(&file, file_size, context);
  if (!source.ok()) {
    if (IsFatal(source.status())) return source.status();
    result.index_lost = true;
    result.bytes_lost = file_size;
    return result;
  }
  const TableProperties& properties = (*source)->properties();
  if (properties.user_collected_properties.contains(kExternalVersionProperty)) {
    return Status::Corruption(context.file_name,
                              "it was made for ingestion: the sequence number "
                              "of its entries is unclear");
  }
  std::string last_key;
  Status visited;
  const Status scanned = (*source)->Scan(
      EntryPosition(), (*source)->end(),
      [&](const Slice& key, const Slice& value, const auto& /*position*/) {
        ParsedInternalKey parsed;
        if (!ParseEntryKey(key, &parsed) ||
            (!last_key.empty() && context.order.Compare(last_key, key) >= 0)) {
          return Status::Corruption("the next key is malformed");
        }
        last_key.assign(key.data(), key.size());
        ++result.entries;
        visited = visit(key, value);
        return visited;
      });
  TAMIS_RETURN_IF_ERROR(visited);
  if (IsFatal(scanned)) return scanned;
  result.blocks = 1;
  if (scanned.ok()) return result;
  result.blocks_lost = 1;
  const uint64_t found = properties.num_entries;
  const uint64_t lost = found - std::min(found, result.entries);
  result.bytes_lost = found == 0 ? 0 : properties.data_size / found * lost;
  return result;
}

}  // namespace

Result<SalvagedTable> TableSalvage::Run(std::unique_ptr<RandomAccessFile> file,
                                        uint64_t file_size,
                                        const TableContext& context,
                                        const Visit& visit) {
  const auto format = TableReader::Rep::ReadFormat(*file, file_size);
  if (!format.ok()) return format.status();
  if (*format != TableFormat::kBlockBased) {
    return SalvageEntries(*file, file_size, context, visit);
  }
  TableContext lenient = context;
  lenient.block_cache = nullptr;
  lenient.expected_unique_id.clear();
  Scan scan(std::move(file), file_size, lenient, visit);
  TAMIS_RETURN_IF_ERROR(scan.Run());
  return scan.TakeResult();
}

Result<std::shared_ptr<const TableProperties>> TableSalvage::ReadProperties(
    std::unique_ptr<RandomAccessFile> file, uint64_t file_size,
    const TableContext& context) {
  const auto format = TableReader::Rep::ReadFormat(*file, file_size);
  if (!format.ok()) return format.status();
  if (*format != TableFormat::kBlockBased) {
    auto tail = PlainTail::Read(*file, file_size, context.file_name);
    if (!tail.ok()) return tail.status();
    return std::make_shared<const TableProperties>(std::move(tail->properties));
  }
  const Visit none;
  Scan scan(std::move(file), file_size, context, none);
  return scan.ReadProperties();
}

}  // namespace tamis
