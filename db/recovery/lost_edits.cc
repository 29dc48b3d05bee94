// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/lost_edits.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "db/base/file_names.h"
#include "db/manifest/table_path.h"
#include "db/version/table_cache.h"
#include "db/wal/log_reader.h"
#include "db/wal/write_batch_internal.h"
#include "table/table_reader.h"

namespace tamis {

namespace {

// Returns the first sequence number in these logs, or nullopt if no log begins
// with a readable record.
std::optional<SequenceNumber> FirstLogged(const DBContext& context,
                                          std::span<const FileNumber> logs) {
  for (const FileNumber number : logs) {
    const auto reader = LogReader::Open(
        context.fs(), LogFileName(context.log_directory(), number), number,
        LogKind::kWal);
    if (!reader.ok()) continue;
    std::string record;
    if ((*reader)->ReadRecord(&record) == LogReader::Outcome::kRecord &&
        record.size() >= WriteBatchInternal::kHeaderBytes) {
      return WriteBatchInternal::Sequence(WriteBatch(std::move(record)));
    }
  }
  return std::nullopt;
}

std::vector<FileNumber> UnlistedTables(const DirectoryListing& listing,
                                       const ColumnFamilySet::View& families) {
  const std::vector<FileNumber> listed =
      ColumnFamilySet::TableNumbers(families);
  std::vector<FileNumber> unlisted;
  std::set_difference(listing.tables.begin(), listing.tables.end(),
                      listed.begin(), listed.end(),
                      std::back_inserter(unlisted));
  return unlisted;
}

// Returns the sequence number of an entry within the gap, or nullopt if there
// is none or the table is unreadable, for example because its writing was
// interrupted.
std::optional<SequenceNumber> FindInGap(const DBContext& context,
                                        const TableCache& tables,
                                        FileMetaData meta,
                                        const SequenceGap& gap) {
  if (!context.fs()->GetFileSize(TablePath(context, meta), &meta.size).ok()) {
    return std::nullopt;
  }
  // Bypasses the table cache, which clips range tombstones to the file's
  // bounds: those are unknown here.
  const auto reader = tables.OpenUncached(meta);
  if (!reader.ok()) return std::nullopt;
  const auto entries = (*reader)->NewIterator(ReadContext());
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    ParsedInternalKey parsed;
    if (!ParseInternalKey(entries->key(), &parsed)) return std::nullopt;
    if (gap.Contains(parsed.sequence)) return parsed.sequence;
  }
  const auto tombstones = (*reader)->ReadRangeTombstones();
  if (!entries->status().ok() || !tombstones.ok()) return std::nullopt;
  for (const RangeTombstone& tombstone : *tombstones) {
    if (gap.Contains(tombstone.sequence)) return tombstone.sequence;
  }
  return std::nullopt;
}

}  // namespace

SequenceGap GapBefore(const DBContext& context, SequenceNumber last_sequence,
                      std::span<const FileNumber> logs) {
  const auto first = FirstLogged(context, logs);
  return {.begin = last_sequence + 1,
          .end = first.value_or(kMaxSequenceNumber),
          .proven = first.has_value()};
}

Status CheckForLostEdits(const DBContext& context,
                         const DirectoryListing& listing,
                         const VersionSet& versions,
                         const std::string& manifest) {
  const ColumnFamilySet::ViewPtr families = versions.families().view();
  FileNumber first_log = kFileNumberMax;
  for (const ColumnFamilyPtr& family : *families) {
    first_log = std::min(first_log, family->log_number());
  }
  const FileNumber named_log =
      std::max(first_log, versions.min_log_number_to_keep());
  if (std::binary_search(listing.logs.begin(), listing.logs.end(), first_log) ||
      std::binary_search(listing.logs.begin(), listing.logs.end(), named_log)) {
    return Status::OK();
  }
  const std::span<const FileNumber> needed(
      std::lower_bound(listing.logs.begin(), listing.logs.end(), named_log),
      listing.logs.end());
  const SequenceGap gap = GapBefore(context, versions.last_sequence(), needed);
  if (gap.begin >= gap.end) return Status::OK();
  for (const FileNumber number : UnlistedTables(listing, *families)) {
    FileMetaData meta;
    meta.number = number;
    meta.seqnos_known = false;
    const auto elsewhere = listing.table_directories.find(number);
    if (elsewhere != listing.table_directories.end()) {
      meta.directory = elsewhere->second;
    }
    for (const ColumnFamilyPtr& family : *families) {
      const auto found = FindInGap(context, family->tables(), meta, gap);
      if (!found) continue;
      return Status::Corruption(
          manifest, "its last records are lost: it ends at sequence " +
                        std::to_string(versions.last_sequence()) + " and log " +
                        named_log.ToString() + ", which is missing; " +
                        TablePath(context, meta) +
                        ", which it does not list, holds sequence " +
                        std::to_string(*found));
    }
  }
  return Status::OK();
}

}  // namespace tamis
