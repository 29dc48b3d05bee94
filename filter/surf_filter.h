// SPDX-License-Identifier: Apache-2.0
//
// A range filter that is a trie of what keys begin with, for keys of any kind.
// After Zhang, Lim, Leis, Andersen, Kaminsky, Keeton, Pavlo, "SuRF: Practical
// Range Query Filtering with Fast Succinct Tries", SIGMOD 2018.
//
//   path    of a key: the fewest bytes of it that no other key begins with
//   trie    all paths, in 11 bits a branch (louds_trie.h)
//   suffix  of a leaf: n bits that follow the path, or of the key's hash
//
// A range matches if a path, with its suffix, is not outside it. So a range
// between two keys is excluded if its ends differ from both keys within their
// paths and suffixes.
//
// A trie takes 11 to 16 bits a key of numbers, more of strings that share long
// parts. The suffixes take what is left of the bits per key. A trie of more
// than twice these is cut: the last bytes of the longest paths are left out. If
// most keys then share their path and suffix with others, Finish writes no
// filter.
#pragma once

#include "filter/range_filter.h"

namespace tamis {

const RangeFilterCodec* SurfCodec();

}  // namespace tamis
