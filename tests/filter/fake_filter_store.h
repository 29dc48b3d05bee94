// SPDX-License-Identifier: Apache-2.0
//
// Replaces the table on both sides of a placement: keeps the filters that are
// written, and finds the filter that covers a key.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "filter/filter_placement.h"

namespace tamis {

// One thread while writing; const afterwards.
class FakeFilterStore final : public FilterSink, public FilterSource {
 public:
  Status WriteFilter(size_t ordinal, PendingFilter filter,
                     const Slice* last_key) override {
    if (!write_status.ok()) return write_status;
    if (last_key != nullptr) separators.push_back(last_key->ToString());
    EXPECT_EQ(ordinal, filters.size()) << "filters come in order";
    Result<std::string> bytes = filter.Build({});
    if (!bytes.ok()) return bytes.status();
    filters.push_back(*std::move(bytes));
    return Status::OK();
  }

  Status Find(const Slice& user_key, const ReadContext& /*context*/,
              FilterPosition* at) const override {
    ++finds;
    if (!find_status.ok()) return find_status;
    // The first separator at or after the key; past the end, the last filter.
    size_t i = 0;
    while (i < separators.size() && Slice(separators[i]) < user_key) ++i;
    at->partition = static_cast<uint32_t>(std::min(i, filters.size() - 1));
    return Status::OK();
  }
  Result<PinnedBytes> Load(const FilterPosition& at,
                           const ReadContext& context) const override {
    ++loads;
    if (!load_status.ok()) return load_status;
    if (context.tier == kBlockCacheTier) {
      return Status::Incomplete("not in memory");
    }
    return PinnedBytes::Own(filters[at.partition]);
  }

  std::vector<std::string> filters;
  // separators[i] ends filter i: its last key, or what the test puts there.
  // With one filter none are needed.
  std::vector<std::string> separators;
  Status write_status;
  Status find_status;
  Status load_status;
  mutable size_t finds = 0;
  mutable size_t loads = 0;
};

}  // namespace tamis
