// SPDX-License-Identifier: Apache-2.0
#include "tools/filter_bench/placed_filters.h"

#include <algorithm>

namespace tamis {

namespace {

// Sequence number and type, and the lengths of key and value.
constexpr size_t kEntryOverhead = 8 + 3;

size_t KeysOfAGroup(const FilterFormat& format, KeyGroups groups,
                    std::span<const Slice> keys, size_t value_bytes) {
  switch (groups) {
    case KeyGroups::kTable:
      return keys.size();
    case KeyGroups::kPartition:
      return format.KeysThatFit(kPartitionBytes);
    case KeyGroups::kBlock:
      return kBlockBytes / (keys[0].size() + value_bytes + kEntryOverhead);
  }
  return 1;
}

}  // namespace

size_t FilterBytes::size() const {
  size_t sum = 0;
  for (const std::string& filter : filters) sum += filter.size();
  return sum;
}

std::optional<double> FilterBytes::PredictedRate(
    const FilterFormat& format) const {
  double sum = 0;
  for (size_t i = 0; i < filters.size(); ++i) {
    const size_t begin = i * keys_of_a_group;
    const std::optional<double> rate = format.PredictedRate(
        filters[i], std::min(keys - begin, keys_of_a_group));
    if (!rate.has_value()) return std::nullopt;
    sum += *rate;
  }
  return sum / static_cast<double>(filters.size());
}

FilterBytes BuildFilters(const FilterFormat& format, KeyGroups groups,
                         std::span<const Slice> keys, size_t value_bytes) {
  FilterBytes built{.groups = groups, .keys = keys.size()};
  built.keys_of_a_group = std::clamp<size_t>(
      KeysOfAGroup(format, groups, keys, value_bytes), 1, keys.size());
  for (size_t i = 0; i < keys.size(); i += built.keys_of_a_group) {
    const auto group =
        keys.subspan(i, std::min(built.keys_of_a_group, keys.size() - i));
    built.filters.push_back(format.Build(group));
    if (groups == KeyGroups::kPartition) {
      built.last_keys.push_back(group.back().ToString());
    }
  }
  return built;
}

PlacedFilters::PlacedFilters(const FilterFormat& format,
                             const FilterBytes& bytes, size_t copies)
    : bytes_(bytes) {
  const size_t originals = bytes.filters.size();
  contents_.reserve(copies * originals);
  for (size_t i = 0; i < copies * originals; ++i) {
    const std::string& filter = bytes.filters[i % originals];
    contents_.emplace_back(filter.size(), format.alignment());
    filter.copy(contents_.back().data(), filter.size());
  }
  filters_.reserve(contents_.size());
  for (size_t i = 0; i < contents_.size(); ++i) {
    filters_.push_back(format.Open(
        {contents_[i].data(), bytes.filters[i % originals].size()}));
  }
}

size_t PlacedFilters::PartitionOf(Slice key) const {
  const auto at =
      std::lower_bound(bytes_.last_keys.begin(), bytes_.last_keys.end(), key,
                       [](const std::string& last, const Slice& k) {
                         return Slice(last).compare(k) < 0;
                       });
  return std::min(static_cast<size_t>(at - bytes_.last_keys.begin()),
                  bytes_.filters.size() - 1);
}

}  // namespace tamis
