// SPDX-License-Identifier: Apache-2.0
#include "db/memtable.h"

#include <vector>

#include "util/check.h"
#include "util/perf_counters.h"

namespace tamis {

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
      tombstones_(order, &arena_),
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
    tombstones_.Insert(key, PackSequenceAndType(sequence, type), value);
    num_tombstones_.store(Load(num_tombstones_) + 1, std::memory_order_release);
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
  if (const auto tombstones = RangeTombstones()) [[unlikely]] {
    context->CoverBy(tombstones->Covering(key.user_key(), key.sequence()));
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

std::shared_ptr<const RangeTombstoneFragments> MemTable::RangeTombstonesSlow()
    const {
  MutexLock lock(&fragments_mutex_);
  const uint64_t count = num_tombstones_.load(std::memory_order_acquire);
  if (fragmented_ == count) return fragments_;
  std::vector<RangeTombstone> tombstones;
  tombstones.reserve(count);
  for (const SkipList::Node* node = tombstones_.First(); node != nullptr;
       node = tombstones_.Next(node)) {
    tombstones.push_back({ExtractUserKey(node->key()).ToString(),
                          node->value().ToString(),
                          ExtractSequence(node->key())});
  }
  fragments_ = std::make_shared<const RangeTombstoneFragments>(list_.order(),
                                                               tombstones);
  fragmented_ = count;
  return fragments_;
}

std::unique_ptr<InternalIterator> MemTable::NewIterator() const {
  return std::make_unique<MemTableIterator>(&list_);
}

}  // namespace tamis
