// SPDX-License-Identifier: Apache-2.0
//
// Reads a trie of strings in the form of louds_word.h, from the root down.
//
//   keys  a  ab  b             root ──a──▶ node ──end
//                                │          └──b──▶ leaf
//                                └──b──▶ leaf
//
// A node's branches have labels, in ascending order; each leads to a node or to
// a leaf. A key that is a prefix of another one ends at a node. After Zhang et
// al., "SuRF: Practical Range Query Filtering with Fast Succinct Tries", SIGMOD
// 2018.
#pragma once

#include <cstddef>
#include <cstdint>

#include "filter/louds_word.h"

namespace tamis {

// The numbers that tell where the parts of a trie are. A value type.
struct LoudsShape {
  uint32_t dense_nodes;
  uint32_t branches;  // of sparse nodes

  bool empty() const { return dense_nodes == 0 && branches == 0; }
  uint64_t num_blocks() const {
    return (uint64_t{branches} + kLoudsWordBranches - 1) / kLoudsWordBranches;
  }
  uint64_t bytes() const {
    return dense_nodes * uint64_t{kLoudsNodeBytes} +
           num_blocks() * kLoudsBlockBytes;
  }
};

// Any bytes are safe to read. A value type; any thread.
class LoudsTrie {
 public:
  // REQUIRES: shape.bytes() bytes, which outlive the trie.
  LoudsTrie(const char* bytes, const LoudsShape& shape)
      : bytes_(bytes), shape_(shape) {}

  // A node with the range of its branches. A value type.
  class Node {
   public:
    // Returns whether a key ends here.
    bool has_end() const { return has_end_; }

   private:
    friend class LoudsTrie;
    bool is_dense_;
    bool has_end_;
    uint32_t first_;  // the dense node, or a branch without the end's
    uint32_t last_;   // after the last branch
  };

  // A branch of a node, or none. A value type.
  class Branch {
   public:
    static constexpr uint32_t kNone = 256;
    // Returns the label; kNone if there is no branch.
    uint32_t label() const { return label_; }
    // REQUIRES: there is a branch.
    bool is_leaf() const { return (word_.children >> bit_ & 1) == 0; }

   private:
    friend class LoudsTrie;
    uint32_t label_;
    uint32_t bit_;
    uint32_t at_;  // if sparse
    bool is_dense_;
    LoudsWord word_;
  };

  // Returns false if the bytes are malformed. REQUIRES: not empty
  bool Root(Node* node) const { return NodeAt(0, 0, node); }
  // Returns the first branch with a label of at least `label`, up to 256.
  Branch LowerBound(const Node& node, uint32_t label) const;
  // Returns whether the node has a branch after this one.
  bool HasAfter(const Node& node, const Branch& branch) const {
    return node.is_dense_
               ? LowerBound(node, branch.label() + 1).label() != Branch::kNone
               : branch.at_ + 1 < node.last_;
  }
  // Returns false if the bytes are malformed. REQUIRES: not a leaf
  bool Child(const Branch& branch, Node* node) const {
    const LoudsWord& word = branch.word_;
    return NodeAt(word.child, CountBitsBelow(word.children, branch.bit_), node);
  }
  // Returns the number of the leaf, in the order of their branches. REQUIRES: a
  // leaf
  uint32_t Leaf(const Branch& branch) const;

 private:
  // Sets *node to the node `skip` places in level order after that at `place`.
  // Returns false if the bytes are malformed. Does not return the node, since a
  // copy of it would wait for its stores.
  bool NodeAt(uint32_t place, uint32_t skip, Node* node) const;
  bool SparseNodeAt(uint32_t branch, uint32_t skip, Node* node) const;

  const char* BlockAt(uint32_t branch) const {
    return bytes_ + shape_.dense_nodes * kLoudsNodeBytes +
           branch / kLoudsWordBranches * kLoudsBlockBytes;
  }
  uint8_t LabelAt(uint32_t branch) const {
    return static_cast<uint8_t>(
        BlockAt(branch)[kLoudsWordBytes + branch % kLoudsWordBranches]);
  }
  // Returns which branches of the block are the first of their node.
  uint64_t StartsAt(uint32_t branch) const {
    return DecodeFixed64(BlockAt(branch) + kLoudsWordBytes - sizeof(uint64_t));
  }

  const char* bytes_;
  LoudsShape shape_;
};

}  // namespace tamis
