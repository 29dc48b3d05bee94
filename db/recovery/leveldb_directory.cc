// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/leveldb_directory.h"

#include <string>

#include "db/manifest/table_extent.h"
#include "db/manifest/table_path.h"
#include "table/table_reader.h"
#include "util/coding/printable.h"

namespace tamis {

namespace {

// For messages: the table's path under the name that exists.
std::string PathOf(const DBContext& context, const FileMetaData& meta) {
  const std::string path = TablePath(context, meta);
  return context.fs()->FileExists(path).IsPathNotFound()
             ? TableAliasPath(context, meta)
             : path;
}

Status AddEntries(const std::string& path, const KeyOrder& order,
                  const TableReader& table, TableExtent* extent) {
  ReadContext read;
  read.fill = CacheFill::kNothing;
  const auto entries = table.NewIterator(read);
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    const Slice key = entries->key();
    ParsedInternalKey parsed;
    if (!ParseInternalKey(key, &parsed)) {
      return Status::Corruption(path, "expected an internal key, got \"" +
                                          PrintableHex(key) + "\" (hex)");
    }
    if (!extent->empty() && order.Compare(extent->largest(), key) >= 0) {
      return Status::Corruption(
          path, "expected a key above " +
                    PrintableInternalKey(extent->largest()) + ", got " +
                    PrintableInternalKey(key));
    }
    extent->AddEntry(key);
  }
  return entries->status();
}

Status CheckKey(const std::string& path, const char* which,
                const std::string& listed, const std::string& found) {
  if (listed == found) return Status::OK();
  return Status::Corruption(path, std::string("expected the ") + which +
                                      " key " + PrintableInternalKey(listed) +
                                      " (the MANIFEST), got " +
                                      PrintableInternalKey(found));
}

}  // namespace

Status ScanSequenceBounds(const DBContext& context, const KeyOrder& order,
                          const TableCache& tables, FileMetaData* meta) {
  const TableFile file(*meta);
  const auto table = tables.Reader(file);
  if (!table.ok()) return table.status();
  const std::string path = PathOf(context, *meta);
  TableExtent extent(order);
  TAMIS_RETURN_IF_ERROR(AddEntries(path, order, **table, &extent));
  const auto tombstones = (*table)->ReadRangeTombstones();
  if (!tombstones.ok()) return tombstones.status();
  for (const RangeTombstone& tombstone : *tombstones) {
    extent.AddTombstone(tombstone);
  }
  if (extent.empty()) {
    return Status::Corruption(path, "expected entries, got none");
  }
  TAMIS_RETURN_IF_ERROR(
      CheckKey(path, "smallest", meta->smallest, extent.smallest()));
  TAMIS_RETURN_IF_ERROR(
      CheckKey(path, "largest", meta->largest, extent.largest()));
  extent.StoreSequencesIn(meta);
  return Status::OK();
}

}  // namespace tamis
