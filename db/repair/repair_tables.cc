// SPDX-License-Identifier: Apache-2.0
#include "db/repair/repair_tables.h"

#include <algorithm>
#include <utility>

#include "db/base/db_options.h"
#include "db/manifest/table_extent.h"
#include "table/merging_iterator.h"
#include "table/unique_id.h"

namespace tamis {

namespace {

Status ScanEntries(const std::string& path, const TableReader& reader,
                   const KeyOrder& order, const SequenceGap& gap,
                   TableScan* scan) {
  const auto wrong = [&path](const std::string& what) {
    return Status::Corruption(path, what);
  };
  TAMIS_RETURN_IF_ERROR(reader.VerifyChecksums());
  TableExtent extent(order);
  const auto it = reader.NewIterator(ReadContext::PastTheCache());
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    ParsedInternalKey key;
    if (!ParseEntryKey(it->key(), &key)) {
      return wrong("an entry is of no known type");
    }
    if (!extent.empty() && order.Compare(extent.largest(), it->key()) >= 0) {
      return wrong("its entries are out of order");
    }
    extent.AddEntry(it->key());
    ++scan->entries;
    scan->in_gap = scan->in_gap || gap.Contains(key.sequence);
  }
  TAMIS_RETURN_IF_ERROR(it->status());
  auto tombstones = reader.ReadRangeTombstones();
  if (!tombstones.ok()) return tombstones.status();
  for (const RangeTombstone& tombstone : *tombstones) {
    extent.AddTombstone(tombstone);
    scan->in_gap = scan->in_gap || gap.Contains(tombstone.sequence);
  }
  if (extent.empty()) return wrong("it holds nothing");
  extent.StoreIn(&scan->meta);
  const TableProperties& properties = *reader.properties();
  scan->meta.unique_id = TableUniqueId(properties);
  scan->meta.oldest_ancestor_time = properties.creation_time;
  scan->meta.file_creation_time = properties.file_creation_time;
  return Status::OK();
}

std::vector<RangeTombstone> ByBegin(const KeyOrder& order,
                                    const std::vector<RangeTombstone>& all) {
  std::vector<RangeTombstone> sorted;
  RangeTombstoneFragments(order, all).AppendTo(&sorted);
  return sorted;
}

}  // namespace

Result<TableOwner> ReadTableOwner(const DBContext& context,
                                  const FileMetaData& meta) {
  TableContext table{KeyOrder(BytewiseComparator())};
  auto file = OpenTableFile(
      context, meta, FileOptionsForOnePass(context.options), &table.file_name);
  if (!file.ok()) return file.status();
  const auto properties =
      TableSalvage::ReadProperties(std::move(file).value(), meta.size, table);
  if (!properties.ok()) return properties.status();
  TableOwner owner;
  const uint64_t id = (*properties)->column_family_id;
  constexpr uint64_t kUnknown = 0x7fffffff;
  if (id < kUnknown) {
    owner.id = FamilyId(static_cast<uint32_t>(id));
    owner.known = true;
  }
  owner.name = (*properties)->column_family_name;
  return owner;
}

Result<TableScan> ScanTable(const ColumnFamily& family,
                            const FileMetaData& listed,
                            const SequenceGap& gap) {
  TableScan scan;
  scan.meta.number = listed.number;
  scan.meta.size = listed.size;
  scan.meta.path_id = listed.path_id;
  scan.meta.directory = listed.directory;
  TableContext table = family.tables().ContextFor(listed);
  auto file = family.tables().OpenFile(listed, &table);
  if (!file.ok()) return file.status();
  table.block_cache = nullptr;
  const auto reader =
      TableReader::Open(std::move(file).value(), listed.size, table);
  scan.status = reader.ok() ? ScanEntries(table.file_name, **reader,
                                          family.order(), gap, &scan)
                            : reader.status();
  if (scan.status.IsIOError()) return scan.status;
  return scan;
}

