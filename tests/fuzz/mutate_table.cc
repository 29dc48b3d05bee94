// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate_table.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "filter/filter_registry.h"
#include "table/block.h"
#include "table/format.h"
#include "table/index_format.h"
#include "table/properties.h"
#include "tests/fuzz/fuzz_blocks.h"
#include "tests/fuzz/mutate_block.h"

namespace tamis {

namespace {

using Values = BlockFormat::Values;

struct TableNode;
using TableNodePtr = std::shared_ptr<TableNode>;

struct TableChild {
  std::string key;  // or name
  std::string first_key;
  TableNodePtr node;
  std::optional<BlockHandle> forged;  // instead of the node's own
};

// A block: bytes, or handles of others.
struct TableNode {
  enum class Kind : uint8_t { kBytes, kEntries, kProperties, kHandles };

  Kind kind = Kind::kBytes;
  std::string payload;  // uncompressed, unless stored_as_is
  uint8_t codec = kNoCompression;
  bool stored_as_is = false;
  size_t changes = 0;         // of the encoded payload
  size_t stored_changes = 0;  // of the compressed one
  // kHandles
  Values values = Values::kLengthPrefixed;
  std::vector<TableChild> children;
};

// Of one table; more is left to changes of bytes.
constexpr size_t kNodesMax = 256;
constexpr size_t kPayloadBytesMax = 64 << 10;

const std::string kName = "table";

// What a metaindex may name.
constexpr const char* kMetaNames[] = {
    kIndexBlockName,
    kPropertiesBlockName,
    kPropertiesBlockOldName,
    kRangeDeletionBlockName,
    kCompressionDictionaryBlockName,
    "filter.leveldb.BuiltinBloomFilter2",
    "filter.rocksdb.BuiltinBloomFilter",
    "fullfilter.rocksdb.BuiltinBloomFilter",
    "fullfilter.user",
    "partitionedfilter.rocksdb.BuiltinBloomFilter",
};

// What a properties block may hold that decides how the table is read.
constexpr const char* kPropertyNames[] = {
    kExternalVersionProperty,
    kGlobalSequenceProperty,
    kTimestampsPersistedProperty,
    kTimestampMinProperty,
    kEmbeddedBlobProperty,
    kDecoupledFiltersProperty,
    "rocksdb.block.based.table.index.type",
    "rocksdb.block.based.table.prefix.filtering",
    "rocksdb.block.based.table.whole.key.filtering",
    "rocksdb.comparator",
    "rocksdb.index.key.is.user.key",
    "rocksdb.index.value.is.delta.encoded",
    "rocksdb.prefix.extractor.name",
};

class TableImage {
 public:
  // False: it cannot be taken apart.
  bool Parse(const std::string& file);
  void Mutate(Mutator* mutator);
  std::string Encode(Mutator* mutator);

 private:
  TableNodePtr ReadNode(const BlockHandle& handle);
  TableNodePtr ReadHandles(const BlockHandle& handle, Values values);
  TableNodePtr ReadIndex(const BlockHandle& handle);
  bool ReadMetaindex();
  TableNodePtr ReadMetaBlock(const std::string& name,
                             const BlockHandle& handle);

  void Collect(const TableNodePtr& node, std::vector<TableNode*>* all) const;
  void MutateFooter(Mutator* mutator);
  void MutateNode(TableNode* node, Mutator* mutator);
  void MutateHandles(TableNode* node, Mutator* mutator);

  BlockHandle Append(TableNode* node, Mutator* mutator);

