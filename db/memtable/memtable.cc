// SPDX-License-Identifier: Apache-2.0
#include "db/memtable/memtable.h"

#include <algorithm>
#include <string>

#include "util/base/check.h"
#include "util/cache/block_buffer.h"
#include "util/coding/coding.h"
#include "util/coding/printable.h"
#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

class MemTableIterator : public InternalIterator {
 public:
  MemTableIterator(const MemTable* memtable, const MemTableTree* tree)
      : InternalIterator(&current_), memtable_(memtable), cursor_(tree) {}

  void SeekToFirst() override {
    cursor_.SeekToFirst();
    Show();
  }
  void SeekToLast() override {
    cursor_.SeekToLast();
    Show();
  }
  void Seek(const Slice& target) override {
    TAMIS_PERF_COUNT(seek_on_memtable_count, 1);
    const PerfTimer timer(&tls_perf_context.seek_on_memtable_time);
    cursor_.Seek(target);
    Show();
  }
  void SeekForPrev(const Slice& target) override {
    TAMIS_PERF_COUNT(seek_on_memtable_count, 1);
    const PerfTimer timer(&tls_perf_context.seek_on_memtable_time);
    cursor_.SeekForPrev(target);
    Show();
  }
  void Next() override {
    TAMIS_PERF_COUNT(next_on_memtable_count, 1);
    cursor_.Next();
    Show();
  }
  void Prev() override {
    TAMIS_PERF_COUNT(prev_on_memtable_count, 1);
    cursor_.Prev();
    Show();
  }
  void NextAfterHidden(const HiddenRun& hidden) override {
    const uint32_t mark = cursor_.mark();
    if (!hidden.Find(memtable_->NewestUpTo(mark), &hidden_end_)) return Next();
    TAMIS_PERF_COUNT(internal_range_del_reseek_count, 1);
    const LookupKey to(hidden_end_, kMaxSequenceNumber);
    cursor_.NextMarked(to.internal_key(), mark + 1);
    Show();
  }
  void PrevBeforeHidden(const HiddenRun& hidden) override {
    const uint32_t mark = cursor_.mark();
    if (!hidden.Find(memtable_->NewestUpTo(mark), &hidden_end_)) return Prev();
    TAMIS_PERF_COUNT(internal_range_del_reseek_count, 1);
    const LookupKey to(hidden_end_, kMaxSequenceNumber);
    cursor_.PrevMarked(to.internal_key(), mark + 1);
    Show();
  }
  bool PinValue(PinnedBytes* pin) override {
    pin->Reset();
    return true;
  }
  Status status() const override { return {}; }

 private:
  void Show() {
    current_.valid = cursor_.Valid();
    if (!current_.valid) return;
    current_.key = cursor_.entry().key();
    current_.value = cursor_.entry().value();
  }

  const MemTable* const memtable_;
  MemTableTree::Cursor cursor_;
  IteratorEntry current_;
  std::string hidden_end_;  // scratch
};

}  // namespace

MemTable::MemTable(const KeyOrder& order, SequenceNumber earliest,
                   FileNumber log_number, size_t bloom_bytes,
                   std::shared_ptr<WriteBufferManager> manager)
    : charge_(std::move(manager)),
      tree_(order, &arena_),
      tombstones_(order, &arena_),
      // A filter sees only bytes.
      bloom_(bloom_bytes > 0 && order.equal_keys() != EqualKeys::kMayDiffer
                 ? std::make_unique<DynamicBloom>(bloom_bytes)
                 : nullptr),
      earliest_(earliest),
      log_number_(log_number) {}

