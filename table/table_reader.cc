// SPDX-License-Identifier: Apache-2.0
//
// Reads from an open table, except point reads (table_lookup.cc).
#include "table/table_reader.h"

#include <optional>
#include <utility>

#include "table/global_sequence_iterator.h"
#include "table/key_filter.h"
#include "table/table_iterator.h"
#include "table/table_reader_rep.h"
#include "util/stats/perf_counters.h"

namespace tamis {

TableReader::TableReader(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}
TableReader::~TableReader() = default;

void TableReader::PrefetchFilter(const FilterKey& filter_key) const {
  if (!rep_->filter_has_whole_keys || rep_->filter == nullptr) return;
  if (const FilterView* const kept = rep_->filter->kept()) {
    kept->PrefetchFor(filter_key);
  }
}

bool TableReader::KeyMayMatch(const Slice& user_key,
                              const ReadContext& context) const {
  const Rep& r = *rep_;
  const EpochDomain::Guard guard(r.fetcher.epochs());
  const FilterKey key(user_key);
  KeyFilter filter(r.filter_of_keys(), key, context);
  if (!filter.TableMayMatch()) return false;
  if (r.key_range_filter() != nullptr &&
      !r.key_range_filter()->KeyMayMatch(user_key, context)) {
    return false;
  }
  const LookupKey newest(user_key, kMaxSequenceNumber);
  IndexIterator index(r.index.get(), &context);
  index.Seek(newest.internal_key());
  if (!index.Valid()) return !index.status().ok();
  return !filter.is_by_block() || filter.BlockMayMatch(index.handle().offset);
}

bool TableReader::Rep::PrefixMayMatch(const Slice& user_key,
                                      const ReadContext& read) const {
  if (filter == nullptr || filter_prefixes == nullptr ||
      filter->placement() == FilterPlacement::kBlockBased ||
      !filter_prefixes->InDomain(user_key)) {
    return true;
  }
  const FilterKey prefix(filter_prefixes->Transform(user_key));
  return CountFilterAnswer(FilterEntryKind::kPrefix,
                           filter->KeyMayMatch(prefix, user_key, read), read);
}

std::unique_ptr<InternalIterator> TableReader::NewIterator(
    const ReadContext& context) const {
  const PerfTimer timer(&tls_perf_context.new_table_iterator_nanos);
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
  // After the last key: the end of the data, by the properties; or else the
  // metaindex, which comes after it.
  const uint64_t data_size = rep_->properties->data_size;
  return data_size != 0 ? data_size : rep_->footer.metaindex.offset;
}

const std::shared_ptr<const TableProperties>& TableReader::properties() const {
  return rep_->properties;
}

TableFormat TableReader::format() const { return rep_->format; }

size_t TableReader::ApproximateMemoryUsage() const {
  // About: the file, the metaindex, the readers of index and filter; and what
  // the database keeps of a table in its versions, open or not.
  constexpr size_t kPartsBytes = 2 << 10;
  return sizeof(*this) + sizeof(Rep) + kPartsBytes + rep_->translation_bytes +
         rep_->properties->ApproximateMemoryUsage() +
         rep_->index->memory_usage() + rep_->fetcher.dictionary_memory_usage() +
         (rep_->range_filter != nullptr ? rep_->range_filter->memory_usage()
                                        : 0) +
         (rep_->filter_loader != nullptr ? rep_->filter_loader->memory_usage()
                                         : 0);
}

}  // namespace tamis
