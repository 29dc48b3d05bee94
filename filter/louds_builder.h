// SPDX-License-Identifier: Apache-2.0
//
// Builds the trie of the shortest prefixes that tell keys apart, and writes it
// in the form of louds_word.h.
//
//   keys    algae  alge  algol  b         level  0: a b   ("b" ends there)
//   paths   alga   alge  algo   b                1: l
//                                                2: g
//                                                3: a e o
//
// Keys come in order, so each appends its branches to the ends of the levels.
// The upper levels are written as dense nodes, as many as cost little.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tamis/slice.h"

#include "filter/louds_trie.h"

namespace tamis {

// The greatest length of a path. Keys that share as many bytes have one path.
inline constexpr uint32_t kLoudsDepthMax = 256;

// Returns the bytes of a key's path: up to the first that it shares neither
// with the key before it nor with the next one, `depth` at most.
inline size_t LoudsPathBytes(size_t shared, size_t shared_with_next,
                             size_t key_bytes, size_t depth) {
  return std::min({std::max(shared, shared_with_next) + 1, key_bytes, depth});
}

// One thread. Calls: Add* CutAt? AppendTo
class LoudsBuilder {
 public:
  static constexpr uint32_t kNoKey = UINT32_MAX;

  // Adds the number-th key, which has `shared` bytes in common with the one
  // before it, and `shared_with_next` with the next one; 0 if there is none.
  // REQUIRES: keys ascend; a single key is not empty.
  void Add(uint32_t number, const Slice& key, size_t shared,
           size_t shared_with_next);

  // Returns the number of levels, which is the longest path.
  uint32_t depth() const { return static_cast<uint32_t>(levels_.size()); }
  // Returns the bits of the trie if paths had at most `depth` bytes, all of
  // them in sparse nodes.
  uint64_t BitsAt(uint32_t depth) const;
  // Cuts paths to `depth` bytes. REQUIRES: 1 <= depth
  void CutAt(uint32_t depth);

  // Appends the trie, and the key of each leaf in the order of their numbers.
  // Ends of sparse nodes have numbers, too: kNoKey. The leaves of paths that
  // CutAt cut, and those of the same level, are last, and are left out.
  LoudsShape AppendTo(std::string* out, std::vector<uint32_t>* leaf_keys) const;

 private:
  // The branches of the nodes of one depth.
  struct Level {
    std::string labels;
    std::string kinds;                // of kChild, kStart, kEnd
    std::vector<uint32_t> leaf_keys;  // of leaves and ends
    uint64_t nodes = 0;
  };
  class Writer;
  static constexpr char kChild = 1;
  static constexpr char kStart = 2;
  static constexpr char kEnd = 4;

  Level& At(size_t depth);
  void AddBranch(Level* level, char label, int kind);
  // Returns the number of levels to be written as dense nodes.
  size_t DenseLevels() const;

  std::vector<Level> levels_;
};

}  // namespace tamis
