// SPDX-License-Identifier: Apache-2.0
#include "db/compaction_job.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "db/compaction_tombstones.h"
#include "db/level_iterator.h"
#include "db/table_output.h"
#include "table/merging_iterator.h"
#include "util/perf_counters.h"

namespace tamis {

namespace {

// Says when an output has met so much of the level below its own that it is
// better cut: its own compaction would have to rewrite all of that.
class GrandparentWatch {
 public:
  GrandparentWatch(const KeyOrder& order, const Compaction& plan)
      : order_(order),
        files_(plan.grandparents),
        bytes_max_(plan.grandparent_bytes_max) {}

  // True: cut before this key. Keys ascend.
  bool CutBefore(const Slice& internal_key) {
    while (next_ < files_.size() &&
           order_.Compare(internal_key, files_[next_]->meta.largest) > 0) {
      if (seen_key_) bytes_ += files_[next_]->meta.size;
      ++next_;
    }
    seen_key_ = true;
    if (bytes_ <= bytes_max_) return false;
    bytes_ = 0;
    return true;
  }

 private:
  const KeyOrder order_;
  const LevelFiles& files_;
  const uint64_t bytes_max_;
  size_t next_ = 0;
  uint64_t bytes_ = 0;
  bool seen_key_ = false;
};

std::unique_ptr<InternalIterator> MergeInputs(const Compaction& plan,
                                              const CompactionInputs& in) {
  ReadContext context;
  context.fill_cache = false;
  const KeyOrder& order = in.family->order();
  const TableCache* tables = &in.family->tables();
  std::vector<std::unique_ptr<InternalIterator>> children;
  if (plan.level == 0) {
    for (const TableFilePtr& file : plan.inputs) {
      children.push_back(NewLevelIterator(
          order, tables, std::span<const TableFilePtr>(&file, 1), context));
    }
  } else {
    children.push_back(NewLevelIterator(order, tables, plan.inputs, context));
  }
  if (!plan.output_inputs.empty()) {
    children.push_back(
        NewLevelIterator(order, tables, plan.output_inputs, context));
  }
  return NewMergingIterator(order, std::move(children));
}

Result<std::vector<RangeTombstone>> TombstonesOfInputs(
    const Compaction& plan, const CompactionInputs& in) {
  std::vector<RangeTombstone> all;
  for (const TableFilePtr& file : plan.AllInputs()) {
    const auto tombstones = in.family->tables().RangeTombstones(*file);
    if (!tombstones.ok()) return tombstones.status();
    if (*tombstones != nullptr) (*tombstones)->AppendTo(&all);
  }
  return all;
}

TableOutput::Facts FactsOf(const Compaction& plan) {
  TableOutput::Facts facts;
  facts.level = plan.output_level;
  facts.bottommost = plan.bottommost;
  for (const TableFilePtr& file : plan.AllInputs()) {
    const FileMetaData& meta = file->meta;
    if (facts.epoch_number == 0 || meta.epoch_number < facts.epoch_number) {
      facts.epoch_number = meta.epoch_number;
    }
    if (meta.oldest_ancestor_time != 0 &&
        (facts.oldest_ancestor_time == 0 ||
         meta.oldest_ancestor_time < facts.oldest_ancestor_time)) {
      facts.oldest_ancestor_time = meta.oldest_ancestor_time;
    }
  }
  return facts;
}

Status WriteOutputs(const Compaction& plan, const CompactionInputs& in,
                    const std::vector<RangeTombstone>& tombstones,
                    CompactionIterator* entries, TableOutput* output) {
  GrandparentWatch grandparents(in.family->order(), plan);
  // Where the open table begins; the first reaches down without a bound.
  std::string cut;
  const Slice* lower = nullptr;
  Slice cut_key;
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    if (in.cancelled && in.cancelled()) {
      return Status::ShutdownInProgress(in.context->directory,
                                        "a compaction was given up");
    }
    // The versions of one key stay in one file.
    const bool may_cut =
        output->HasOpenTable() && !entries->same_user_key_as_previous();
    const bool cut_for_overlap = grandparents.CutBefore(entries->key());
    if (may_cut && (cut_for_overlap ||
                    output->OpenTableBytes() >= plan.output_file_bytes_max)) {
      const Slice upper = entries->user_key();
      TAMIS_RETURN_IF_ERROR(
          output->AddRangeTombstones(lower, &upper, tombstones));
      TAMIS_RETURN_IF_ERROR(output->CloseTable());
      cut.assign(upper.data(), upper.size());
      cut_key = cut;
      lower = &cut_key;
    }
    TAMIS_RETURN_IF_ERROR(output->Add(entries->key(), entries->value()));
  }
  TAMIS_RETURN_IF_ERROR(entries->status());
  return output->AddRangeTombstones(lower, nullptr, tombstones);
}

void AddDeletions(const Compaction& plan, VersionEdit* edit) {
  for (const TableFilePtr& file : plan.inputs) {
    edit->deleted_files.emplace_back(plan.level, file->meta.number);
  }
  for (const TableFilePtr& file : plan.output_inputs) {
    edit->deleted_files.emplace_back(plan.output_level, file->meta.number);
  }
}

}  // namespace

