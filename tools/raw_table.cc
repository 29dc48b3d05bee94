// SPDX-License-Identifier: Apache-2.0
#include "tools/raw_table.h"

#include <algorithm>
#include <utility>

#include "tamis/comparator.h"

#include "table/index_reader.h"
#include "table/properties.h"
#include "table/translated_table.h"
#include "tools/tool_file_system.h"
#include "util/coding/printable.h"

namespace tamis {
namespace {

const Comparator* ComparatorByName(const std::string& name) {
  for (const Comparator* known :
       {BytewiseComparator(), ReverseBytewiseComparator()}) {
    if (name == known->Name()) return known;
  }
  return nullptr;
}

}  // namespace

RawTable::RawTable(std::string path)
    : path_(std::move(path)),
      fs_(ToolFileSystem()),
      order_(BytewiseComparator()) {}

Result<std::unique_ptr<RawTable>> RawTable::Open(const std::string& path) {
  std::unique_ptr<RawTable> table(new RawTable(path));
  TAMIS_RETURN_IF_ERROR(table->ReadTail());
  TAMIS_RETURN_IF_ERROR(table->ReadMetaindex());
  TAMIS_RETURN_IF_ERROR(table->UseMetaindex());
  TAMIS_RETURN_IF_ERROR(table->ReadProperties());
  return table;
}

Status RawTable::ReadTail() {
  TAMIS_RETURN_IF_ERROR(fs_->GetFileSize(path_, &size_));
  TAMIS_RETURN_IF_ERROR(fs_->NewRandomAccessFile(path_, &file_));
  char space[kFooterBytes];
  const size_t want = std::min<uint64_t>(kFooterBytes, size_);
  Slice tail;
  TAMIS_RETURN_IF_ERROR(file_->Read(size_ - want, want, &tail, space));
  format_ = TableFormatOf(tail);
  if (format_ != TableFormat::kBlockBased) {
    TAMIS_RETURN_IF_ERROR(Translate());
    TAMIS_RETURN_IF_ERROR(file_->Read(size_ - want, want, &tail, space));
  }
  Result<Footer> footer = Footer::Decode(tail, size_, path_);
  if (!footer.ok()) return footer.status();
  footer_ = *footer;
  fetcher_ =
      std::make_unique<BlockFetcher>(file_.get(), &path_, size_, footer_);
  return Status::OK();
}

// Its blocks, index and filter are those that Tamis makes of it.
Status RawTable::Translate() {
  const auto plain = PlainTail::Read(*file_, size_, path_);
  if (!plain.ok()) return plain.status();
  const Comparator* const known =
      ComparatorByName(plain->properties.comparator_name);
  TableContext context(known != nullptr ? KeyOrder(known) : order_);
  context.file_name = path_;
  auto translated = TranslateTable(std::move(file_), size_, context);
  if (!translated.ok()) return translated.status();
  file_ = std::move(translated->file);
  size_ = translated->size;
  return Status::OK();
}

Status RawTable::ReadMetaindex() {
  return ForEachEntry(footer_.metaindex, BlockKind::kMeta, BlockFormat(),
                      [this](const BlockIterator& entry) {
                        Decoder in(entry.value());
                        const BlockHandle handle = BlockHandle::DecodeFrom(&in);
                        if (!in.ok()) {
                          return entry.origin().Corruption(
                              "metaindex entry " + Printable(entry.key()) +
                              " holds no block handle");
                        }
                        metaindex_.push_back({entry.key().ToString(), handle});
                        return Status::OK();
                      });
}

Status RawTable::UseMetaindex() {
  bool names_index = !footer_.index_is_in_metaindex();
  for (const MetaBlock& block : metaindex_) {
    if (block.name == kPropertiesBlockName ||
        block.name == kPropertiesBlockOldName) {
      fetcher_->UseRocksDbPayloads();
    } else if (block.name == kIndexBlockName && !names_index) {
      footer_.index = block.handle;
      names_index = true;
    } else if (block.name == kCompressionDictionaryBlockName) {
      Result<ByteBuffer> raw =
          fetcher_->Read(block.handle, BlockKind::kMeta, ReadContext());
      if (!raw.ok()) return raw.status();
      fetcher_->UseDictionary(
          std::make_unique<UncompressionDictionary>(raw->bytes().ToString()));
    }
  }
  if (names_index) return Status::OK();
  return Status::Corruption(
      path_, std::string("the metaindex names no ") + kIndexBlockName);
}

Status RawTable::ReadProperties() {
  for (const MetaBlock& block : metaindex_) {
    if (block.name != kPropertiesBlockName &&
        block.name != kPropertiesBlockOldName) {
      continue;
    }
    Result<PinnedBytes> bytes = ReadBlock(block.handle, BlockKind::kMeta);
    if (!bytes.ok()) return bytes.status();
    Result<TableProperties> properties = DecodeProperties(
        *std::move(bytes), BlockOrigin{&path_, block.handle.offset});
    if (!properties.ok()) return properties.status();
    properties_ = *std::move(properties);
    TAMIS_RETURN_IF_ERROR(ForEachEntry(
        block.handle, BlockKind::kMeta, BlockFormat(),
        [this](const BlockIterator& entry) {
          stored_properties_[entry.key().ToString()] = entry.value().ToString();
          return Status::OK();
        }));
  }
  const Comparator* known = ComparatorByName(properties_.comparator_name);
  if (known != nullptr) order_ = KeyOrder(known);
  index_format_ = std::make_unique<IndexFormat>(properties_, &order_);
  return Status::OK();
}

Result<PinnedBytes> RawTable::ReadBlock(const BlockHandle& handle,
                                        BlockKind kind) const {
  Result<ByteBuffer> block = fetcher_->Read(handle, kind, ReadContext());
  if (!block.ok()) return block.status();
  return PinnedBytes::Own(*std::move(block));
}

Result<std::string> RawTable::ReadBytes(uint64_t offset, size_t bytes) const {
  std::string scratch(bytes, '\0');
  Slice read;
  TAMIS_RETURN_IF_ERROR(file_->Read(offset, bytes, &read, scratch.data()));
  if (read.size() != bytes) {
    return Status::Corruption(path_, "offset " + std::to_string(offset) + ": " +
                                         std::to_string(read.size()) +
                                         " bytes are left, expected " +
                                         std::to_string(bytes));
  }
  return read.ToString();
}

Result<RawTable::Trailer> RawTable::ReadTrailer(
    const BlockHandle& handle) const {
  const Result<std::string> bytes =
      ReadBytes(handle.offset + handle.size, kBlockTrailerBytes);
  if (!bytes.ok()) return bytes.status();
  Decoder in((Slice(*bytes)));
  Trailer trailer;
  trailer.codec = in.Fixed8();
  trailer.checksum = in.Fixed32();
  return trailer;
}

Status RawTable::ForEachEntry(const BlockHandle& handle, BlockKind kind,
                              const BlockFormat& format,
                              const EntryVisitor& take) const {
  Result<PinnedBytes> block = ReadBlock(handle, kind);
  if (!block.ok()) return block.status();
  BlockIterator it;
  it.Open(*std::move(block), format, BlockOrigin{&path_, handle.offset});
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    TAMIS_RETURN_IF_ERROR(take(it));
  }
  return it.status();
}

