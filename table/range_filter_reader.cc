// SPDX-License-Identifier: Apache-2.0
#include "table/range_filter_reader.h"

#include <string>
#include <utility>

#include "util/stats/perf_counters.h"

namespace tamis {

Result<std::unique_ptr<const RangeFilterReader>> RangeFilterReader::Open(
    const RangeFilterCodec* codec, ByteBuffer block, const BlockHandle& handle,
    const BlockFetcher* fetcher, bool leave_to_cache) {
  std::unique_ptr<RangeFilterReader> reader(
      new RangeFilterReader(codec, handle, fetcher));
  TAMIS_RETURN_IF_ERROR(reader->root_.Open(std::move(block), leave_to_cache));
  if (reader->root_.kept() != nullptr) {
    reader->kept_.emplace(codec->Open(reader->root_.kept()->bytes()));
  }
  return std::unique_ptr<const RangeFilterReader>(std::move(reader));
}

bool RangeFilterReader::MayMatch(const Slice& begin, const Slice& end,
                                 const ReadContext& context) const {
  bool may_match = true;
  if (kept_) {
    may_match = kept_->MayMatch(begin, end);
  } else {
    const EpochDomain::Guard guard(fetcher_.epochs());
    const Result<PinnedBytes> block = root_.Load(context);
    if (!block.ok()) return true;
    may_match = codec_.Open(block->bytes()).MayMatch(begin, end);
  }
  if (may_match) {
    TAMIS_PERF_COUNT(range_filter_hit_count, 1);
  } else {
    TAMIS_PERF_COUNT(range_filter_miss_count, 1);
  }
  return may_match;
}

bool RangeFilterReader::KeyMayMatch(const Slice& user_key,
                                    const ReadContext& context) const {
  if (!codec_.answers_for_keys()) return true;
  std::string end;
  end.reserve(user_key.size() + 1);
  end.assign(user_key.data(), user_key.size());
  end.push_back('\0');
  return MayMatch(user_key, end, context);
}

}  // namespace tamis
