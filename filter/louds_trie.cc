// SPDX-License-Identifier: Apache-2.0
#include "filter/louds_trie.h"

#include <algorithm>
#include <bit>

namespace tamis {

namespace {

// The labels of larger nodes are searched by bisection.
constexpr uint32_t kScannedMax = 4;

}  // namespace

bool LoudsTrie::NodeAt(uint32_t place, uint32_t skip, Node* node) const {
  if (place >= shape_.dense_nodes) {
    return SparseNodeAt(place - shape_.dense_nodes, skip, node);
  }
  if (skip >= shape_.dense_nodes - place) return false;
  node->is_dense_ = true;
  node->first_ = place + skip;
  node->last_ = node->first_ + 1;
  const char* const first_word = bytes_ + node->first_ * kLoudsNodeBytes;
  node->has_end_ =
      (LoudsWord::Decode(first_word).leaves & LoudsWord::kEndBit) != 0;
  return true;
}

bool LoudsTrie::SparseNodeAt(uint32_t branch, uint32_t skip, Node* node) const {
  // More branches than `skip` nodes, and the rest of a block, can have.
  const uint64_t limit = std::min<uint64_t>(
      shape_.branches,
      uint64_t{branch} + skip * kLoudsNodeBranchesMax + kLoudsWordBranches);
  if (branch >= limit) return false;
  uint64_t starts =
      StartsAt(branch) & (~uint64_t{0} << (branch % kLoudsWordBranches));
  branch -= branch % kLoudsWordBranches;
  uint32_t bit;
  while ((bit = SelectBit(starts, skip)) == kLoudsWordBranches) {
    skip -= CountBits(starts);
    if (limit - branch <= kLoudsWordBranches) return false;
    branch += kLoudsWordBranches;
    starts = StartsAt(branch);
  }
  node->is_dense_ = false;
  node->first_ = branch + bit;
  // The next node starts where this one ends.
  starts &= ~uint64_t{1} << bit;
  while (starts == 0) {
    if (shape_.branches - branch <= kLoudsWordBranches ||
        branch > node->first_ + kLoudsNodeBranchesMax) {
      break;
    }
    branch += kLoudsWordBranches;
    starts = StartsAt(branch);
  }
  node->last_ =
      starts == 0
          ? shape_.branches
          : std::min(shape_.branches,
                     branch + static_cast<uint32_t>(std::countr_zero(starts)));
  if (node->first_ >= node->last_ ||
      node->last_ - node->first_ > kLoudsNodeBranchesMax) {
    return false;
  }
  node->has_end_ =
      node->last_ - node->first_ > 1 && LabelAt(node->first_) == kLoudsEndLabel;
  if (node->has_end_) ++node->first_;
  return true;
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
  uint32_t at = node.first_;
  if (node.last_ - at <= kScannedMax) {
    // Where nodes have one label, this is predicted, and the next node does not
    // wait for the label.
    while (at < node.last_ && LabelAt(at) < label) ++at;
  } else {
    for (uint32_t n = node.last_ - at; n > 0;) {
      const uint32_t half = n / 2;
      if (LabelAt(at + half) < label) {
        at += half + 1;
        n -= half + 1;
      } else {
        n = half;
      }
    }
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
