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

}  // namespace

class MemTableIterator : public InternalIterator {
 public:
  explicit MemTableIterator(const SkipList* list) : list_(list) {}

  bool Valid() const override { return node_ != nullptr; }
  void SeekToFirst() override { node_ = list_->First(); }
  void SeekToLast() override { node_ = list_->Last(); }
  void Seek(const Slice& target) override {
    TAMIS_PERF_COUNT(seek_on_memtable_count, 1);
    node_ = list_->Seek(target);
  }
  void SeekForPrev(const Slice& target) override {
    TAMIS_PERF_COUNT(seek_on_memtable_count, 1);
    node_ = list_->Seek(target);
    if (node_ != nullptr && list_->order().Compare(node_->key(), target) == 0) {
      return;
    }
    node_ = list_->LastBefore(target);
  }

  void Next() override {
    TAMIS_DCHECK(Valid());
    node_ = list_->Next(node_);
  }
  void Prev() override {
    TAMIS_DCHECK(Valid());
    node_ = list_->Prev(node_);
  }
  Slice key() const override { return node_->key(); }
  Slice value() const override { return node_->value(); }
  Status status() const override { return {}; }

 private:
  const SkipList* const list_;
  const SkipList::Node* node_ = nullptr;
};

MemTable::MemTable(const KeyOrder& order, SequenceNumber earliest,
                   uint64_t log_number, size_t bloom_bytes)
    : earliest_(earliest),
      log_number_(log_number),
      list_(order, &arena_),
      // A filter knows bytes alone.
      bloom_(bloom_bytes > 0 && order.equal_keys_have_equal_bytes()
                 ? std::make_unique<DynamicBloom>(bloom_bytes)
                 : nullptr) {}

void MemTable::Add(SequenceNumber sequence, ValueType type, const Slice& key,
                   const Slice& value) {
  TAMIS_CHECK(sequence >= earliest_);
  if (type == kTypeRangeDeletion &&
      list_.order().CompareUserKeys(key, value) >= 0) {
    return;
  }
  if (type == kTypeRangeDeletion) {
    AddTombstone(sequence, key, value);
  } else {
    if (bloom_) bloom_->Add(FilterKey(key));
    list_.Insert(key, PackSequenceAndType(sequence, type), value);
  }

  if (type == kTypeDeletion || type == kTypeSingleDeletion ||
      type == kTypeRangeDeletion) {
    Bump(&num_deletes_, 1);
  }
  Bump(&data_bytes_, key.size() + value.size());
  if (empty() || sequence < first_sequence()) {
    first_sequence_.store(sequence, std::memory_order_relaxed);
  }
  if (sequence > last_sequence()) {
    last_sequence_.store(sequence, std::memory_order_relaxed);
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
  const KeyOrder& order = list_.order();
  const Slice user_key = key.user_key();
  for (const SkipList::Node* node = list_.Seek(key.internal_key());
       node != nullptr; node = list_.Next(node)) {
    const Slice internal_key = node->key();
    const Slice found = ExtractUserKey(internal_key);
    if (order.CompareUserKeys(found, user_key) != 0) return;
    const uint64_t tail = ExtractTail(internal_key);
    const ParsedInternalKey parsed{.user_key = found,
                                   .sequence = tail >> 8,
                                   .type = static_cast<ValueType>(tail & 0xff)};
    if (!context->Consume(parsed, node->value(), nullptr)) return;
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
  const KeyOrder& order = list_.order();
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
    fragments_ = std::make_shared<const RangeTombstoneFragments>(list_.order(),
                                                                 tombstones);
    fragmented_ = newest.number;
  }
  return {fragmented_, fragments_};
}

std::unique_ptr<InternalIterator> MemTable::NewIterator() const {
  return std::make_unique<MemTableIterator>(&list_);
}

}  // namespace tamis
