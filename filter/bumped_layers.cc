// SPDX-License-Identifier: Apache-2.0
#include "filter/bumped_layers.h"

#include <algorithm>
#include <array>
#include <vector>

#include "filter/hash_parts.h"
#include "filter/ribbon64.h"
#include "filter/seeded_hash.h"
#include "util/base/check.h"
#include "util/jobs/parallel_for.h"

namespace tamis {

namespace {

// Consecutive blocks of a layer, whose equations are solved by themselves.
class Section {
 public:
  // Takes the blocks from first_block to end_block.
  void Reset(const Ribbon64Layout& layer, uint32_t first_block,
             uint32_t end_block) {
    layer_ = layer;
    result_mask_ = (1u << layer.columns) - 1;
    first_block_ = first_block;
    first_row_ = first_block * kRibbon64Width;
    banding_.Reset((end_block - first_block) * kRibbon64Width);
    bumped_.clear();
  }

  // Returns false if these hashes do not fit.
  bool InsertAll(std::span<const uint64_t> hashes) {
    equations_.clear();
    for (const uint64_t hash : hashes) {
      equations_.push_back({Ribbon64CoefficientsOf(hash),
                            StartOf(hash) - first_row_,
                            Ribbon64ResultOf(hash) & result_mask_});
    }
    return banding_.Insert(equations_);
  }

  // Inserts the hashes of a part: 2^shift starts from first_start on, whole
  // buckets. Bumps what does not fit, and what starts before the section.
  // Returns false if too much of a bucket does not fit.
  bool InsertPart(std::span<const uint64_t> part, uint32_t first_start,
                  int shift, char* thresholds) {
    const uint32_t starts =
        std::min(1u << shift, layer_.num_starts() - first_start);
    const uint32_t groups = starts >> kBumpedGroupShift;
    const auto group_of = [&](uint64_t hash) {
      return (StartOf(hash) - first_start) >> kBumpedGroupShift;
    };
    // Counts of groups, then their begins, which advance to their ends.
    group_ends_.assign(groups + 1, 0);
    for (const uint64_t hash : part) ++group_ends_[group_of(hash) + 1];
    for (size_t i = 1; i < groups; ++i) group_ends_[i] += group_ends_[i - 1];
    sorted_.resize(std::max(sorted_.size(), part.size()));
    for (const uint64_t hash : part) {
      sorted_[group_ends_[group_of(hash)]++] = hash;
    }
    for (uint32_t first = 0; first < groups; first += kBumpedBucketGroups) {
      const uint32_t end = std::min(groups, first + kBumpedBucketGroups);
      if (!InsertBucket(first, end, first_start, thresholds)) return false;
    }
    return true;
  }

  // Writes the words of the section's blocks. `words` are those of the layer.
  void Solve(char* words) const { banding_.Solve(layer_, first_block_, words); }

  // The next hashes of the keys that were bumped.
  const std::vector<uint64_t>& bumped() const { return bumped_; }

 private:
  uint32_t StartOf(uint64_t hash) const {
    return Ribbon64StartOf(hash, layer_.num_starts());
  }

  // Inserts the groups from the last one down to the first that fits no more,
  // or starts before the section, and bumps the rest. The rows at the bucket's
  // begin are thus left to keys of the bucket before.
  bool InsertBucket(uint32_t first_group, uint32_t end_group,
                    uint32_t first_start, char* thresholds) {
    for (uint32_t group = end_group; group-- > first_group;) {
      const uint32_t start = first_start + (group << kBumpedGroupShift);
      if (start >= first_row_ && InsertAll(KeysOf(group))) continue;
      const uint32_t threshold = group - first_group + 1;
      // Rows of the last group are nearly all free: it always fits, unless
      // hundreds of keys have nearly equal hashes.
      if (threshold == kBumpedBucketGroups) return false;
      SetBumpedThreshold(start >> kBumpedBucketShift, threshold, thresholds);
      for (uint32_t i = first_group; i <= group; ++i) {
        for (const uint64_t hash : KeysOf(i)) {
          bumped_.push_back(NextHash(hash));
        }
      }
      return true;
    }
    return true;
  }

