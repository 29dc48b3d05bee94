// SPDX-License-Identifier: Apache-2.0
//
// Reading from an open table: the point read and the iterator.
#include "table/table_reader.h"

#include <optional>
#include <utility>

#include "table/global_sequence_iterator.h"
#include "table/table_iterator.h"
#include "table/table_reader_rep.h"
#include "util/perf_counters.h"

namespace tamis {

namespace {

// What a filter is asked for.
enum class FilterEntryKind : uint8_t { kWholeKey, kPrefix };

void CountFilterNo(const ReadContext& context) {
  TAMIS_PERF_COUNT(bloom_sst_miss_count, 1);
  if (PerfContextByLevel* const level = PerfByLevel(context.level)) {
    ++level->bloom_filter_useful;
  }
  RecordTick(context.statistics, BLOOM_FILTER_USEFUL);
}

void CountFilterMaybe(const ReadContext& context) {
  TAMIS_PERF_COUNT(bloom_sst_hit_count, 1);
  if (PerfContextByLevel* const level = PerfByLevel(context.level)) {
    ++level->bloom_filter_full_positive;
  }
  RecordTick(context.statistics, BLOOM_FILTER_FULL_POSITIVE);
}

void CountFilterRight(const ReadContext& context) {
  if (PerfContextByLevel* const level = PerfByLevel(context.level)) {
    ++level->bloom_filter_full_true_positive;
  }
  RecordTick(context.statistics, BLOOM_FILTER_FULL_TRUE_POSITIVE);
}

// One answer of a filter, counted. A filter that was asked for a prefix is
// counted apart from one that was asked for a key.
bool Asked(FilterEntryKind kind, bool may_match, const ReadContext& context) {
  if (kind == FilterEntryKind::kPrefix) {
    RecordTick(context.statistics, BLOOM_FILTER_PREFIX_CHECKED);
    if (may_match) {
      TAMIS_PERF_COUNT(bloom_sst_hit_count, 1);
    } else {
      TAMIS_PERF_COUNT(bloom_sst_miss_count, 1);
      RecordTick(context.statistics, BLOOM_FILTER_PREFIX_USEFUL);
    }
  } else if (may_match) {
    CountFilterMaybe(context);
  } else {
    CountFilterNo(context);
  }
  return may_match;
}

// Asks the filter of a table on behalf of one Get: for the key, or, where the
// filter holds prefixes alone, for the prefix of it.
class KeyFilter {
 public:
  // All outlive *this.
  KeyFilter(const FilterBlockReader* filter, bool whole_keys,
            const SliceTransform* prefixes, const FilterKey& key,
            const ReadContext& context)
      : filter_(filter), key_(key), context_(context) {
    if (filter == nullptr) return;
    if (whole_keys) {
      entry_ = &key;
    } else if (prefixes != nullptr && prefixes->InDomain(key.user_key())) {
      prefix_.emplace(prefixes->Transform(key.user_key()));
      entry_ = &*prefix_;
      kind_ = FilterEntryKind::kPrefix;
    }
  }
  KeyFilter(const KeyFilter&) = delete;
  KeyFilter& operator=(const KeyFilter&) = delete;

  bool TableMayMatch() {
    if (entry_ == nullptr || by_block()) return true;
    asked_ = true;
    return Asked(kind_,
                 filter_->KeyMayMatch(*entry_, key_.user_key(), context_),
                 context_);
  }
  bool BlockMayMatch(uint64_t data_block_offset) {
    if (entry_ == nullptr || !by_block()) return true;
    asked_ = true;
    return Asked(kind_,
                 filter_->BlockMayMatch(*entry_, data_block_offset, context_),
                 context_);
  }
  // The key was there.
  void CountFound() const {
    if (!asked_) return;
    if (kind_ == FilterEntryKind::kPrefix) {
      RecordTick(context_.statistics, BLOOM_FILTER_PREFIX_TRUE_POSITIVE);
    } else {
      CountFilterRight(context_);
    }
  }

 private:
  bool by_block() const {
    return filter_->placement() == FilterPlacement::kBlockBased;
  }

