// SPDX-License-Identifier: Apache-2.0
#include "tests/model/filters.h"

#include <limits>

#include "tamis/filter_policy.h"
#include "tamis/slice_transform.h"

#include "filter/filter_registry.h"
#include "tests/filter/exact_filter_policy.h"
#include "tests/model/history.h"
#include "tests/support/filter_choices.h"
#include "tests/support/prefixes.h"

namespace tamis::model {

std::string FilterDraw::DrawPolicy(double bits, BlockBasedTableOptions* table) {
  const FilterFormat format =
      kFilterFormats[random_.Uniform(kFilterFormats.size())];
  // Many false positives, or so few that each codec is smaller than Bloom.
  const double fpr = Pick({0.5, 0.25, 0.09, 0.003, 0.0001});
  const uint64_t bytes = Pick<uint64_t>({0, 40, 200, 1000, 1 << 20});
  const int level = Pick({-1, 0, 2, std::numeric_limits<int>::max()});
  switch (random_.Uniform(10)) {
    case 0:
      table->filter_policy.reset(NewBloomFilterPolicy(bits));
      return "Bloom";
    case 1:
      table->filter_policy.reset(NewRibbonFilterPolicy(bits, level));
      return "Ribbon from level " + std::to_string(level);
    case 2:
      table->filter_policy = std::make_shared<ExactFilterPolicy>();
      return "user's";
    case 3:
    case 4:
    case 5:
      table->filter_policy.reset(NewBudgetFilterPolicy(bytes, format));
      return "budget of " + std::to_string(bytes) + ", " + NameOf(format);
    default:
      table->filter_policy.reset(
          NewFilterPolicy({.fpr = fpr, .format = format}));
      return "rate " + std::to_string(fpr) + ", " + NameOf(format);
  }
}

std::string FilterDraw::DrawExtractor(Options* options) {
  const size_t length = random_.Uniform(12);
  const uint64_t kind = random_.Uniform(6);
  // Keys that are equal in this order may have different prefixes.
  if (kind > 3 || options->comparator == CaseInsensitiveComparator()) return "";
  options->prefix_extractor.reset(kind == 0   ? NewFixedPrefixTransform(length)
                                  : kind == 1 ? NewCappedPrefixTransform(length)
                                  : kind == 2 ? NewNoopTransform()
                                              : new BeforeSlash);
  return ", prefixes " + options->prefix_extractor->GetId();
}

std::string FilterDraw::DrawRangeFilter(BlockBasedTableOptions* table) {
  const uint64_t kind = random_.Uniform(kRangeFilterTypes.size() + 1);
  table->range_filter_bits_per_key = Pick({4.0, 6.5, 10.0, 16.0, 32.0});
  if (kind == kRangeFilterTypes.size()) return "";
  table->range_filter = kRangeFilterTypes[kind];
  return ", ranges " + std::string(RangeFilterCodecs()[kind]->name()) + " " +
         std::to_string(table->range_filter_bits_per_key);
}

std::string FilterDraw::Draw(FilterPlace place, double bits, Options* options,
                             BlockBasedTableOptions* table) {
  std::string text = " filter=[";
  // Drawn in any case: so that each draw is independent of the place.
  const std::string policy = DrawPolicy(bits, table);
  const bool user_chunks = random_.OneIn(4);
  switch (place) {
    case FilterPlace::kNone:
      table->filter_policy = nullptr;
      text += "none";
      break;
    case FilterPlace::kBlockBased:
      if (user_chunks) {
        table->filter_policy = std::make_shared<ExactChunkPolicy>();
      } else {
        table->filter_policy.reset(
            NewBloomFilterPolicy(bits, /*use_block_based_builder=*/true));
      }
      text += user_chunks ? "block-based user's" : "block-based Bloom";
      break;
    case FilterPlace::kFull:
      text += "full " + policy;
      break;
    case FilterPlace::kPartitioned:
      table->partition_filters = true;
      text += "partitioned " + policy;
      break;
  }
  text += DrawExtractor(options);
  table->whole_key_filtering = !random_.OneIn(4);
  if (!table->whole_key_filtering) text += ", no whole keys";
  text += DrawRangeFilter(table);
  options->optimize_filters_for_hits = random_.OneIn(8);
  if (options->optimize_filters_for_hits) text += ", none in the last level";
  table->format_version = Pick<uint32_t>({2, 4, 5, 5, 6, 7});
  text += ", version " + std::to_string(table->format_version);
  return text + "]";
}

}  // namespace tamis::model
