// SPDX-License-Identifier: Apache-2.0
#include "db/memtable.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <tuple>
#include <type_traits>
#include <vector>

#include "util/check.h"
#include "util/perf_counters.h"

namespace tamis {

namespace {

// A point read asks so many tombstones one by one, without a lock.
constexpr uint64_t kFewTombstones = 32;
// And this part of more of them, rather than have fragments made anew. With n
// tombstones, one that is added costs about 32 log n steps of making.
constexpr uint64_t kUnfragmentedPart = 32;

Slice CopyTo(Arena* arena, const Slice& bytes) {
  if (bytes.empty()) return {};
  char* const copy = arena->Allocate(bytes.size());
  std::memcpy(copy, bytes.data(), bytes.size());
  return {copy, bytes.size()};
}

class MemTableIterator : public InternalIterator {
 public:
  explicit MemTableIterator(const MemTableTree* tree)
      : InternalIterator(&current_), cursor_(tree) {}

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
    cursor_.Seek(target);
    Show();
  }
  void SeekForPrev(const Slice& target) override {
    TAMIS_PERF_COUNT(seek_on_memtable_count, 1);
    cursor_.SeekForPrev(target);
    Show();
  }
  void Next() override {
    cursor_.Next();
    Show();
  }
  void Prev() override {
    cursor_.Prev();
    Show();
  }
  Status status() const override { return {}; }

 private:
  void Show() {
    current_.valid = cursor_.Valid();
    if (!current_.valid) return;
    current_.key = cursor_.entry().key();
    current_.value = cursor_.entry().value();
  }

  MemTableTree::Cursor cursor_;
  WalkEntry current_;
};

}  // namespace

MemTable::MemTable(const KeyOrder& order, SequenceNumber earliest,
                   uint64_t log_number, size_t bloom_bytes)
    : earliest_(earliest),
      log_number_(log_number),
      tree_(order, &arena_),
      // A filter knows bytes alone.
      bloom_(bloom_bytes > 0 && order.equal_keys_have_equal_bytes()
                 ? std::make_unique<DynamicBloom>(bloom_bytes)
                 : nullptr) {}

void MemTable::Add(SequenceNumber sequence, ValueType type, const Slice& key,
                   const Slice& value) {
  TAMIS_CHECK(sequence >= earliest_);
  if (type == kTypeRangeDeletion &&
      tree_.order().CompareUserKeys(key, value) >= 0) {
    return;
  }
  if (type == kTypeRangeDeletion) {
    AddTombstone(sequence, key, value);
  } else {
    if (bloom_) bloom_->Add(FilterKey(key));
    tree_.Insert(key, PackSequenceAndType(sequence, type), value);
  }

  if (type == kTypeDeletion || type == kTypeSingleDeletion ||
      type == kTypeRangeDeletion) {
    Bump(&num_deletes_, 1);
  }
  Bump(&num_entries_, 1);
}

void MemTable::Get(const LookupKey& key, const FilterKey& filter_key,
                   GetContext* context) const {
  // Before the filter, which knows keys alone.
  if (const Tombstone* const newest =
          newest_tombstone_.load(std::memory_order_acquire)) [[unlikely]] {
    context->CoverBy(Covering(*newest, key.user_key(), key.sequence()));
  }
  if (bloom_) {
    if (!bloom_->MayMatch(filter_key)) {
      TAMIS_PERF_COUNT(bloom_memtable_miss_count, 1);
      return;
    }
    TAMIS_PERF_COUNT(bloom_memtable_hit_count, 1);
  }
  TAMIS_PERF_COUNT(get_from_memtable_count, 1);
  if (empty()) return;
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

void MemTable::AddTombstone(SequenceNumber sequence, const Slice& begin,
                            const Slice& end) {
  const Tombstone* const older =
      newest_tombstone_.load(std::memory_order_relaxed);
  static_assert(std::is_trivially_destructible_v<Tombstone>);
  const auto* const added = new (arena_.AllocateAligned(sizeof(Tombstone)))
      Tombstone{.begin = CopyTo(&arena_, begin),
                .end = CopyTo(&arena_, end),
                .sequence = sequence,
                .number = older == nullptr ? 1 : older->number + 1,
                .older = older};
  newest_tombstone_.store(added, std::memory_order_release);
}

SequenceNumber MemTable::Covering(const Tombstone& newest,
                                  const Slice& user_key,
                                  SequenceNumber visible_at) const {
  SequenceNumber covering = 0;
  uint64_t fragmented = 0;
  if (newest.number > kFewTombstones) {
    Fragments fragments;
    std::tie(fragmented, fragments) = FragmentsUpTo(
        newest, std::max(kFewTombstones, newest.number / kUnfragmentedPart));
    covering = fragments->Covering(user_key, visible_at);
  }
  const KeyOrder& order = tree_.order();
  for (const Tombstone* t = &newest; t != nullptr && t->number > fragmented;
       t = t->older) {
    if (t->sequence > covering && t->sequence <= visible_at &&
        order.CompareUserKeys(t->begin, user_key) <= 0 &&
        order.CompareUserKeys(t->end, user_key) > 0) {
      covering = t->sequence;
    }
  }
  return covering;
}

std::pair<uint64_t, MemTable::Fragments> MemTable::FragmentsUpTo(
    const Tombstone& newest, uint64_t behind) const {
  MutexLock lock(&fragments_mutex_);
  // Another reader may be further.
  if (fragmented_ == 0 || newest.number > fragmented_ + behind) {
    std::vector<RangeTombstone> tombstones;
    tombstones.reserve(newest.number);
    for (const Tombstone* t = &newest; t != nullptr; t = t->older) {
      tombstones.push_back(
          {t->begin.ToString(), t->end.ToString(), t->sequence});
    }
    fragments_ = std::make_shared<const RangeTombstoneFragments>(tree_.order(),
                                                                 tombstones);
    fragmented_ = newest.number;
  }
  return {fragmented_, fragments_};
}

std::unique_ptr<InternalIterator> MemTable::NewIterator() const {
  return std::make_unique<MemTableIterator>(&tree_);
}

}  // namespace tamis
