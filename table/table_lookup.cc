// SPDX-License-Identifier: Apache-2.0
#include "table/table_lookup.h"

#include <utility>

#include "table/block_tags.h"

namespace tamis {

TableLookup::TableLookup(const TableReader& table, const LookupKey& key,
                         const FilterKey& filter_key,
                         const ReadContext& context, GetContext* get)
    : table_(*table.rep_),
      key_(key),
      filter_key_(filter_key),
      get_(get),
      context_(context),
      filter_(table_.filter.get(), table_.filter_has_whole_keys,
              table_.filter_prefixes, filter_key, context),
      target_(&key),
      index_(table_.index.get(), &context, IndexIterator::Hold::kByGuard) {}

bool TableLookup::AskFilter() {
  over_ = !filter_.TableMayMatch();
  return !over_;
}

bool TableLookup::FindBlock() {
  if (table_.global_sequence != 0) [[unlikely]] {
    if (table_.global_sequence > key_.sequence()) {
      over_ = true;
      return false;
    }
    newest_ =
        std::make_unique<const LookupKey>(key_.user_key(), kMaxSequenceNumber);
    target_ = newest_.get();
  }
  index_.Seek(target_->internal_key());
  if (!index_.Valid()) return false;
  index_.PrefetchPlace();
  over_ = !BlockMayMatch();
  return !over_;
}

void TableLookup::PrefetchBlock() {
  if (over_ || !index_.Valid()) return;
  prefetched_ = BlockCache::Peek(*index_.place().slot);
  if (prefetched_ == nullptr) return;
  __builtin_prefetch(prefetched_);
  BlockTags::PrefetchTags(prefetched_->side());
}

void TableLookup::PrefetchSlot() const {
  if (prefetched_ == nullptr || prefetched_->side_bytes() == 0) return;
  BlockTags(prefetched_->side(), prefetched_->bytes())
      .PrefetchSlot(filter_key_.Hash64());
}

void TableLookup::PrefetchEntry() const {
  if (prefetched_ == nullptr || prefetched_->side_bytes() == 0) return;
  BlockTags(prefetched_->side(), prefetched_->bytes())
      .PrefetchEntry(filter_key_.Hash64());
}

Result<PinnedBytes> TableLookup::FindDataBlock(LastBlock* last) const {
  if (last == nullptr) return table_.FindDataBlock(index_, context_);
  const uint64_t offset = index_.handle().offset;
  if (last->index == table_.index.get() && last->offset == offset) {
    return last->block.Share();
  }
  Result<PinnedBytes> block = table_.FindDataBlock(index_, context_);
  if (block.ok() && index_.place().slot->empty()) {
    *last = {table_.index.get(), offset, block->Share()};
  }
  return block;
}

Status TableLookup::Search(LastBlock* last) {
  Status status;
  while (!over_ && index_.Valid()) {
    Result<PinnedBytes> block = FindDataBlock(last);
    if (!block.ok()) return block.status();
    const BlockAnswer answer = AskBlock(*std::move(block), &status);
    if (answer == BlockAnswer::kUnreadable) return status;
    if (answer == BlockAnswer::kDone ||
        (answer == BlockAnswer::kRunsOn && !MayRunOn())) {
      break;
    }
    index_.Next();
    if (!index_.Valid() || !BlockMayMatch()) break;
  }
  if (!index_.status().ok()) return index_.status();
  if (seen_) filter_.CountFound();
  return Status::OK();
}

// By its tags, where these can say all there is to say.
TableLookup::BlockAnswer TableLookup::AskBlock(PinnedBytes block,
                                               Status* status) {
  const BlockBuffer* const node = block.buffer();
  if (node != nullptr && node->side_bytes() > 0 && table_.global_sequence == 0)
      [[likely]] {
    // The slot's line is on its way before it is known which one it is.
    if (node != prefetched_) BlockTags::Prefetch(node->side());
    BlockTags::Found found;
    if (!BlockTags(node->side(), node->bytes())
             .Find(key_.user_key(), filter_key_.Hash64(),
                   ExtractTail(key_.internal_key()), &found)) {
      return BlockAnswer::kRunsOn;
    }
    const auto type = static_cast<ValueType>(found.tail & 0xff);
    if (type == kTypeValue || type == kTypeDeletion ||
        type == kTypeSingleDeletion) {
      seen_ = true;
      get_->Consume({.user_key = key_.user_key(),
                     .sequence = found.tail >> 8,
                     .type = type},
                    found.value, &block);
      return BlockAnswer::kDone;
    }
    // Older versions are wanted, too.
  }
  return WalkBlock(std::move(block), status);
}

// Shows `get` the versions of the key that the block holds, as if of the global
// sequence if that is not 0.
TableLookup::BlockAnswer TableLookup::WalkBlock(PinnedBytes block,
                                                Status* status) {
  const KeyOrder& order = table_.context.order;
  BlockIterator it;
  it.Open(std::move(block), table_.data_format(),
          {&table_.context.file_name, index_.handle().offset});
  const bool by_order = it.SeekForGet(target_->internal_key());
  for (; it.Valid(); it.Next()) {
    if (order.CompareUserKeys(ExtractUserKey(it.key()), key_.user_key()) != 0) {
      return BlockAnswer::kDone;
    }
    ParsedInternalKey parsed;
    if (!ParseInternalKey(it.key(), &parsed)) {
      *status = it.origin().Corruption("key " + PrintableInternalKey(it.key()) +
                                       " is of no type that tables store");
      return BlockAnswer::kUnreadable;
    }
    seen_ = true;
    if (table_.global_sequence != 0) [[unlikely]] {
      parsed.sequence = table_.global_sequence;
    }
    if (!get_->Consume(parsed, it.value(), it.pin())) {
      return BlockAnswer::kDone;
    }
  }
  *status = it.status();
  if (!status->ok()) return BlockAnswer::kUnreadable;
  return by_order ? BlockAnswer::kRunsOn : BlockAnswer::kAskNext;
}

// Whether versions of the key may go on behind the block that ends at this
// separator. Only then do the last key before it and the first key behind it
// share a user key, and the separator, an internal key, has it too.
bool TableLookup::MayRunOn() const {
  return !table_.index_format->user_keys() &&
         table_.context.order.CompareUserKeys(
             ExtractUserKey(index_.separator()), key_.user_key()) == 0;
}

}  // namespace tamis
