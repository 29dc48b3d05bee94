// SPDX-License-Identifier: Apache-2.0
//
// Checks whether this release can read a table correctly. Tables with
// unsupported features are rejected by name.
#include <utility>

#include "table/properties.h"
#include "table/table_reader_rep.h"
#include "table/unique_id.h"
#include "util/coding/printable.h"

namespace tamis {

namespace {

// Returns the property's value, or nullptr if it is absent.
const std::string* Find(const TableProperties& properties, const char* name) {
  const auto& all = properties.user_collected_properties;
  const auto it = all.find(name);
  return it == all.end() ? nullptr : &it->second;
}

// Ingestion overwrites the global sequence number in place, without updating
// the block's checksum. Zeroes it. Returns false if the block has none.
bool ZeroGlobalSequence(const BlockOrigin& origin, ByteBuffer* stored) {
  const size_t size = stored->size() - kBlockTrailerBytes;
  if (stored->data()[size] != kNoCompression) return false;
  size_t at = 0;
  {
    BlockIterator it;
    it.Open(PinnedBytes::Borrow(Slice(stored->data(), size)), BlockFormat(),
            origin);
    it.Seek(kGlobalSequenceProperty);
    if (!it.Valid() || it.key() != Slice(kGlobalSequenceProperty) ||
        it.value().size() != sizeof(uint64_t)) {
      return false;
    }
    at = static_cast<size_t>(it.value().data() - stored->data());
  }
  EncodeFixed64(stored->data() + at, 0);
  return true;
}

}  // namespace

Result<ByteBuffer> TableReader::Rep::ReadPropertiesBlock(
    const BlockHandle& handle) const {
  ByteBuffer memory;
  const Result<Slice> stored = fetcher.ReadStored(handle, BlockKind::kMeta,
                                                  /*window=*/nullptr, &memory);
  if (!stored.ok()) return stored.status();
  const Status status = fetcher.CompareChecksum(handle, *stored);
  if (!status.ok()) {
    ByteBuffer before(*stored);
    if (!ZeroGlobalSequence({&context.file_name, handle.offset}, &before) ||
        !fetcher.CompareChecksum(handle, before).ok()) {
      return status;
    }
  }
  ByteBuffer raw;
  TAMIS_RETURN_IF_ERROR(fetcher.UnpackOwned(handle, BlockKind::kMeta,
                                            BlockFetcher::PayloadOf(*stored),
                                            open_context(), &raw));
  return raw;
}

Status TableReader::Rep::ReadProperties() {
  auto found = metaindex.find(kPropertiesBlockName);
  if (found == metaindex.end()) found = metaindex.find(kPropertiesBlockOldName);
  if (found == metaindex.end()) {
    // LevelDB's tables, and very old ones: the defaults describe them.
    properties = std::make_shared<const TableProperties>();
    return Status::OK();
  }
  Result<ByteBuffer> block = ReadPropertiesBlock(found->second);
  if (!block.ok()) return block.status();
  Result<TableProperties> decoded =
      DecodeProperties(PinnedBytes::Own(std::move(*block)),
                       {&context.file_name, found->second.offset});
  if (!decoded.ok()) return decoded.status();
  properties = std::make_shared<const TableProperties>(std::move(*decoded));
  return Status::OK();
}

Status TableReader::Rep::CheckReadable() const {
  const TableProperties& p = *properties;
  const char* const comparator = context.order.user_comparator()->Name();
  if (!p.comparator_name.empty() && p.comparator_name != comparator) {
    return Status::InvalidArgument(context.file_name,
                                   "written with comparator '" +
                                       Printable(p.comparator_name) +
                                       "', opened with '" + comparator + "'");
  }
  const auto refuse = [this](const std::string& what) {
    return Status::NotSupported(context.file_name, what);
  };
  const std::string* const persisted = Find(p, kTimestampsPersistedProperty);
  if ((persisted != nullptr && *persisted == std::string(1, '\0')) ||
      Find(p, kTimestampMinProperty) != nullptr) {
    return refuse("the keys carry user-defined timestamps");
  }
  if (Find(p, kEmbeddedBlobProperty) != nullptr) {
    return refuse(std::string("the values stand in blobs (property ") +
                  kEmbeddedBlobProperty + ")");
  }
  if (p.index_type > kHighestIndexType) {
    return refuse("index type " + std::to_string(p.index_type));
  }
  if (!context.expected_unique_id.empty()) {
    const std::string got = TableUniqueId(p);
    if (got != context.expected_unique_id) {
      return Status::Corruption(
          context.file_name,
          "not the table that the MANIFEST means: unique id, expected " +
              PrintableHex(context.expected_unique_id) + ", got " +
              PrintableHex(got));
    }
  }
  return Status::OK();
}

Status TableReader::Rep::FindGlobalSequence() {
  const std::string* const version =
      Find(*properties, kExternalVersionProperty);
  const std::string* const sequence =
      Find(*properties, kGlobalSequenceProperty);
  const auto bad = [this](const std::string& what) {
    return Status::Corruption(context.file_name, "properties: " + what);
  };
  if (version == nullptr && sequence == nullptr) return Status::OK();
  if (version == nullptr || version->size() != sizeof(uint32_t)) {
    return bad(std::string(kGlobalSequenceProperty) + " without a valid " +
               kExternalVersionProperty);
  }
  if (DecodeFixed32(version->data()) < kExternalVersion) {
    return sequence == nullptr
               ? Status::OK()
               : bad(std::string(kGlobalSequenceProperty) + " in version 1");
  }
  if (sequence != nullptr) {
    if (sequence->size() != sizeof(uint64_t)) {
      return bad(std::string(kGlobalSequenceProperty) + " is " +
                 PrintableHex(*sequence));
    }
    global_sequence = DecodeFixed64(sequence->data());
  }
  if (global_sequence == 0) global_sequence = context.largest_seqno;
  if (context.largest_seqno != 0 && global_sequence != context.largest_seqno) {
    return bad(std::string(kGlobalSequenceProperty) + ", expected " +
               std::to_string(context.largest_seqno) + ", got " +
               std::to_string(global_sequence));
  }
  if (global_sequence > kMaxSequenceNumber) {
    return bad(std::string(kGlobalSequenceProperty) + " is " +
               std::to_string(global_sequence));
  }
  return Status::OK();
}

Result<std::vector<RangeTombstone>> TableReader::Rep::ReadRangeTombstones()
    const {
  std::vector<RangeTombstone> tombstones;
  const auto found = metaindex.find(kRangeDeletionBlockName);
  if (found == metaindex.end()) return tombstones;
  Result<ByteBuffer> block =
      fetcher.Read(found->second, BlockKind::kMeta, open_context());
  if (!block.ok()) return block.status();
  BlockIterator it;
  it.Open(PinnedBytes::Own(*std::move(block)), data_format(),
          {&context.file_name, found->second.offset});
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    ParsedInternalKey key;
    if (!ParseInternalKey(it.key(), &key) || key.type != kTypeRangeDeletion) {
      return it.origin().Corruption("key " + PrintableInternalKey(it.key()) +
                                    " is not a range deletion");
    }
    tombstones.push_back(
        {key.user_key.ToString(), it.value().ToString(),
         global_sequence != 0 ? global_sequence : key.sequence});
  }
  if (!it.status().ok()) return it.status();
  return tombstones;
}

}  // namespace tamis
