// SPDX-License-Identifier: Apache-2.0
#include "tools/block_map.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "filter/filter_registry.h"
#include "tools/json_text.h"

namespace tamis {
namespace {

class Mapper {
 public:
  explicit Mapper(const RawTable& table) : table_(table) {}

  Status Collect() {
    TAMIS_RETURN_IF_ERROR(table_.ForEachDataBlock(
        [this](const Slice& /*separator*/, const BlockHandle& handle) {
          return Add(handle, "data");
        }));
    TAMIS_RETURN_IF_ERROR(Add(table_.footer().index, "index"));
    if (table_.index_format().two_level()) {
      TAMIS_RETURN_IF_ERROR(
          AddPartitions(table_.footer().index, "index partition"));
    }
    for (const RawTable::MetaBlock& block : table_.metaindex()) {
      TAMIS_RETURN_IF_ERROR(AddMetaBlock(block));
    }
    TAMIS_RETURN_IF_ERROR(Add(table_.footer().metaindex, "metaindex"));
    const uint64_t footer =
        table_.footer().format_version == 0 ? kLegacyFooterBytes : kFooterBytes;
    blocks_.push_back({table_.size_bytes() - footer, footer, "footer", ""});
    return Status::OK();
  }

  // The blocks in order, with what is between them.
  Result<std::vector<MappedBlock>> Tile() {
    std::sort(blocks_.begin(), blocks_.end(),
              [](const MappedBlock& a, const MappedBlock& b) {
                return a.offset < b.offset;
              });
    std::vector<MappedBlock> tiles;
    uint64_t end = 0;
    for (MappedBlock& block : blocks_) {
      if (block.offset < end) {
        return Status::Corruption(
            table_.path(), "the " + block.kind + " block at offset " +
                               std::to_string(block.offset) +
                               " begins before the " + tiles.back().kind +
                               " block ends at offset " + std::to_string(end));
      }
      if (block.offset > end) {
        Result<std::string> kind = KindOfGap(end, block.offset - end);
        if (!kind.ok()) return kind.status();
        tiles.push_back({end, block.offset - end, *std::move(kind), ""});
      }
      end = block.end();
      tiles.push_back(std::move(block));
    }
    return tiles;
  }

 private:
  Status Add(const BlockHandle& handle, const std::string& kind) {
    if (!handle.FitsIn(table_.size_bytes())) {
      return Status::Corruption(
          table_.path(), "the " + kind + " block (" + handle.ToString() +
                             ") lies beyond the file's " +
                             std::to_string(table_.size_bytes()) + " bytes");
    }
    const Result<RawTable::Trailer> trailer = table_.ReadTrailer(handle);
    if (!trailer.ok()) return trailer.status();
    blocks_.push_back(
        {handle.offset, handle.size + kBlockTrailerBytes, kind,
         CompressionTypeName(static_cast<CompressionType>(trailer->codec))});
    return Status::OK();
  }

  Status AddPartitions(const BlockHandle& index, const std::string& kind) {
    const BlockFormat& format = table_.index_format().top_level();
    return table_.ForEachEntry(
        index, BlockKind::kIndex, format, [&](const BlockIterator& entry) {
          BlockHandle handle;
          if (!HandleOf(entry, format, &handle)) {
            return entry.origin().Corruption("an entry without a handle");
          }
          return Add(handle, kind);
        });
  }

  Status AddMetaBlock(const RawTable::MetaBlock& block) {
    // From format_version 6 on, the footer's handle is the metaindex's.
    if (block.name == kIndexBlockName) return Status::OK();
    std::string kind = block.name;
    const std::optional<FilterLocator> filter = ParseMetaindexKey(block.name);
    if (block.name == kPropertiesBlockName ||
        block.name == kPropertiesBlockOldName) {
      kind = "properties";
    } else if (block.name == kRangeDeletionBlockName) {
      kind = "range deletions";
    } else if (block.name == kCompressionDictionaryBlockName) {
      kind = "compression dictionary";
    } else if (filter.has_value()) {
      if (filter->placement == FilterPlacement::kPartitioned) {
        TAMIS_RETURN_IF_ERROR(Add(block.handle, "filter index"));
        return AddPartitions(block.handle, "filter partition");
      }
      kind = "filter";
    }
    return Add(block.handle, kind);
  }

  Result<std::string> KindOfGap(uint64_t offset, uint64_t bytes) const {
    constexpr uint64_t kPiece = 1 << 16;
    for (uint64_t at = 0; at < bytes; at += kPiece) {
      const Result<std::string> piece = table_.ReadBytes(
          offset + at, static_cast<size_t>(std::min(kPiece, bytes - at)));
      if (!piece.ok()) return piece.status();
      if (piece->find_first_not_of('\0') != std::string::npos) {
        return std::string(kGap);
      }
    }
    return std::string(kPadding);
  }

  const RawTable& table_;
  std::vector<MappedBlock> blocks_;
};

}  // namespace

Result<std::vector<MappedBlock>> MapBlocks(const RawTable& table) {
  Mapper mapper(table);
  TAMIS_RETURN_IF_ERROR(mapper.Collect());
  return mapper.Tile();
}

std::string BlockMapText(const std::vector<MappedBlock>& blocks) {
  std::string out = "    offset      bytes  kind\n";
  uint64_t count = 0;
  uint64_t gaps = 0;
  uint64_t gap_bytes = 0;
  for (const MappedBlock& block : blocks) {
    char line[48];
    std::snprintf(line, sizeof(line), "%10llu %10llu  ",
                  static_cast<unsigned long long>(block.offset),
                  static_cast<unsigned long long>(block.bytes));
    out += line + block.kind + (block.codec.empty() ? "" : ", " + block.codec) +
           "\n";
    const bool between = block.kind == kGap || block.kind == kPadding;
    count += between ? 0 : 1;
    gaps += between ? 1 : 0;
    gap_bytes += between ? block.bytes : 0;
  }
  return out + "blocks with the footer: " + std::to_string(count) +
         ", between them: " + std::to_string(gaps) + " of " +
         std::to_string(gap_bytes) + " bytes\n";
}

std::string BlockMapJson(const std::vector<MappedBlock>& blocks) {
  std::vector<std::string> rows;
  for (const MappedBlock& block : blocks) {
    JsonObject row;
    row.Number("offset", block.offset)
        .Number("bytes", block.bytes)
        .Text("kind", block.kind);
    if (!block.codec.empty()) row.Text("codec", block.codec);
    rows.push_back(row.ToString());
  }
  return JsonArray(rows);
}

std::string MetaBlocksText(const RawTable& table) {
  std::string out;
  for (const RawTable::MetaBlock& block : table.metaindex()) {
    out += "  " + block.name + ": " + block.handle.ToString() + "\n";
  }
  return out;
}

}  // namespace tamis
