// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a trie's branches, in level order, 64 at a time. A LOUDS-Dense
// node is four words, for labels 0 to 63, 64 to 127, ...; a LOUDS-Sparse block
// is a word and 64 labels:
//
//   word        u32 child │ u32 leaves │ u64 child bits │ u64 marks
//   dense node  word │ word │ word │ word
//   block       word │ 64 labels, u8
//
//   child      place of the node that the first child bit leads to
//   leaves     branches before the word that lead to leaves; the upper bit of
//              a dense node's first word is set if a key ends at the node
//   marks      of a dense node: labels that it has
//              of a block: branches that are the first of their node
//
// A place is the number of a dense node, or the number of dense nodes plus that
// of the sparse branch that is the first of its node. Children are in the order
// of the child bits. So `child`, with a scan of the marks from there, replaces
// select over the whole trie, and `leaves` replaces rank: together one bit for
// each sparse branch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "filter/bit_select.h"
#include "util/coding/coding.h"

namespace tamis {

inline constexpr uint32_t kLoudsWordBranches = 64;
inline constexpr size_t kLoudsWordBytes = 24;
inline constexpr uint32_t kLoudsNodeWords = 256 / kLoudsWordBranches;
inline constexpr size_t kLoudsNodeBytes = kLoudsNodeWords * kLoudsWordBytes;
inline constexpr size_t kLoudsBlockBytes = kLoudsWordBytes + kLoudsWordBranches;
// The first label of a sparse node with other branches, if a key ends there. A
// node whose only label is 0xff has a key that goes past it.
inline constexpr uint8_t kLoudsEndLabel = 0xff;
// Labels and the end.
inline constexpr uint32_t kLoudsNodeBranchesMax = 257;

struct LoudsWord {
  static constexpr uint32_t kEndBit = uint32_t{1} << 31;

  static LoudsWord Decode(const char* p) {
    return {DecodeFixed32(p), DecodeFixed32(p + 4), DecodeFixed64(p + 8),
            DecodeFixed64(p + 16)};
  }
  void AppendTo(std::string* out) const {
    PutFixed32(out, child);
    PutFixed32(out, leaves);
    PutFixed64(out, children);
    PutFixed64(out, marks);
  }

  uint32_t child;
  uint32_t leaves;
  uint64_t children;
  uint64_t marks;
};

}  // namespace tamis