Result<RepairWriter::Salvaged> RepairWriter::Salvage(
    const ColumnFamily& family, const FileMetaData& damaged, Level level) {
  Salvaged result;
  const TableJob job = JobFor(family);
  TableOutput output(
      job, {.epoch_number = EpochNumber(1),
            .level = level,
            .target_file_size = family.options().target_file_size_base,
            .has_range_deletions = true});
  TableContext table = family.tables().ContextFor(damaged);
  auto file = family.tables().OpenFile(damaged, &table);
  if (!file.ok()) return file.status();
  auto facts =
      TableSalvage::Run(std::move(file).value(), damaged.size, table,
                        [&output](const Slice& key, const Slice& value) {
                          return output.Add(key, value);
                        });
  if (!facts.ok() && !facts.status().IsCorruption()) return facts.status();
  if (!facts.ok()) {
    result.facts.bytes_lost = damaged.size;
    return result;
  }
  result.facts = std::move(facts).value();
  std::vector<RangeTombstone> tombstones = result.facts.tombstones;
  if (damaged.seqnos_known) {
    for (RangeTombstone& tombstone : tombstones) {
      // If the end cannot be computed, keeps the original, which is too far.
      ClipToFile(family.order(), damaged, &tombstone).PermitUncheckedError();
    }
  }
  auto tables = output.Finish(ByBegin(family.order(), tombstones));
  if (!tables.ok()) return tables.status();
  result.tables = std::move(tables).value();
  return result;
}

Result<std::vector<FileMetaData>> RepairWriter::Merge(
    const ColumnFamily& family, const std::vector<FileMetaData>& tables,
    Level level) {
  std::vector<std::unique_ptr<const TableFile>> files;
  std::vector<TableReaderPtr> readers;
  std::vector<std::unique_ptr<InternalIterator>> children;
  std::vector<RangeTombstone> tombstones;
  for (const FileMetaData& meta : tables) {
    files.push_back(std::make_unique<const TableFile>(meta));
    auto reader = family.tables().Reader(*files.back());
    if (!reader.ok()) return reader.status();
    readers.push_back(std::move(reader).value());
    children.push_back(
        readers.back()->NewIterator(ReadContext::PastTheCache()));
    const auto fragments = family.tables().RangeTombstones(*files.back());
    if (!fragments.ok()) return fragments.status();
    if (*fragments != nullptr) (*fragments)->AppendTo(&tombstones);
  }
  const auto merged = NewMergingIterator(family.order(), std::move(children));
  return WriteAll(family, merged.get(), ByBegin(family.order(), tombstones),
                  level);
}

Result<std::vector<FileMetaData>> RepairWriter::Write(
    const ColumnFamily& family, const MemTable& memtable) {
  std::vector<RangeTombstone> tombstones;
  memtable.AppendRangeTombstones(&tombstones);
  return WriteAll(family, memtable.NewIterator().get(),
                  ByBegin(family.order(), tombstones), kLevelZero);
}

Result<std::vector<FileMetaData>> RepairWriter::WriteAll(
    const ColumnFamily& family, InternalIterator* entries,
    const std::vector<RangeTombstone>& tombstones, Level level) {
  const KeyOrder& order = family.order();
  const TableJob job = JobFor(family);
  TableOutput output(job, {.epoch_number = EpochNumber(1),
                           .level = level,
                           .has_range_deletions = !tombstones.empty()});
  std::string before;
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    const Slice key = entries->key();
    // Two tables may contain the same entry if one was made from the other.
    if (!before.empty() && order.Compare(before, key) == 0) continue;
    const Slice user_key = ExtractUserKey(key);
    const bool new_key =
        before.empty() ||
        order.CompareUserKeys(ExtractUserKey(before), user_key) != 0;
    if (level > kLevelZero && new_key &&
        output.OpenTableHasReached(family.options().target_file_size_base)) {
      TAMIS_RETURN_IF_ERROR(output.CutBefore(user_key, tombstones));
    }
    TAMIS_RETURN_IF_ERROR(output.Add(key, entries->value()));
    before.assign(key.data(), key.size());
  }
  TAMIS_RETURN_IF_ERROR(entries->status());
  return output.Finish(tombstones);
}

}  // namespace tamis