  std::span<const uint64_t> KeysOf(uint32_t group) const {
    const uint32_t begin = group == 0 ? 0 : group_ends_[group - 1];
    return std::span(sorted_).subspan(begin, group_ends_[group] - begin);
  }

  Ribbon64Layout layer_{};
  uint32_t result_mask_ = 0;
  uint32_t first_block_ = 0;
  uint32_t first_row_ = 0;
  Ribbon64Banding banding_;
  std::vector<uint64_t> sorted_;  // the current part
  std::vector<uint32_t> group_ends_;
  std::vector<Ribbon64Equation> equations_;
  std::vector<uint64_t> bumped_;
};

class LayersBuilder {
 public:
  LayersBuilder(const BumpedLayout& layout, const Helpers& helpers)
      : layout_(layout), helpers_(helpers) {}

  bool Build(std::span<const uint64_t> hashes, char* body) {
    std::vector<uint64_t> left;
    for (uint32_t i = 0; i + 1 < layout_.num_layers; ++i) {
      if (!BuildLayer(layout_.LayerOf(i), hashes, body)) return false;
      body += layout_.BytesOf(i);
      left = sections_[0].bumped();
      left.insert(left.end(), sections_[1].bumped().begin(),
                  sections_[1].bumped().end());
      hashes = left;
    }
    const Ribbon64Layout last = layout_.LayerOf(layout_.num_layers - 1);
    sections_[0].Reset(last, 0, last.num_blocks);
    if (!sections_[0].InsertAll(hashes)) return false;
    sections_[0].Solve(body);
    return true;
  }

 private:
  bool BuildLayer(const Ribbon64Layout& layer, std::span<const uint64_t> hashes,
                  char* body) {
    HashParts parts;
    const int shift =
        Ribbon64Order(hashes, layer.num_starts(), kBumpedBucketShift, &parts);
    const size_t num_parts = parts.ends.size();
    size_t first_of_second = num_parts;
    if (layer.num_starts() >= kBumpedSectionStartsMin) {
      first_of_second = num_parts / 2 / 2 * 2;
      // Two buckets share a byte of thresholds.
      TAMIS_CHECK((first_of_second << shift) % (2u << kBumpedBucketShift) == 0);
    }
    const bool has_second = first_of_second < num_parts;
    // Section 0 also has the block of the 64 starts that section 1 bumps.
    const uint32_t first_block_of_second =
        has_second
            ? static_cast<uint32_t>(first_of_second << shift) / kRibbon64Width +
                  1
            : layer.num_blocks;
    // Section i has those from [i] to [i + 1].
    const size_t part_bounds[] = {0, first_of_second, num_parts};
    const uint32_t block_bounds[] = {0, first_block_of_second,
                                     layer.num_blocks};
    char* const thresholds = body + layer.num_words() * kRibbon64WordBytes;
    bool built[2] = {true, true};
    const auto build = [&](size_t i) {
      Section& section = sections_[i];
      section.Reset(layer, block_bounds[i], block_bounds[i + 1]);
      for (size_t p = part_bounds[i]; p < part_bounds[i + 1] && built[i]; ++p) {
        built[i] =
            section.InsertPart(parts.part(p), static_cast<uint32_t>(p << shift),
                               shift, thresholds);
      }
      if (built[i]) section.Solve(body);
    };
    if (has_second && helpers_.schedule) {
      ParallelFor(helpers_.runner, helpers_.schedule, 2, build);
    } else {
      build(0);
      build(1);
    }
    return built[0] && built[1];
  }

  const BumpedLayout& layout_;
  const Helpers& helpers_;
  std::array<Section, 2> sections_;  // the second is empty in a small layer
};

}  // namespace

bool BuildBumpedLayers(const BumpedLayout& layout,
                       std::span<const uint64_t> hashes, const Helpers& helpers,
                       char* body) {
  return LayersBuilder(layout, helpers).Build(hashes, body);
}

}  // namespace tamis