Result<CompactionResult> RunCompaction(const Compaction& plan,
                                       const CompactionInputs& in) {
  const KeyOrder& order = in.family->order();
  auto tombstones_of_inputs = TombstonesOfInputs(plan, in);
  if (!tombstones_of_inputs.ok()) return tombstones_of_inputs.status();
  const RangeTombstoneFragments tombstones(order, *tombstones_of_inputs);
  const auto merged = MergeInputs(plan, in);
  CompactionIterator::Options options(order);
  options.snapshots = in.snapshots;
  options.bottommost = plan.bottommost;
  options.merge_operator = in.family->options().merge_operator.get();
  if (!tombstones.empty()) options.tombstones = &tombstones;
  CompactionIterator entries(
      merged.get(), options, [&plan](const Slice& user_key) {
        return !plan.bottommost &&
               plan.input_version->MayExistBelow(plan.output_level, user_key);
      });
  const std::vector<RangeTombstone> kept = TombstonesToKeep(
      order, tombstones, SnapshotStripes(in.snapshots),
      [&plan](const Slice& begin, const Slice& end) {
        return !plan.bottommost && plan.input_version->MayOverlapBelow(
                                       plan.output_level, begin, end);
      });

  TableOutput output(*in.context, *in.family, FactsOf(plan),
                     in.new_file_number);
  TAMIS_RETURN_IF_ERROR(WriteOutputs(plan, in, kept, &entries, &output));
  auto tables = output.Finish();
  if (!tables.ok()) return tables.status();

  CompactionResult result;
  result.counts = entries.counts();
  AddDeletions(plan, &result.edit);
  for (FileMetaData& table : *tables) {
    result.bytes_written += table.size;
    result.edit.new_files.emplace_back(plan.output_level, std::move(table));
  }
  for (const TableFilePtr& file : plan.AllInputs()) {
    result.bytes_read += file->meta.size;
  }
  Statistics* statistics = in.context->statistics();
  RecordTick(statistics, COMPACT_READ_BYTES, result.bytes_read);
  RecordTick(statistics, COMPACT_WRITE_BYTES, result.bytes_written);
  RecordTick(statistics, COMPACTION_KEY_DROP_NEWER_ENTRY,
             result.counts.dropped_hidden);
  RecordTick(statistics, COMPACTION_KEY_DROP_OBSOLETE,
             result.counts.dropped_obsolete);
  return result;
}

VersionEdit TrivialMove(const Compaction& plan) {
  VersionEdit edit;
  AddDeletions(plan, &edit);
  edit.new_files.emplace_back(plan.output_level, plan.inputs[0]->meta);
  return edit;
}

}  // namespace tamis
