// SPDX-License-Identifier: Apache-2.0
#include "tools/table_dump.h"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "tools/decimal.h"
#include "tools/properties_text.h"
#include "tools/table_facts.h"

namespace tamis {
namespace {

constexpr std::string_view kRule = "--------------------------------------\n";

std::string Heading(const std::string& title) {
  return title + "\n" + std::string(kRule);
}

std::string HandleInHex(const BlockHandle& handle) {
  std::string bytes;
  handle.EncodeTo(&bytes);
  return Slice(bytes).ToString(true);
}

// " offset 12 size 34", which RocksDB 11 adds to a handle.
std::string Place(const BlockHandle& handle, const char* colon) {
  return std::string(" offset") + colon + " " + std::to_string(handle.offset) +
         " size" + colon + " " + std::to_string(handle.size);
}

// "k e y ": each byte, followed by a space.
std::string Spaced(const Slice& bytes) {
  std::string out;
  for (const char c : bytes.ToStringView()) {
    out.push_back(c);
    out.push_back(' ');
  }
  return out;
}

// An entry in both forms. Without `spaced_value`, the second line has only the
// key.
std::string Pair(const Slice& key, const std::string& value_in_hex,
                 const Slice* spaced_value) {
  std::string out =
      "  HEX    " + key.ToString(true) + ": " + value_in_hex + "\n";
  out += "  ASCII  " + Spaced(key);
  if (spaced_value != nullptr) out += ": " + Spaced(*spaced_value);
  return out + "\n  ------\n";
}

// RocksDB 11's line on how a block is stored.
Status DumpTrailer(const RawTable& table, const std::string& title,
                   const BlockHandle& handle, const DumpSink& sink) {
  const Result<RawTable::Trailer> trailer = table.ReadTrailer(handle);
  if (!trailer.ok()) return trailer.status();
  char checksum[16];
  std::snprintf(checksum, sizeof(checksum), "0x%x", trailer->checksum);
  sink("  " + title + " checksum type: " +
       std::to_string(static_cast<int>(table.footer().checksum)) +
       "  checksum value: " + checksum +
       "  offset: " + std::to_string(handle.offset) +
       "  size: " + std::to_string(handle.size) +
       "  compression type: " + std::to_string(trailer->codec) + "\n");
  return Status::OK();
}

void DumpFooter(const RawTable& table, TextForm form, const DumpSink& sink) {
  const bool eleven = form == TextForm::kRocksDB11;
  const Footer& footer = table.footer();
  sink(Heading("Footer Details:"));
  sink("  metaindex handle: " + HandleInHex(footer.metaindex) +
       (eleven ? Place(footer.metaindex, ":") : "") + "\n");
  sink("  index handle: " + HandleInHex(footer.index) +
       (eleven ? Place(footer.index, ":") : "") + "\n");
  sink("  table_magic_number: " + std::to_string(footer.magic) + "\n");
  sink("  format version: " + std::to_string(footer.format_version) + "\n");
  if (!eleven) return sink("  \n");
  sink("\n" + Heading("Block Checksum Type Legend:"));
  sink(
      "  0 = kNoChecksum\n  1 = kCRC32c\n  2 = kxxHash\n  3 = kxxHash64\n"
      "  4 = kXXH3\n  (This file uses checksum type: " +
      std::to_string(static_cast<int>(footer.checksum)) + ")\n\n");
}

// RocksDB's titles for known blocks; other blocks use their names.
std::string MetaBlockName(const std::string& name) {
  if (name == kPropertiesBlockName) return "Properties block";
  if (name == kRangeDeletionBlockName) return "Range deletion block";
  if (name == kCompressionDictionaryBlockName) {
    return "Compression dictionary block";
  }
  if (ParseMetaindexKey(name).has_value()) return "Filter block";
  return name;
}

Status DumpMetaindex(const RawTable& table, TextForm form,
                     const DumpSink& sink) {
  const bool eleven = form == TextForm::kRocksDB11;
  sink(Heading("Metaindex Details:"));
  if (eleven) {
    TAMIS_RETURN_IF_ERROR(
        DumpTrailer(table, "Metaindex block", table.footer().metaindex, sink));
  }
  for (const RawTable::MetaBlock& block : table.metaindex()) {
    sink("  " + MetaBlockName(block.name) +
         " handle: " + HandleInHex(block.handle) + "\n");
    if (eleven) {
      TAMIS_RETURN_IF_ERROR(
          DumpTrailer(table, MetaBlockName(block.name), block.handle, sink));
    }
  }
  sink("\n");
  return Status::OK();
}

void DumpProperties(const RawTable& table, TextForm form,
                    const DumpSink& sink) {
  sink(Heading("Table Properties:"));
  sink(PropertiesText(table.properties(), table.stored_properties(), form));
  // RocksDB's dump ends this section like this.
  sink("  Sequence number to time mapping: \n  \n");
}

void DumpFurtherProperties(const RawTable& table, const DumpSink& sink) {
  sink("\n" + Heading("Further Properties:"));
  sink(FurtherPropertiesText(table.stored_properties()));
}

Status DumpFilter(const RawTable& table, const DumpSink& sink) {
  Result<FilterFacts> facts = ReadFilterFacts(table);
  if (!facts.ok()) return facts.status();
  sink("\n" + Heading("Filter Details:"));
  if (!facts->where.has_value()) {
    sink("  placement: none\n");
    return Status::OK();
  }
  sink(std::string("  placement: ") +
       FilterPlacementName(facts->where->placement) + "\n");
  sink("  family: " + facts->where->family + "\n");
  sink("  codec: " + facts->codec + "\n");
  sink("  # filters: " + std::to_string(facts->filters) + "\n");
  sink("  bytes: " + std::to_string(facts->bytes) + "\n");
  sink("  # keys: " + std::to_string(facts->keys) + "\n");
  sink("  bits per key: " + Decimal(facts->bits_per_key(), 2, "\n"));
  sink("  predicted false positives: " +
       Decimal(100 * facts->predicted_fpr, 3, " %\n"));
  return Status::OK();
}

Status DumpIndex(const RawTable& table, TextForm form, const DumpSink& sink) {
  const bool eleven = form == TextForm::kRocksDB11;
  sink(Heading("Index Details:"));
  if (eleven) {
    TAMIS_RETURN_IF_ERROR(
        DumpTrailer(table, "Index block", table.footer().index, sink));
  }
  sink("  Block key hex dump: Data block handle\n  Block key ascii\n\n");
  TAMIS_RETURN_IF_ERROR(table.ForEachDataBlock(
      [&](const Slice& separator, const BlockHandle& handle) {
        sink(Pair(separator,
                  HandleInHex(handle) + (eleven ? Place(handle, "") : ""),
                  nullptr));
        return Status::OK();
      }));
  sink("\n");
  return Status::OK();
}

// Prints a block of internal keys and values.
Status DumpEntries(const RawTable& table, const BlockHandle& handle,
                   const DumpSink& sink) {
  return table.ForEachEntry(
      handle, BlockKind::kData, BlockFormat(), [&](const BlockIterator& entry) {
        if (entry.key().size() < kInternalKeyTailBytes) {
          return entry.origin().Corruption(
              "a key of " + std::to_string(entry.key().size()) +
              " bytes, expected at least " +
              std::to_string(kInternalKeyTailBytes));
        }
        const Slice value = entry.value();
        sink(Pair(ExtractUserKey(entry.key()), value.ToString(true), &value));
        return Status::OK();
      });
}

Status DumpRangeDeletions(const RawTable& table, const DumpSink& sink) {
  for (const RawTable::MetaBlock& block : table.metaindex()) {
    if (block.name != kRangeDeletionBlockName) continue;
    sink(Heading("Range deletions:"));
    TAMIS_RETURN_IF_ERROR(DumpEntries(table, block.handle, sink));
    sink("\n");
  }
  return Status::OK();
}

Status DumpDataBlocks(const RawTable& table, TextForm form,
                      const DumpSink& sink) {
  uint64_t blocks = 0;
  uint64_t bytes = 0;
  uint64_t least = std::numeric_limits<uint64_t>::max();
  uint64_t most = 0;
  const Status iterated = table.ForEachDataBlock(
      [&](const Slice& /*separator*/, const BlockHandle& handle) -> Status {
        blocks++;
        bytes += handle.size;
        least = std::min(least, handle.size);
        most = std::max(most, handle.size);
        sink("Data Block # " + std::to_string(blocks) + " @ " +
             HandleInHex(handle) + "\n");
        if (form == TextForm::kRocksDB11) {
          TAMIS_RETURN_IF_ERROR(DumpTrailer(table, "Data block", handle, sink));
        }
        sink(kRule);
        TAMIS_RETURN_IF_ERROR(DumpEntries(table, handle, sink));
        sink("\n");
        return Status::OK();
      });
  TAMIS_RETURN_IF_ERROR(iterated);
  sink(Heading("Data Block Summary:"));
  sink("  # data blocks: " + std::to_string(blocks) + "\n");
  if (blocks != 0) {
    const double mean =
        static_cast<double>(bytes) / static_cast<double>(blocks);
    sink("  min data block size: " + std::to_string(least) + "\n");
    sink("  max data block size: " + std::to_string(most) + "\n");
    sink("  avg data block size: " + Decimal(mean, 6, "\n"));
  }
  return Status::OK();
}

Status DumpHead(const RawTable& table, TextForm form, const DumpSink& sink) {
  DumpFooter(table, form, sink);
  TAMIS_RETURN_IF_ERROR(DumpMetaindex(table, form, sink));
  DumpProperties(table, form, sink);
  TAMIS_RETURN_IF_ERROR(DumpIndex(table, form, sink));
  return DumpRangeDeletions(table, sink);
}

}  // namespace

Status DumpTableHead(const RawTable& table, const DumpSink& sink) {
  return DumpHead(table, TextForm::kOwn, sink);
}

Status DumpOwnSections(const RawTable& table, const DumpSink& sink) {
  DumpFurtherProperties(table, sink);
  return DumpFilter(table, sink);
}

Status DumpTable(const RawTable& table, TextForm form, const DumpSink& sink) {
  TAMIS_RETURN_IF_ERROR(DumpHead(table, form, sink));
  TAMIS_RETURN_IF_ERROR(DumpDataBlocks(table, form, sink));
  return form == TextForm::kOwn ? DumpOwnSections(table, sink) : Status::OK();
}

}  // namespace tamis
