// SPDX-License-Identifier: Apache-2.0
#include "filter/filter_rate.h"

#include <string>

#include "util/coding/coding.h"

namespace tamis {

Result<std::vector<Slice>> SplitFilterChunks(const Slice& block) {
  constexpr size_t kTail = sizeof(uint32_t) + 1;
  if (block.size() < kTail) return Status::Corruption("filter without a tail");
  const uint32_t array = DecodeFixed32(block.end() - kTail);
  if (array > block.size() - kTail ||
      (block.size() - kTail - array) % sizeof(uint32_t) != 0) {
    return Status::Corruption("filter offsets at " + std::to_string(array) +
                              " of " + std::to_string(block.size()) + " bytes");
  }
  std::vector<Slice> chunks;
  // The last offset is followed by `array`, the end of the last chunk.
  Decoder offsets(Slice(block.data() + array, block.size() - 1 - array));
  uint32_t begin = offsets.Fixed32();
  while (!offsets.empty()) {
    const uint32_t end = offsets.Fixed32();
    if (begin > end || end > array) {
      return Status::Corruption("filter chunk from " + std::to_string(begin) +
                                " to " + std::to_string(end));
    }
    if (end > begin) chunks.emplace_back(block.data() + begin, end - begin);
    begin = end;
  }
  return chunks;
}

double PredictedFilterRate(const FilterLocator& where,
                           std::span<const Slice> filters, uint64_t entries) {
  uint64_t total = 0;
  for (const Slice& filter : filters) total += filter.size();
  if (total == 0) return 1;
  const FilterOpener opener(where);
  double rate = 0;
  for (const Slice& filter : filters) {
    const FilterCodec* const codec = opener.Find(filter);
    if (codec == nullptr) return 1;
    const double share =
        static_cast<double>(filter.size()) / static_cast<double>(total);
    const auto its_entries =
        static_cast<size_t>(share * static_cast<double>(entries) + 0.5);
    rate += share * codec->PredictedFalsePositiveRate(filter, its_entries);
  }
  return rate;
}

double PredictedRangeFilterRate(const RangeFilterCodec& codec,
                                std::span<const Slice> filters) {
  if (filters.empty()) return 1;
  double sum = 0;
  for (const Slice& filter : filters) {
    sum += codec.PredictedFalsePositiveRate(filter);
  }
  return sum / static_cast<double>(filters.size());
}

}  // namespace tamis