Status RawTable::ForEachDataBlock(const IndexVisitor& take) const {
  Result<ByteBuffer> top =
      fetcher_->Read(footer_.index, BlockKind::kIndex, ReadContext());
  if (!top.ok()) return top.status();
  const auto index =
      IndexReader::Open(index_format_.get(), *std::move(top), footer_.index,
                        fetcher_.get(), MetadataPins(), ReadContext());
  if (!index.ok()) return index.status();
  const ReadContext context;
  IndexIterator it(index->get(), &context);
  KeyBuffer buffer;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    Slice user_key = it.separator(&buffer);
    if (!index_format_->user_keys()) {
      if (user_key.size() < kInternalKeyTailBytes) {
        return Status::Corruption(
            path_, "the index entry of the block at offset " +
                       std::to_string(it.handle().offset) + " has a key of " +
                       std::to_string(user_key.size()) +
                       " bytes, expected at least " +
                       std::to_string(kInternalKeyTailBytes));
      }
      user_key = ExtractUserKey(user_key);
    }
    TAMIS_RETURN_IF_ERROR(take(user_key, it.handle()));
  }
  return it.status();
}

Status RawTable::ForEachRowOf(const BlockHandle& block, const Slice& from,
                              const RowVisitor& take, std::string* previous,
                              bool* more) const {
  Result<PinnedBytes> bytes = ReadBlock(block, BlockKind::kData);
  if (!bytes.ok()) return bytes.status();
  const BlockOrigin origin{&path_, block.offset};
  BlockIterator it;
  it.Open(*std::move(bytes), BlockFormat(), origin);
  for (it.SeekToFirst(); it.Valid() && *more; it.Next()) {
    if (it.key().size() < kInternalKeyTailBytes) {
      return origin.Corruption("a key of " + std::to_string(it.key().size()) +
                               " bytes, expected at least " +
                               std::to_string(kInternalKeyTailBytes));
    }
    if (!previous->empty() && order_.Compare(*previous, it.key()) >= 0) {
      return origin.Corruption(PrintableInternalKey(it.key()) +
                               " comes after " +
                               PrintableInternalKey(*previous));
    }
    *previous = it.key().ToString();
    if (order_.CompareUserKeys(ExtractUserKey(it.key()), from) < 0 &&
        !from.empty()) {
      continue;
    }
    *more = take(it.key(), it.value());
  }
  return it.status();
}

Status RawTable::ForEachRow(const Slice& from, const RowVisitor& take) const {
  TAMIS_RETURN_IF_ERROR(OrderIsKnown());
  bool more = true;
  std::string previous;
  return ForEachDataBlock(
      [&](const Slice& separator, const BlockHandle& block) {
        // A separator is >= the last key of its block.
        const bool before =
            !from.empty() && order_.CompareUserKeys(separator, from) < 0;
        if (!more || before) return Status::OK();
        return ForEachRowOf(block, from, take, &previous, &more);
      });
}

Status RawTable::Verify(uint64_t* entries) const {
  for (const MetaBlock& block : metaindex_) {
    Result<PinnedBytes> bytes = ReadBlock(block.handle, BlockKind::kMeta);
    if (!bytes.ok()) return bytes.status();
  }
  uint64_t rows = 0;
  const Status status =
      ForEachRow(Slice(), [&rows](const Slice&, const Slice&) {
        ++rows;
        return true;
      });
  *entries = rows;
  TAMIS_RETURN_IF_ERROR(status);
  // Range deletions count as entries, but are in a block of their own.
  const uint64_t expected =
      properties_.num_entries - properties_.num_range_deletions;
  if (properties_.num_data_blocks != 0 && rows != expected) {
    return Status::Corruption(
        path_, "data blocks hold " + std::to_string(rows) +
                   " entries, the properties say " + std::to_string(expected));
  }
  return Status::OK();
}

Status RawTable::OrderIsKnown() const {
  // LevelDB's tables do not record their comparator.
  const std::string& name = properties_.comparator_name;
  if (name.empty() || ComparatorByName(name) != nullptr) return Status::OK();
  return Status::NotSupported(path_, "keys are ordered by " + Printable(name));
}

}  // namespace tamis
