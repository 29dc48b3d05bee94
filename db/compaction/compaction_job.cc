// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/compaction_job.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "db/compaction/compaction_input.h"
#include "db/compaction/compaction_tombstones.h"
#include "db/compaction/entry_counts.h"
#include "db/compaction/output_partitioner.h"
#include "db/compaction/subcompaction.h"
#include "db/compaction/trivial_move.h"
#include "db/family/level_shapes.h"
#include "table/merging_iterator.h"
#include "util/base/exceptions.h"
#include "util/jobs/parallel_for.h"
#include "util/stats/histogram_timer.h"
#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

// Cuts an output that overlaps too much of the level below it, all of which the
// output's own compaction would rewrite.
class GrandparentWatch {
 public:
  GrandparentWatch(const KeyOrder& order, const Compaction& plan)
      : order_(order),
        files_(plan.grandparents),
        bytes_max_(plan.grandparent_bytes_max) {}

  // Returns whether to end the table before this key. REQUIRES: the keys of the
  // calls ascend.
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

// Shared by the subcompactions of a compaction. Only `failed` changes.
struct Shared {
  const Compaction& plan;
  const CompactionInputs& in;
  const RangeTombstoneFragments& tombstones;  // of the inputs
  const std::vector<RangeTombstone>& kept;    // those to write again
  std::atomic<bool> failed{false};            // set by one, ends the others

  bool IsGivenUp() const {
    return failed.load(std::memory_order_relaxed) ||
           (in.cancelled && in.cancelled());
  }
};

// Compacts the keys within the bounds of `facts`. One thread.
class Subcompaction {
 public:
  Subcompaction(Shared* shared, const TableOutput::Facts& facts)
      : shared_(*shared),
        lower_(facts.lower),
        upper_(facts.upper),
        output_(shared->in, facts) {}

  void Run() {
    told_bytes_ = tls_iostats_context.bytes_read;
    status_ = WriteTables();
    TellRead();
    if (status_.ok()) {
      auto tables = output_.Finish(shared_.kept);
      status_ = tables.status();
      if (status_.ok()) tables_ = std::move(*tables);
    }
    if (!status_.ok()) shared_.failed.store(true, std::memory_order_relaxed);
  }

  const Status& status() const { return status_; }
  const CompactionIterator::Counts& counts() const { return counts_; }
  uint64_t entries_written() const { return entries_written_; }
  std::vector<FileMetaData>& tables() { return tables_; }
  // Makes the destructor remove the tables.
  void TakeBack() { output_.TakeBack(); }

 private:
  std::unique_ptr<InternalIterator> MergeInputs() const;
  Status WriteTables();
  Status WriteEntries(CompactionIterator* entries);
  // Returns whether the partitioner ends the open table before the entry.
  Result<bool> EndsTable(OutputPartitioner* partitioner,
                         const CompactionIterator& next);
  // Tells the operation what the thread has read since the last call.
  void TellRead();