void MemTable::Add(SequenceNumber sequence, ValueType type, const Slice& key,
                   const Slice& value) {
  TAMIS_CHECK(sequence >= earliest_);
  TAMIS_DCHECK(last_valid_ == kMaxSequenceNumber);
  if (type == kTypeRangeDeletion &&
      tree_.order().CompareUserKeys(key, value) >= 0) {
    return;
  }
  if (type == kTypeRangeDeletion) {
    tombstones_.Add(sequence, key, value);
  } else {
    if (bloom_) bloom_->Add(FilterKey(key));
    tree_.Insert(key, PackSequenceAndType(sequence, type), value,
                 static_cast<uint32_t>(tombstones_.count()));
  }
  newest_.store(sequence, std::memory_order_relaxed);

  if (type == kTypeDeletion || type == kTypeSingleDeletion ||
      type == kTypeRangeDeletion) {
    Bump(&num_deletes_, 1);
  }
  Bump(&num_entries_, 1);
  // Stored only once, so that readers keep the cache line.
  if (!used_.load(std::memory_order_relaxed)) {
    used_.store(true, std::memory_order_relaxed);
  }
}

void MemTable::Get(const LookupKey& key, const FilterKey& filter_key,
                   GetContext* context) const {
  // Range tombstones come first, because the filter does not have them.
  if (const TombstoneTree::View tombstones = tombstones_.At(key.sequence());
      !tombstones.empty()) [[unlikely]] {
    context->CoverBy(tombstones.Covering(key.user_key()));
  }
  if (bloom_) {
    if (!bloom_->MayMatch(filter_key)) {
      TAMIS_PERF_COUNT(bloom_memtable_miss_count, 1);
      return;
    }
    TAMIS_PERF_COUNT(bloom_memtable_hit_count, 1);
  }
  TAMIS_PERF_COUNT(get_from_memtable_count, 1);
  if (!used_.load(std::memory_order_relaxed)) return;
  const KeyOrder& order = tree_.order();
  const Slice user_key = key.user_key();
  MemTableTree::Cursor cursor(&tree_);
  for (cursor.SeekInKey(key.internal_key()); cursor.Valid(); cursor.Next()) {
    const MemTableEntry& entry = cursor.entry();
    const Slice found = entry.user_key();
    if (order.CompareUserKeys(found, user_key) != 0) return;
    const uint64_t tail = entry.tail();
    const ParsedInternalKey parsed{.user_key = found,
                                   .sequence = tail >> 8,
                                   .type = static_cast<ValueType>(tail & 0xff)};
    if (!context->Consume(parsed, entry.value(), nullptr)) return;
  }
}

std::unique_ptr<InternalIterator> MemTable::NewIterator() const {
  return std::make_unique<MemTableIterator>(this, &tree_);
}

SequenceNumber MemTable::NewestUpTo(uint32_t mark) const {
  return mark < tombstones_.count() ? tombstones_.SequenceOf(mark + 1) - 1
                                    : newest_.load(std::memory_order_relaxed);
}

std::string MemTable::DebugString(size_t lines_max) const {
  std::string text = "memtable: entries " + std::to_string(num_entries()) +
                     ", deletes " + std::to_string(num_deletes()) + ", bytes " +
                     std::to_string(ApproximateMemoryUsage()) + ", log " +
                     log_number_.ToString() + ", earliest " +
                     std::to_string(earliest_) + "\n";
  size_t lines = 0;
  MemTableTree::Cursor cursor(&tree_);
  for (cursor.SeekToFirst(); cursor.Valid() && lines < lines_max;
       cursor.Next(), ++lines) {
    const MemTableEntry& entry = cursor.entry();
    std::string key = entry.user_key().ToString();
    PutFixed64(&key, entry.tail());
    text += "  " + PrintableInternalKey(key) + " = " +
            Printable(entry.value()) + "\n";
  }
  std::vector<RangeTombstone> tombstones;
  AppendRangeTombstones(&tombstones);
  for (size_t i = 0; i < std::min(tombstones.size(), lines_max); ++i) {
    text += "  [" + Printable(tombstones[i].begin) + ", " +
            Printable(tombstones[i].end) + ") deleted at " +
            std::to_string(tombstones[i].sequence) + "\n";
  }
  return text;
}

}  // namespace tamis
