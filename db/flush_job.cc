// SPDX-License-Identifier: Apache-2.0
#include "db/flush_job.h"

#include <utility>

#include "db/compaction_iterator.h"
#include "db/compaction_tombstones.h"
#include "db/table_output.h"
#include "table/merging_iterator.h"

namespace tamis {

Result<VersionEdit> RunFlush(const FlushInputs& in) {
  std::vector<std::unique_ptr<InternalIterator>> children;
  std::vector<RangeTombstone> all;
  for (const auto& memtable : in.memtables) {
    children.push_back(memtable->NewIterator());
    const auto tombstones = memtable->RangeTombstones();
    if (tombstones != nullptr) tombstones->AppendTo(&all);
  }
  const KeyOrder& order = in.family->order();
  const RangeTombstoneFragments tombstones(order, all);
  const auto merged = NewMergingIterator(order, std::move(children));
  CompactionIterator::Options options(order);
  options.snapshots = in.snapshots;
  options.merge_operator = in.family->options().merge_operator.get();
  if (!tombstones.empty()) options.tombstones = &tombstones;
  // Older versions may stand in any table: every tombstone stays.
  CompactionIterator entries(merged.get(), options, nullptr);

  TableOutput output(*in.context, *in.family,
                     {.epoch_number = in.epoch_number, .is_flush = true},
                     in.new_file_number, in.schedule);
  for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
    TAMIS_RETURN_IF_ERROR(output.Add(entries.key(), entries.value()));
  }
  TAMIS_RETURN_IF_ERROR(entries.status());
  TAMIS_RETURN_IF_ERROR(output.AddRangeTombstones(
      nullptr, nullptr,
      TombstonesToKeep(order, tombstones, SnapshotStripes(in.snapshots),
                       nullptr)));
  auto tables = output.Finish();
  if (!tables.ok()) return tables.status();

  VersionEdit edit;
  edit.log_number = in.log_number_after;
  for (FileMetaData& table : *tables) {
    edit.new_files.emplace_back(0, std::move(table));
  }
  return edit;
}

}  // namespace tamis