  const FilterBlockReader* const filter_;
  const FilterKey& key_;
  const ReadContext& context_;
  const FilterKey* entry_ = nullptr;  // nullptr: the filter is not asked
  std::optional<FilterKey> prefix_;
  FilterEntryKind kind_ = FilterEntryKind::kWholeKey;
  bool asked_ = false;
};

// What one data block has to say about a key.
enum class BlockAnswer : uint8_t {
  kDone,     // enough was seen, or the next key of the table is another one
  kRunsOn,   // the block ended first: versions may go on in the next one
  kAskNext,  // the block has none: the next one may, by its hash index
  kUnreadable
};

// Shows `get` the versions of the key that the block holds, as if of the global
// sequence if that is not 0. *seen: any was there.
BlockAnswer ConsumeVersions(const KeyOrder& order, const LookupKey& key,
                            SequenceNumber global_sequence, BlockIterator* it,
                            GetContext* get, bool* seen, Status* status) {
  const bool by_order = it->SeekForGet(key.internal_key());
  for (; it->Valid(); it->Next()) {
    if (order.CompareUserKeys(ExtractUserKey(it->key()), key.user_key()) != 0) {
      return BlockAnswer::kDone;
    }
    ParsedInternalKey parsed;
    if (!ParseInternalKey(it->key(), &parsed)) {
      *status =
          it->origin().Corruption("key " + InternalKeyToString(it->key()) +
                                  " is of no type that tables store");
      return BlockAnswer::kUnreadable;
    }
    *seen = true;
    if (global_sequence != 0) [[unlikely]]
      parsed.sequence = global_sequence;
    if (!get->Consume(parsed, it->value(), it->pin())) {
      return BlockAnswer::kDone;
    }
  }
  *status = it->status();
  if (!status->ok()) return BlockAnswer::kUnreadable;
  return by_order ? BlockAnswer::kRunsOn : BlockAnswer::kAskNext;
}

// Whether versions of the key may go on behind the block that ends at this
// separator. Only then do the last key before it and the first key behind it
// share a user key, and the separator, an internal key, has it too.
bool MayRunOn(const IndexFormat& format, const KeyOrder& order,
              const Slice& separator, const Slice& user_key) {
  return !format.user_keys() &&
         order.CompareUserKeys(ExtractUserKey(separator), user_key) == 0;
}

}  // namespace

TableReader::TableReader(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}
TableReader::~TableReader() = default;

Status TableReader::Get(const LookupKey& key, const FilterKey& filter_key,
                        const ReadContext& context, GetContext* get) const {
  const Rep& r = *rep_;
  KeyFilter filter(r.filter.get(), r.filter_has_whole_keys, r.filter_prefixes,
                   filter_key, context);
  if (!filter.TableMayMatch()) return Status::OK();
  bool seen = false;
  Status status;
  const KeyOrder& order = r.context.order;
  std::optional<LookupKey> newest;
  const LookupKey* target = &key;
  if (r.global_sequence != 0) [[unlikely]] {
    if (r.global_sequence > key.sequence()) return Status::OK();
    target = &newest.emplace(key.user_key(), kMaxSequenceNumber);
  }
  IndexIterator index(r.index.get(), &context);
  BlockIterator data;
  for (index.Seek(target->internal_key()); index.Valid(); index.Next()) {
    if (!filter.BlockMayMatch(index.handle().offset)) break;
    Result<PinnedBytes> block = r.FindDataBlock(index.handle(), context);
    if (!block.ok()) return block.status();
    data.Open(std::move(*block), r.data_format(),
              {&r.context.file_name, index.handle().offset});
    const BlockAnswer answer = ConsumeVersions(
        order, *target, r.global_sequence, &data, get, &seen, &status);
    if (answer == BlockAnswer::kUnreadable) return status;
    if (answer == BlockAnswer::kAskNext) continue;
    if (answer == BlockAnswer::kDone ||
        !MayRunOn(*r.index_format, order, index.separator(), key.user_key())) {
      break;
    }
  }
  if (!index.status().ok()) return index.status();
  if (seen) filter.CountFound();
  return Status::OK();
}

bool TableReader::KeyMayMatch(const Slice& user_key,
                              const ReadContext& context) const {
  const Rep& r = *rep_;
  const FilterKey key(user_key);
  KeyFilter filter(r.filter.get(), r.filter_has_whole_keys, r.filter_prefixes,
                   key, context);
  if (!filter.TableMayMatch()) return false;
  const LookupKey newest(user_key, kMaxSequenceNumber);
  IndexIterator index(r.index.get(), &context);
  index.Seek(newest.internal_key());
  if (!index.Valid()) return !index.status().ok();
  return filter.BlockMayMatch(index.handle().offset);
}

bool TableReader::Rep::PrefixMayMatch(const Slice& user_key,
                                      const ReadContext& read) const {
  if (filter == nullptr || filter_prefixes == nullptr ||
      filter->placement() == FilterPlacement::kBlockBased ||
      !filter_prefixes->InDomain(user_key)) {
    return true;
  }
  const FilterKey prefix(filter_prefixes->Transform(user_key));
  return Asked(FilterEntryKind::kPrefix,
               filter->KeyMayMatch(prefix, user_key, read), read);
}

std::unique_ptr<InternalIterator> TableReader::NewIterator(
    const ReadContext& context) const {
  auto stored = std::make_unique<TableIterator>(rep_.get(), context);
  if (rep_->global_sequence == 0) return stored;
  return std::make_unique<GlobalSequenceIterator>(
      std::move(stored), rep_->context.order, rep_->global_sequence);
}

Result<std::vector<RangeTombstone>> TableReader::ReadRangeTombstones() const {
  return rep_->ReadRangeTombstones();
}

uint64_t TableReader::ApproximateOffsetOf(const Slice& internal_key) const {
  const ReadContext context;
  IndexIterator index(rep_->index.get(), &context);
  index.Seek(internal_key);
  if (index.Valid()) return index.handle().offset;
  // Behind the last key: data ends before the metaindex, exactly where the
  // properties say, if they do.
  const uint64_t data_size = rep_->properties->data_size;
  return data_size != 0 ? data_size : rep_->footer.metaindex.offset;
}

const std::shared_ptr<const TableProperties>& TableReader::properties() const {
  return rep_->properties;
}

size_t TableReader::ApproximateMemoryUsage() const {
  return sizeof(*this) + sizeof(Rep) + rep_->index->memory_usage() +
         (rep_->filter_loader != nullptr ? rep_->filter_loader->memory_usage()
                                         : 0);
}

}  // namespace tamis
