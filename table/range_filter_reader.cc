// SPDX-License-Identifier: Apache-2.0
#include "table/range_filter_reader.h"

#include <string>
#include <utility>

#include "util/stats/perf_counters.h"

namespace tamis {

RangeFilterReader::RangeFilterReader(
    const RangeFilterCodec* codec, FilterPlacement placement, ByteBuffer block,
    const BlockHandle& handle, const IndexFormat* format,
    const BlockFetcher* fetcher, const MetadataPins& pins,
    const ReadContext& context)
    : codec_(*codec),
      fetcher_(*fetcher),
      loader_(placement, std::move(block), handle, format, fetcher, pins,
              context) {
  if (const std::optional<Slice> whole = loader_.Whole()) {
    kept_.emplace(codec_.Open(*whole));
  }
}

bool RangeFilterReader::MayMatch(const Slice& begin, const Slice& end,
                                 const ReadContext& context) const {
  const bool may_match =
      kept_ ? kept_->MayMatch(begin, end) : LoadedMayMatch(begin, end, context);
  if (may_match) {
    TAMIS_PERF_COUNT(range_filter_hit_count, 1);
  } else {
    TAMIS_PERF_COUNT(range_filter_miss_count, 1);
  }
  return may_match;
}

bool RangeFilterReader::LoadedMayMatch(const Slice& begin, const Slice& end,
                                       const ReadContext& context) const {
  const EpochDomain::Guard guard(fetcher_.epochs());
  FilterPosition at;
  if (!loader_.Find(begin, context, &at).ok()) return true;
  if (loader_.is_partitioned()) {
    KeyBuffer buffer;
    const Slice last_key = loader_.SeparatorOf(at, &buffer);
    if (last_key.compare(begin) < 0) return false;  // after the last partition
    if (last_key.compare(end) < 0) return true;
  }
  const Result<PinnedBytes> filter = loader_.Load(at, context);
  return !filter.ok() || codec_.Open(filter->bytes()).MayMatch(begin, end);
}

bool RangeFilterReader::KeyMayMatch(const Slice& user_key,
                                    const ReadContext& context) const {
  std::string end;
  end.reserve(user_key.size() + 1);
  end.assign(user_key.data(), user_key.size());
  end.push_back('\0');
  return MayMatch(user_key, end, context);
}

}  // namespace tamis