  Shared& shared_;
  const Slice* const lower_;
  const Slice* const upper_;
  TableOutput output_;
  CompactionIterator::Counts counts_;
  uint64_t entries_written_ = 0;
  Status status_;
  std::vector<FileMetaData> tables_;
  uint64_t told_bytes_ = 0;
};

std::unique_ptr<InternalIterator> Subcompaction::MergeInputs() const {
  const Compaction& plan = shared_.plan;
  const KeyOrder& order = shared_.in.family->order();
  const TableCache* tables = &shared_.in.family->tables();
  const size_t readahead =
      shared_.in.context->Live<&DBOptions::compaction_readahead_size>();
  std::vector<std::unique_ptr<InternalIterator>> children;
  const auto add = [&](std::span<const TableFilePtr> files) {
    children.push_back(
        NewCompactionInput(order, tables, files, upper_, readahead));
  };
  plan.ForEachInputLevel([&](Level level, const LevelFiles& files) {
    if (level > kLevelZero) return add(files);
    for (const TableFilePtr& file : files) add({&file, 1});
  });
  return NewMergingIterator(order, std::move(children));
}

EntryFilter::Inputs FilterInputs(const Compaction& plan,
                                 const CompactionInputs& in) {
  EntryFilter::Inputs filter;
  filter.context.is_full_compaction = plan.IsFull();
  filter.context.is_manual_compaction = plan.manual;
  filter.context.column_family_id = in.family->id().value();
  filter.level = plan.level.value();
  filter.snapshots = in.snapshots;
  return filter;
}

Status Subcompaction::WriteTables() {
  const Compaction& plan = shared_.plan;
  const CompactionInputs& in = shared_.in;
  const auto merged = MergeInputs();
  CompactionIterator::Options options(in.family->order());
  options.snapshots = in.snapshots;
  options.bottommost = plan.bottommost;
  options.merge_with = in.family->merge_with();
  if (!shared_.tombstones.empty()) options.tombstones = &shared_.tombstones;
  const auto filter = EntryFilter::Make(*in.options, FilterInputs(plan, in));
  if (!filter.ok()) return filter.status();
  options.filter = filter->get();
  CompactionIterator entries(
      merged.get(), options,
      [&plan](const Slice& user_key) { return plan.MayHoldOlder(user_key); });
  if (lower_ == nullptr) {
    entries.SeekToFirst();
  } else {
    entries.Seek(*lower_);
  }
  const Status status = WriteEntries(&entries);
  counts_ = entries.counts();
  return status;
}

Status Subcompaction::WriteEntries(CompactionIterator* entries) {
  // Makes the cost of IsGivenUp negligible.
  constexpr uint32_t kEntriesPerCheck = 32;
  const Compaction& plan = shared_.plan;
  GrandparentWatch grandparents(shared_.in.family->order(), plan);
  const auto partitioner = OutputPartitioner::Make(*shared_.in.options, plan,
                                                   shared_.in.family->order());
  if (!partitioner.ok()) return partitioner.status();
  for (uint32_t n = 0; entries->Valid(); entries->Next(), ++n) {
    if (n % kEntriesPerCheck == 0) {
      if (shared_.IsGivenUp()) {
        return Status::ShutdownInProgress(shared_.in.context->directory,
                                          "a compaction was cancelled");
      }
      TellRead();
    }
    bool cut = grandparents.CutBefore(entries->key());
    // All versions of a key go to the same file.
    if (!entries->same_user_key_as_previous()) {
      if (*partitioner != nullptr) {
        const Result<bool> asked = EndsTable(partitioner->get(), *entries);
        if (!asked.ok()) return asked.status();
        cut = cut || *asked;
      }
      if (output_.OpenTableHasReached(plan.output_file_bytes_max) ||
          (cut && output_.HasOpenTable())) {
        TAMIS_RETURN_IF_ERROR(
            output_.CutBefore(entries->user_key(), shared_.kept));
      }
    }
    TAMIS_RETURN_IF_ERROR(output_.Add(entries->key(), entries->value()));
    ++entries_written_;
  }
  return entries->status();
}

Result<bool> Subcompaction::EndsTable(OutputPartitioner* partitioner,
                                      const CompactionIterator& next) {
  const bool open = output_.HasOpenTable();
  return partitioner->EndsBefore(next.user_key(), open,
                                 open ? output_.OpenTableBytes() : 0);
}

// Counts nothing if the user's code has reset the context, or set a level that
// counts nothing.
void Subcompaction::TellRead() {
  if (shared_.in.operation == nullptr) return;
  const uint64_t bytes = tls_iostats_context.bytes_read;
  if (bytes > told_bytes_) {
    shared_.in.operation->Add(ThreadStatus::COMPACTION_BYTES_READ,
                              bytes - told_bytes_);
  }
  told_bytes_ = bytes;
}

Result<std::vector<RangeTombstone>> TombstonesOfInputs(
    const Compaction& plan, const CompactionInputs& in) {
  std::vector<RangeTombstone> all;
  for (const TableFilePtr& file : plan.AllInputs()) {
    const auto tombstones =
        in.family->tables().RangeTombstonesForCompaction(*file);
    if (!tombstones.ok()) return tombstones.status();
    if (*tombstones != nullptr) (*tombstones)->AppendTo(&all);
  }
  return all;
}

// Returns the share of the inputs' entries that one of `parts` writes to its
// largest table.
uint64_t ExpectedKeys(const Compaction& plan,
                      const std::vector<TableFilePtr>& inputs, size_t parts) {
  double bytes = 0;
  for (const TableFilePtr& file : inputs) {
    bytes += static_cast<double>(file->meta.size);
  }
  const double of_table =
      static_cast<double>(plan.output_file_bytes_max) / bytes;
  return static_cast<uint64_t>(
      static_cast<double>(EntriesOf(inputs)) *
      std::min(1 / static_cast<double>(parts), of_table));
}

TableOutput::Facts FactsOf(const Compaction& plan, size_t parts,
                           bool has_range_deletions) {
  TableOutput::Facts facts;
  facts.has_range_deletions = has_range_deletions;
  facts.level = plan.output_level;
  facts.path_id = plan.path_id;
  facts.bottommost = plan.bottommost;
  facts.base = plan.base;
  facts.compress = plan.compress;
  facts.compression = plan.compression;
  facts.target_file_size = plan.output_file_bytes_max;
  const std::vector<TableFilePtr> inputs = plan.AllInputs();
  facts.expected_keys = ExpectedKeys(plan, inputs, parts);
  for (const TableFilePtr& file : inputs) {
    const FileMetaData& meta = file->meta;
    if (facts.epoch_number == kUnknownEpoch ||
        meta.epoch_number < facts.epoch_number) {
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

// On an error, none leaves a file.
Status RunSubcompactions(const Compaction& plan, const CompactionInputs& in,
                         std::vector<std::unique_ptr<Subcompaction>>* all) {
  ParallelFor(in.context->runner(), in.schedule, all->size(),
              [all](size_t i) { (*all)[i]->Run(); });
  Status status;
  uint64_t read = 0;
  for (const auto& one : *all) {
    read += one->counts().entries_read;
    // Returns the failure itself, not the shutdown that it caused in others.
    if (status.ok() || (status.IsShutdownInProgress() && !one->status().ok())) {
      status = one->status();
    }
  }
  if (status.ok() && in.context->options.compaction_verify_record_count) {
    status = CheckCompacted(plan, in, read);
  }
  if (!status.ok()) {
    for (const auto& one : *all) one->TakeBack();
  }
  return status;
}

// The tables get the lookups of what they replace at their level, or, if there
// is nothing, the lookups that searched the level above.
void InheritLookupsOf(const Compaction& plan, uint64_t lookups,
                      std::vector<FileMetaData>* tables) {
  if (plan.output_inputs.empty()) {
    InheritLookups(plan.inputs, plan.level > kLevelZero, lookups, *tables);
  } else {
    InheritLookups(plan.output_inputs, /*disjoint=*/true, lookups, *tables);
  }
}

CompactionWork WorkOf(const std::vector<std::unique_ptr<Subcompaction>>& all) {
  CompactionWork work;
  for (const auto& one : all) {
    work.entries_written += one->entries_written();
    work.counts.entries_read += one->counts().entries_read;
    work.counts.dropped_hidden += one->counts().dropped_hidden;
    work.counts.dropped_covered += one->counts().dropped_covered;
    work.counts.dropped_obsolete += one->counts().dropped_obsolete;
    work.counts.removed_by_filter += one->counts().removed_by_filter;
    std::ranges::move(one->tables(), std::back_inserter(work.tables));
  }
  return work;
}

void CountParts(const Compaction& plan, size_t parts, Statistics* statistics) {
  RecordInHistogram(statistics, NUM_FILES_IN_SINGLE_COMPACTION,
                    plan.inputs.size() + plan.output_inputs.size());
  RecordInHistogram(statistics, NUM_SUBCOMPACTIONS_SCHEDULED, parts);
}

void CountByReason(const std::string_view reason, const JobStats& stats,
                   Statistics* statistics) {
  const struct {
    std::string_view reason;
    Tickers read;
    Tickers written;
  } tickers[] = {
      {"marked", COMPACT_READ_BYTES_MARKED, COMPACT_WRITE_BYTES_MARKED},
      {"periodic", COMPACT_READ_BYTES_PERIODIC, COMPACT_WRITE_BYTES_PERIODIC},
      {"age", COMPACT_READ_BYTES_TTL, COMPACT_WRITE_BYTES_TTL},
  };
  for (const auto& one : tickers) {
    if (one.reason != reason) continue;
    RecordTick(statistics, one.read, stats.read());
    RecordTick(statistics, one.written, stats.written);
  }
}

void Count(const CompactionResult& result, Statistics* statistics) {
  RecordTick(statistics, COMPACT_READ_BYTES, result.stats.read());
  RecordTick(statistics, COMPACT_WRITE_BYTES, result.stats.written);
  RecordTick(statistics, COMPACTION_KEY_DROP_NEWER_ENTRY,
             result.counts.dropped_hidden);
  RecordTick(statistics, COMPACTION_KEY_DROP_OBSOLETE,
             result.counts.dropped_obsolete);
  RecordTick(statistics, COMPACTION_KEY_DROP_RANGE_DEL,
             result.counts.dropped_covered);
  RecordTick(statistics, COMPACTION_KEY_DROP_USER,
             result.counts.removed_by_filter);
}

}  // namespace

void AddInputs(const Compaction& plan, JobStats* stats) {
  plan.ForEachInputLevel([&](Level level, const LevelFiles& files) {
    uint64_t* const read = level == plan.output_level ? &stats->read_at_output
                                                      : &stats->read_above;
    for (const TableFilePtr& file : files) *read += file->meta.size;
  });
}

CompactionResult ResultOf(const Compaction& plan, const CompactionInputs& in,
                          CompactionWork work) {
  CompactionResult result;
  result.counts = work.counts;
  DeleteInputs(plan, &result.edit);
  InheritLookupsOf(plan, in.family->tables().lookups(), &work.tables);
  for (FileMetaData& table : work.tables) {
    result.stats.written += table.size;
    result.edit.new_files.emplace_back(plan.output_level, std::move(table));
  }
  AddInputs(plan, &result.stats);
  const uint64_t read = result.counts.entries_read;
  result.stats.entries_read = read;
  result.stats.entries_dropped = read - std::min(read, work.entries_written);
  IgnoreExceptions([&] {  // a user's Statistics may throw
    Count(result, in.context->statistics());
    CountByReason(plan.reason, result.stats, in.context->statistics());
  });
  return result;
}

Result<CompactionResult> RunCompaction(const Compaction& plan,
                                       const CompactionInputs& in) {
  TAMIS_CHECK(!plan.inputs.empty());
  TAMIS_CHECK(!plan.trivial_move);
  const HistogramTimer timing(in.context->statistics(), COMPACTION_TIME);
  const auto set_stage = [&in](ThreadStatus::OperationStage stage) {
    if (in.operation != nullptr) in.operation->SetStage(stage);
  };
  set_stage(ThreadStatus::STAGE_COMPACTION_RUN);
  const KeyOrder& order = in.family->order();
  auto tombstones_of_inputs = TombstonesOfInputs(plan, in);
  if (!tombstones_of_inputs.ok()) return tombstones_of_inputs.status();
  const RangeTombstoneFragments tombstones(order, *tombstones_of_inputs);
  const std::vector<RangeTombstone> kept =
      TombstonesToKeep(order, tombstones, SnapshotStripes(in.snapshots),
                       [&plan](const Slice& begin, const Slice& end) {
                         return plan.MayHoldOlder(begin, end);
                       });
  const auto cuts = SubcompactionCuts(
      plan, order, in.family->tables(),
      in.parts_max != 0 ? in.parts_max
                        : in.context->Live<&DBOptions::max_subcompactions>());
  if (!cuts.ok()) return cuts.status();
  const std::vector<Slice> bounds(cuts->begin(), cuts->end());

  TableOutput::Facts facts = FactsOf(plan, bounds.size() + 1, !kept.empty());
  Shared shared{plan, in, tombstones, kept};
  std::vector<std::unique_ptr<Subcompaction>> all;
  for (size_t i = 0; i <= bounds.size(); ++i) {
    facts.lower = i == 0 ? nullptr : &bounds[i - 1];
    facts.upper = i == bounds.size() ? nullptr : &bounds[i];
    all.push_back(std::make_unique<Subcompaction>(&shared, facts));
  }
  CountParts(plan, all.size(), in.context->statistics());
  set_stage(ThreadStatus::STAGE_COMPACTION_PROCESS_KV);
  TAMIS_RETURN_IF_ERROR(RunSubcompactions(plan, in, &all));
  return ResultOf(plan, in, WorkOf(all));
}

}  // namespace tamis
