// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/flush_job.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "db/compaction/compaction_iterator.h"
#include "db/compaction/compaction_tombstones.h"
#include "db/compaction/entry_counts.h"
#include "table/merging_iterator.h"
#include "util/base/check.h"

namespace tamis {

namespace {

// Iterates over a memtable without the entries of a write that failed
// (MemTable::DiscardAbove). Forward only.
class ValidEntries final : public InternalIterator {
 public:
  // Adds to *passed the entries that it leaves out.
  ValidEntries(std::unique_ptr<InternalIterator> base, SequenceNumber last,
               uint64_t* passed)
      : base_(std::move(base)), last_(last), passed_(passed) {}

  void SeekToFirst() override {
    base_->SeekToFirst();
    Skip();
  }
  void Seek(const Slice& target) override {
    base_->Seek(target);
    Skip();
  }
  void Next() override {
    base_->Next();
    Skip();
  }
  void SeekToLast() override { TAMIS_CHECK(false); }
  void SeekForPrev(const Slice& /*target*/) override { TAMIS_CHECK(false); }
  void Prev() override { TAMIS_CHECK(false); }
  Status status() const override { return base_->status(); }

 private:
  void Skip() {
    while (base_->Valid() && ExtractSequence(base_->key()) > last_) {
      base_->Next();
      ++*passed_;
    }
    ShowEntry(base_->entry());
  }

  const std::unique_ptr<InternalIterator> base_;
  const SequenceNumber last_;
  uint64_t* const passed_;
};

std::unique_ptr<InternalIterator> EntriesOf(const MemTable& memtable,
                                            uint64_t* passed) {
  auto all = memtable.NewIterator();
  if (memtable.last_valid() == kMaxSequenceNumber) return all;
  return std::make_unique<ValidEntries>(std::move(all), memtable.last_valid(),
                                        passed);
}

// Returns how many the memtable has, with those of a write that failed.
uint64_t AppendTombstonesOf(const MemTable& memtable,
                            std::vector<RangeTombstone>* all) {
  const size_t before = all->size();
  memtable.AppendRangeTombstones(all);
  const uint64_t count = all->size() - before;
  all->erase(std::remove_if(all->begin() + static_cast<std::ptrdiff_t>(before),
                            all->end(),
                            [&](const RangeTombstone& tombstone) {
                              return tombstone.sequence > memtable.last_valid();
                            }),
             all->end());
  return count;
}

}  // namespace

Result<VersionEdit> RunFlush(const FlushInputs& in) {
  TAMIS_CHECK(!in.memtables.empty());
  if (in.operation != nullptr) {
    in.operation->SetStage(ThreadStatus::STAGE_FLUSH_WRITE_L0);
  }
  std::vector<std::unique_ptr<InternalIterator>> children;
  std::vector<RangeTombstone> all;
  uint64_t expected_keys = 0;
  uint64_t range_deletions = 0;
  uint64_t passed = 0;
  for (const auto& memtable : in.memtables) {
    expected_keys += memtable->num_entries();
    children.push_back(EntriesOf(*memtable, &passed));
    range_deletions += AppendTombstonesOf(*memtable, &all);
  }
  const KeyOrder& order = in.family->order();
  const RangeTombstoneFragments tombstones(order, all);
  const auto merged = NewMergingIterator(order, std::move(children));
  CompactionIterator::Options options(order);
  options.snapshots = in.snapshots;
  options.merge_with = in.family->merge_with();
  if (!tombstones.empty()) options.tombstones = &tombstones;
  EntryFilter::Inputs filter_inputs;
  filter_inputs.context.column_family_id = in.family->id().value();
  filter_inputs.context.reason = in.reason;
  filter_inputs.snapshots = in.snapshots;
  const auto filter = EntryFilter::Make(*in.options, filter_inputs);
  if (!filter.ok()) return filter.status();
  options.filter = filter->get();
  // Any table may hold older versions, so every tombstone is kept.
  CompactionIterator entries(merged.get(), options, nullptr);

  TableOutput output(in, {.epoch_number = in.epoch_number,
                          .is_flush = true,
                          .expected_keys = expected_keys,
                          .has_range_deletions = !tombstones.empty()});
  for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
    TAMIS_RETURN_IF_ERROR(output.Add(entries.key(), entries.value()));
  }
  TAMIS_RETURN_IF_ERROR(entries.status());
  if (in.context->options.flush_verify_memtable_count) {
    TAMIS_RETURN_IF_ERROR(CheckEntriesRead(
        in.context->directory, "a flush",
        entries.counts().entries_read + passed, expected_keys - range_deletions,
        "flush_verify_memtable_count"));
  }
  auto tables = output.Finish(TombstonesToKeep(
      order, tombstones, SnapshotStripes(in.snapshots), nullptr));
  if (!tables.ok()) return tables.status();
  TAMIS_CHECK(tables->size() <= 1);

  VersionEdit edit;
  edit.log_number = in.log_number_after;
  for (FileMetaData& table : *tables) {
    edit.new_files.emplace_back(kLevelZero, std::move(table));
  }
  return edit;
}

}  // namespace tamis
