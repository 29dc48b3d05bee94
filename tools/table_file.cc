// SPDX-License-Identifier: Apache-2.0
#include "tools/table_file.h"

#include <algorithm>
#include <utility>

#include "tamis/comparator.h"

#include "table/index_reader.h"
#include "table/properties.h"

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

TableFile::TableFile(std::string path)
    : path_(std::move(path)),
      fs_(NewPosixFileSystem()),
      order_(BytewiseComparator()) {}

Result<std::unique_ptr<TableFile>> TableFile::Open(const std::string& path) {
  std::unique_ptr<TableFile> table(new TableFile(path));
  TAMIS_RETURN_IF_ERROR(table->ReadTail());
  TAMIS_RETURN_IF_ERROR(table->ReadMetaindex());
  TAMIS_RETURN_IF_ERROR(table->ReadProperties());
  return table;
}

Status TableFile::ReadTail() {
  TAMIS_RETURN_IF_ERROR(fs_->GetFileSize(path_, &size_));
  TAMIS_RETURN_IF_ERROR(fs_->NewRandomAccessFile(path_, &file_));
  char space[kFooterBytes];
  const size_t want = std::min<uint64_t>(kFooterBytes, size_);
  Slice tail;
  TAMIS_RETURN_IF_ERROR(file_->Read(size_ - want, want, &tail, space));
  Result<Footer> footer = Footer::Decode(tail, size_, path_);
  if (!footer.ok()) return footer.status();
  footer_ = *footer;
  fetcher_ =
      std::make_unique<BlockFetcher>(file_.get(), &path_, size_, footer_);
  return Status::OK();
}

Status TableFile::ReadMetaindex() {
  return ForEachEntry(footer_.metaindex, BlockKind::kMeta, BlockFormat(),
                      [this](const BlockIterator& entry) {
                        Decoder in(entry.value());
                        const BlockHandle handle = BlockHandle::DecodeFrom(&in);
                        if (!in.ok()) {
                          return entry.origin().Corruption(
                              "metaindex entry " + entry.key().ToString() +
                              " holds no block handle");
                        }
                        metaindex_.push_back({entry.key().ToString(), handle});
                        return Status::OK();
                      });
}

Status TableFile::ReadProperties() {
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
  }
  const Comparator* known = ComparatorByName(properties_.comparator_name);
  if (known != nullptr) order_ = KeyOrder(known);
  index_format_ = std::make_unique<IndexFormat>(properties_, &order_);
  return Status::OK();
}

Result<PinnedBytes> TableFile::ReadBlock(const BlockHandle& handle,
                                         BlockKind kind) const {
  return fetcher_->Fetch(handle, kind, ReadContext());
}

Status TableFile::ForEachEntry(const BlockHandle& handle, BlockKind kind,
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

Status TableFile::ForEachDataBlock(const IndexVisitor& take) const {
  Result<PinnedBytes> top = ReadBlock(footer_.index, BlockKind::kIndex);
  if (!top.ok()) return top.status();
  const IndexReader index(*index_format_, *std::move(top), footer_.index.offset,
                          fetcher_.get());
  const ReadContext context;
  IndexIterator it(&index, &context);
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    TAMIS_RETURN_IF_ERROR(take(it.separator(), it.handle()));
  }
  return it.status();
}

Result<std::unique_ptr<TableReader>> TableFile::OpenReader() const {
  // LevelDB's tables do not name theirs.
  const std::string& name = properties_.comparator_name;
  if (!name.empty() && ComparatorByName(name) == nullptr) {
    return Status::NotSupported(path_, "keys are ordered by " + name);
  }
  TableContext context(order_);
  context.file_name = path_;
  std::unique_ptr<RandomAccessFile> file;
  TAMIS_RETURN_IF_ERROR(fs_->NewRandomAccessFile(path_, &file));
  return TableReader::Open(std::move(file), size_, context);
}

}  // namespace tamis
