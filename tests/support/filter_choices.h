// SPDX-License-Identifier: Apache-2.0
//
// Every kind of filter that options can ask for, for tests that go through all
// of them or draw one.
#pragma once

#include <array>

#include "tamis/filter_policy.h"
#include "tamis/table.h"

namespace tamis {

inline constexpr std::array kFilterFormats = {
    FilterFormat::kBloom,        FilterFormat::kRibbon,
    FilterFormat::kBumpedRibbon, FilterFormat::kHomogeneousRibbon,
    FilterFormat::kBinaryFuse,   FilterFormat::kXor,
    FilterFormat::kByLevel};

inline const char* NameOf(FilterFormat format) {
  switch (format) {
    case FilterFormat::kBloom:
      return "Bloom";
    case FilterFormat::kRibbon:
      return "Ribbon";
    case FilterFormat::kHomogeneousRibbon:
      return "HomogeneousRibbon";
    case FilterFormat::kBumpedRibbon:
      return "BumpedRibbon";
    case FilterFormat::kBinaryFuse:
      return "BinaryFuse";
    case FilterFormat::kXor:
      return "Xor";
    case FilterFormat::kByLevel:
      return "ByLevel";
  }
  return "unknown";
}

// One for each codec of RangeFilterCodecs() (filter/filter_registry.h), in its
// order.
inline constexpr std::array kRangeFilterTypes = {
    BlockBasedTableOptions::kGrafite, BlockBasedTableOptions::kFence,
    BlockBasedTableOptions::kSurf};

}  // namespace tamis