  std::string file_;  // read from, then written to
  Footer footer_;
  PayloadForm form_ = PayloadForm::kVersion2;
  TableProperties properties_;
  TableNodePtr metaindex_;
  TableNodePtr index_;
  size_t nodes_left_ = kNodesMax;
  size_t bytes_left_ = kPayloadBytesMax;
};

// nullptr: the handle leads nowhere, or the table is too large.
TableNodePtr TableImage::ReadNode(const BlockHandle& handle) {
  if (!handle.FitsIn(file_.size()) || nodes_left_ == 0) return nullptr;
  --nodes_left_;
  auto node = std::make_shared<TableNode>();
  const Slice stored(file_.data() + handle.offset,
                     static_cast<size_t>(handle.size));
  node->codec = static_cast<uint8_t>(stored.end()[0]);
  node->payload = stored.ToString();
  if (node->codec != kNoCompression) {
    const auto type = static_cast<CompressionType>(node->codec);
    const auto payload = node->codec <= kZSTD && UncompressionSupported(type)
                             ? Uncompress(type, stored, form_)
                             : Status::NotSupported("codec");
    node->stored_as_is = !payload.ok();
    if (payload.ok()) node->payload = payload->bytes().ToString();
  }
  if (node->payload.size() > bytes_left_) return nullptr;
  bytes_left_ -= node->payload.size();
  return node;
}

TableNodePtr TableImage::ReadHandles(const BlockHandle& handle, Values values) {
  TableNodePtr node = ReadNode(handle);
  if (node == nullptr) return nullptr;
  BlockFormat format;
  format.values = values;
  BlockIterator it;
  it.Open(PinnedBytes::Borrow(node->payload), format, {&kName, handle.offset});
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    TableChild child;
    child.key = it.key().ToString();
    if (values == Values::kHandleWithFirstKey) {
      child.first_key = it.value().ToString();
    }
    BlockHandle to;
    if (!HandleOf(it, format, &to)) return nullptr;
    child.forged = to;  // until its block is read
    node->children.push_back(std::move(child));
  }
  if (!it.status().ok()) return nullptr;
  node->kind = TableNode::Kind::kHandles;
  node->values = values;
  return node;
}

TableNodePtr TableImage::ReadIndex(const BlockHandle& handle) {
  const KeyOrder order(BytewiseComparator());
  const IndexFormat format(properties_, &order);
  TableNodePtr top =
      ReadHandles(handle, format.two_level() ? format.top_level().values
                                             : format.leaf().values);
  if (top == nullptr) return nullptr;
  const auto read_data = [this](TableNode* leaf) {
    for (TableChild& child : leaf->children) {
      child.node = ReadNode(*child.forged);
      if (child.node == nullptr) continue;
      child.node->kind = TableNode::Kind::kEntries;
      child.forged.reset();
    }
  };
  if (!format.two_level()) {
    read_data(top.get());
    return top;
  }
  for (TableChild& child : top->children) {
    child.node = ReadHandles(*child.forged, format.leaf().values);
    if (child.node == nullptr) continue;
    child.forged.reset();
    read_data(child.node.get());
  }
  return top;
}

TableNodePtr TableImage::ReadMetaBlock(const std::string& name,
                                       const BlockHandle& handle) {
  if (footer_.index_is_in_metaindex() && name == kIndexBlockName) {
    index_ = ReadIndex(handle);
    return index_;
  }
  const auto filter = ParseMetaindexKey(name);
  if (filter && filter->placement == FilterPlacement::kPartitioned) {
    const KeyOrder order(BytewiseComparator());
    TableNodePtr top = ReadHandles(
        handle, IndexFormat(properties_, &order).top_level().values);
    if (top == nullptr) return nullptr;
    for (TableChild& child : top->children) {
      child.node = ReadNode(*child.forged);
      if (child.node != nullptr) child.forged.reset();
    }
    return top;
  }
  TableNodePtr node = ReadNode(handle);
  if (node == nullptr) return nullptr;
  if (name == kPropertiesBlockName) node->kind = TableNode::Kind::kProperties;
  if (name == kRangeDeletionBlockName) node->kind = TableNode::Kind::kEntries;
  return node;
}

bool TableImage::ReadMetaindex() {
  metaindex_ = ReadHandles(footer_.metaindex, Values::kLengthPrefixed);
  if (metaindex_ == nullptr) return false;
  for (const TableChild& child : metaindex_->children) {
    if (child.key != kPropertiesBlockName) continue;
    form_ = PayloadFormOf(footer_.format_version);
    const TableNodePtr block = ReadNode(*child.forged);
    if (block == nullptr) continue;
    auto properties =
        DecodeProperties(PinnedBytes::Own(block->payload), {&kName, 0});
    if (properties.ok()) properties_ = std::move(properties).value();
  }
  for (TableChild& child : metaindex_->children) {
    child.node = ReadMetaBlock(child.key, *child.forged);
    if (child.node != nullptr) child.forged.reset();
  }
  return true;
}

bool TableImage::Parse(const std::string& file) {
  file_ = file;
  const size_t tail = std::min(file.size(), kFooterBytes);
  const auto footer = Footer::Decode(
      Slice(file.data() + file.size() - tail, tail), file.size(), kName);
  if (!footer.ok()) return false;
  footer_ = *footer;
  form_ = footer_.format_version == 0 ? PayloadForm::kLevelDB
                                      : PayloadFormOf(footer_.format_version);
  if (!ReadMetaindex()) return false;
  if (index_ == nullptr && !footer_.index_is_in_metaindex()) {
    index_ = ReadIndex(footer_.index);
  }
  return index_ != nullptr;
}

void TableImage::Collect(const TableNodePtr& node,
                         std::vector<TableNode*>* all) const {
  all->push_back(node.get());
  for (const TableChild& child : node->children) {
    if (child.node != nullptr) Collect(child.node, all);
  }
}

void TableImage::MutateFooter(Mutator* mutator) {
  if (mutator->OneIn(2)) {
    footer_.checksum = static_cast<ChecksumType>(mutator->Below(kXXH3 + 1));
  } else {
    const auto version =
        static_cast<uint32_t>(mutator->Below(kFormatVersionMax + 1));
    footer_.SetVersion(version, "seed");
  }
  if (footer_.format_version == 0) footer_.checksum = kCRC32c;
}

void TableImage::MutateHandles(TableNode* node, Mutator* mutator) {
  if (node->children.empty()) return;
  TableChild& child = node->children[mutator->Below(node->children.size())];
  switch (mutator->Below(6)) {
    case 0:
      return mutator->Shuffle(&node->children);
    case 1:
      if (node == metaindex_.get()) {
        child.key = kMetaNames[mutator->Below(std::size(kMetaNames))];
        return;
      }
      return mutator->Change(&child.key);
    case 2:
      return mutator->Change(&child.first_key);
    case 3:
      child.forged = BlockHandle{mutator->Number(mutator->Below(file_.size())),
                                 mutator->Number(mutator->Below(64))};
      return;
    case 4:
      node->values = static_cast<Values>(mutator->Below(3));
      return;
    default:
      // Replaces a block by another one of the same index.
      child.node = node->children[mutator->Below(node->children.size())].node;
  }
}

void TableImage::MutateNode(TableNode* node, Mutator* mutator) {
  if (mutator->OneIn(12)) {
    node->codec = static_cast<uint8_t>(mutator->Below(kZSTD + 2));
    node->stored_as_is = node->codec > kZSTD || mutator->OneIn(4);
    return;
  }
  if (mutator->OneIn(12)) {
    ++node->stored_changes;
    return;
  }
  switch (node->kind) {
    case TableNode::Kind::kBytes:
      return mutator->Change(&node->payload);
    case TableNode::Kind::kProperties:
      if (mutator->OneIn(2)) {
        const char* const name =
            kPropertyNames[mutator->Below(std::size(kPropertyNames))];
        constexpr size_t kValueBytes[] = {0, 1, 4, 8};
        std::string value;
        PutFixed64(&value, mutator->Below(4));
        value.resize(kValueBytes[mutator->Below(4)]);
        node->payload = WithEntry(node->payload, name, value);
        return;
      }
      [[fallthrough]];
    case TableNode::Kind::kEntries:
      node->payload = MutateBlock(node->payload, mutator);
      return;
    case TableNode::Kind::kHandles:
      if (mutator->OneIn(8)) {
        ++node->changes;
      } else {
        MutateHandles(node, mutator);
      }
  }
}

void TableImage::Mutate(Mutator* mutator) {
  if (mutator->OneIn(12)) return MutateFooter(mutator);
  std::vector<TableNode*> all;
  Collect(metaindex_, &all);
  if (!footer_.index_is_in_metaindex()) Collect(index_, &all);
  // There are more data blocks than others: what leads to them has its share.
  if (mutator->OneIn(2)) {
    std::erase_if(all, [](const TableNode* node) {
      return node->kind != TableNode::Kind::kHandles;
    });
  }
  MutateNode(all[mutator->Below(all.size())], mutator);
}

// mutator: nullptr where nothing was mutated.
BlockHandle TableImage::Append(TableNode* node, Mutator* mutator) {
  if (node->kind == TableNode::Kind::kHandles) {
    std::vector<FuzzEntry> entries;
    for (const TableChild& child : node->children) {
      FuzzEntry entry{child.key, child.first_key, {}};
      if (child.node != nullptr) {
        entry.handle = Append(child.node.get(), mutator);
      }
      if (child.forged) entry.handle = *child.forged;
      if (child.node != nullptr && child.node == index_) {
        footer_.index = entry.handle;
      }
      if (node->values == Values::kLengthPrefixed) {
        entry.value.clear();
        entry.handle.EncodeTo(&entry.value);
      }
      entries.push_back(std::move(entry));
    }
    // With an interval of 1 every handle is whole.
    node->payload = EncodeFuzzBlock(entries, 1, node->values);
    for (size_t i = 0; i < node->changes; ++i) mutator->Change(&node->payload);
  }
  std::string stored = node->payload;
  uint8_t codec = node->codec;
  if (codec != kNoCompression && !node->stored_as_is &&
      !Compress(static_cast<CompressionType>(codec), node->payload, &stored,
                form_)) {
    stored = node->payload;
    codec = kNoCompression;
  }
  for (size_t i = 0; i < node->stored_changes; ++i) mutator->Change(&stored);
  const BlockHandle handle{file_.size(), stored.size()};
  file_ += stored;
  file_.push_back(static_cast<char>(codec));
  PutFixed32(&file_, footer_.ChecksumOf(handle.offset, stored, codec));
  return handle;
}

std::string TableImage::Encode(Mutator* mutator) {
  file_.clear();
  if (!footer_.index_is_in_metaindex()) {
    footer_.index = Append(index_.get(), mutator);
  }
  footer_.metaindex = Append(metaindex_.get(), mutator);
  // Two handles of 10 bytes each always fit before the version.
  return file_ + footer_.Encode();
}

}  // namespace

std::string MutateTable(const std::string& table, Mutator* mutator) {
  TableImage image;
  std::string out = table;
  if (mutator->OneIn(16) || !image.Parse(table)) {
    mutator->Change(&out);
    return out;
  }
  do {
    image.Mutate(mutator);
  } while (mutator->OneIn(3));
  return image.Encode(mutator);
}

std::string RebuildTable(const std::string& table) {
  TableImage image;
  return image.Parse(table) ? image.Encode(nullptr) : "";
}

}  // namespace tamis
