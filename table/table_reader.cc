// SPDX-License-Identifier: Apache-2.0
//
// Reading from an open table: the point read and the iterator.
#include "table/table_reader.h"

#include <utility>

#include "table/table_iterator.h"
#include "table/table_reader_rep.h"
#include "util/perf_counters.h"

namespace tamis {

namespace {

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

// One answer of a filter, counted.
bool Asked(bool may_match, const ReadContext& context) {
  if (may_match) {
    CountFilterMaybe(context);
  } else {
    CountFilterNo(context);
  }
  return may_match;
}

// What one data block has to say about a key.
enum class BlockAnswer : uint8_t {
  kDone,    // enough was seen, or the next key of the table is another one
  kRunsOn,  // the block ended first: versions may go on in the next one
  kUnreadable
};

// Shows `get` the versions of the key that the iterator stands at. *seen: any
// was there.
BlockAnswer ConsumeVersions(const KeyOrder& order, const LookupKey& key,
                            BlockIterator* it, GetContext* get, bool* seen,
                            Status* status) {
  for (it->Seek(key.internal_key()); it->Valid(); it->Next()) {
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
    if (!get->Consume(parsed, it->value(), it->pin())) {
      return BlockAnswer::kDone;
    }
  }
  *status = it->status();
  return status->ok() ? BlockAnswer::kRunsOn : BlockAnswer::kUnreadable;
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
  const FilterBlockReader* const filter = r.filter.get();
  const bool by_block =
      filter != nullptr && filter->placement() == FilterPlacement::kBlockBased;
  if (filter != nullptr && !by_block &&
      !Asked(filter->KeyMayMatch(filter_key, key.user_key(), context),
             context)) {
    return Status::OK();
  }
  bool seen = false;
  Status status;
  const KeyOrder& order = r.context.order;
  IndexIterator index(r.index.get(), &context);
  BlockIterator data;
  for (index.Seek(key.internal_key()); index.Valid(); index.Next()) {
    if (by_block && !Asked(filter->BlockMayMatch(
                               filter_key, index.handle().offset, context),
                           context)) {
      break;
    }
    Result<PinnedBytes> block = r.FindDataBlock(index.handle(), context);
    if (!block.ok()) return block.status();
    data.Open(std::move(*block), r.data_format(),
              {&r.context.file_name, index.handle().offset});
    const BlockAnswer answer =
        ConsumeVersions(order, key, &data, get, &seen, &status);
    if (answer == BlockAnswer::kUnreadable) return status;
    if (answer == BlockAnswer::kDone ||
        !MayRunOn(*r.index_format, order, index.separator(), key.user_key())) {
      break;
    }
  }
  if (!index.status().ok()) return index.status();
  if (seen && filter != nullptr) CountFilterRight(context);
  return Status::OK();
}

std::unique_ptr<InternalIterator> TableReader::NewIterator(
    const ReadContext& context) const {
  return std::make_unique<TableIterator>(rep_.get(), context);
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
