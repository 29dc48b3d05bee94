// SPDX-License-Identifier: Apache-2.0
#include "filter/louds_trie.h"

#include <algorithm>
#include <bit>

namespace tamis {

std::optional<LoudsTrie::Node> LoudsTrie::NodeAt(uint32_t place,
                                                 uint32_t skip) const {
  if (place >= shape_.dense_nodes) {
    return SparseNodeAt(place - shape_.dense_nodes, skip);
  }
  if (skip >= shape_.dense_nodes - place) return std::nullopt;
  Node node;
  node.is_dense_ = true;
  node.first_ = place + skip;
  node.last_ = node.first_ + 1;
  const char* const first_word = bytes_ + node.first_ * kLoudsNodeBytes;
  node.has_end_ =
      (LoudsWord::Decode(first_word).leaves & LoudsWord::kEndBit) != 0;
  return node;
}

std::optional<LoudsTrie::Node> LoudsTrie::SparseNodeAt(uint32_t branch,
                                                       uint32_t skip) const {
  // More branches than `skip` nodes, and the rest of a block, can have.
  const uint64_t limit = std::min<uint64_t>(
      shape_.branches,
      uint64_t{branch} + skip * kLoudsNodeBranchesMax + kLoudsWordBranches);
  if (branch >= limit) return std::nullopt;
  uint64_t starts =
      StartsAt(branch) & (~uint64_t{0} << (branch % kLoudsWordBranches));
  branch -= branch % kLoudsWordBranches;
  uint32_t bit;
  while ((bit = SelectBit(starts, skip)) == kLoudsWordBranches) {
    skip -= CountBits(starts);
    if (limit - branch <= kLoudsWordBranches) return std::nullopt;
    branch += kLoudsWordBranches;
    starts = StartsAt(branch);
  }
  Node node;
  node.is_dense_ = false;
  node.first_ = branch + bit;
  // The next node starts where this one ends.
  starts &= ~uint64_t{1} << bit;
  while (starts == 0) {
    if (shape_.branches - branch <= kLoudsWordBranches ||
        branch > node.first_ + kLoudsNodeBranchesMax) {
      break;
    }
    branch += kLoudsWordBranches;
    starts = StartsAt(branch);
  }
  node.last_ =
      starts == 0
          ? shape_.branches
          : std::min(shape_.branches,
                     branch + static_cast<uint32_t>(std::countr_zero(starts)));
  if (node.first_ >= node.last_ ||
      node.last_ - node.first_ > kLoudsNodeBranchesMax) {
    return std::nullopt;
  }
  node.has_end_ =
      node.last_ - node.first_ > 1 && LabelAt(node.first_) == kLoudsEndLabel;
  if (node.has_end_) ++node.first_;
  return node;
}

LoudsTrie::Branch LoudsTrie::LowerBound(const Node& node,
                                        uint32_t label) const {
  Branch branch;
  branch.label_ = Branch::kNone;
  branch.is_dense_ = node.is_dense_;
  if (node.is_dense_) {
    uint32_t first = label % kLoudsWordBranches;
    for (uint32_t i = label / kLoudsWordBranches; i < kLoudsNodeWords;
         ++i, first = 0) {
      branch.word_ = LoudsWord::Decode(bytes_ + node.first_ * kLoudsNodeBytes +
                                       i * kLoudsWordBytes);
      const uint64_t labels = branch.word_.marks & (~uint64_t{0} << first);
      if (labels == 0) continue;
      branch.bit_ = static_cast<uint32_t>(std::countr_zero(labels));
      branch.label_ = i * kLoudsWordBranches + branch.bit_;
      break;
    }
    return branch;
  }
  // Labels ascend: the number of lesser ones is the index of the one wanted.
  uint32_t at = node.first_;
  for (uint32_t from = node.first_; from < node.last_;) {
    const uint32_t bit = from % kLoudsWordBranches;
    const uint32_t n = std::min(kLoudsWordBranches - bit, node.last_ - from);
    const char* const labels = BlockAt(from) + kLoudsWordBytes + bit;
    for (uint32_t i = 0; i < n; ++i) {
      at += static_cast<uint8_t>(labels[i]) < label ? 1 : 0;
    }
    from += n;
  }
  if (at == node.last_) return branch;
  branch.label_ = LabelAt(at);
  branch.at_ = at;
  branch.bit_ = at % kLoudsWordBranches;
  branch.word_ = LoudsWord::Decode(BlockAt(at));
  return branch;
}

uint32_t LoudsTrie::Leaf(const Branch& branch) const {
  const LoudsWord& word = branch.word_;
  const uint64_t leaves =
      ~word.children & (branch.is_dense_ ? word.marks : ~uint64_t{0});
  return (word.leaves & ~LoudsWord::kEndBit) +
         CountBitsBelow(leaves, branch.bit_);
}

}  // namespace tamis
