// SPDX-License-Identifier: Apache-2.0
//
// When a seek may ask a prefix filter. The filter answers "no key of this table
// has prefix P". A walk may take that for "nothing for you here" only where
// every key that it may show before it is positioned anew has the prefix P:
//
//     lower bound     sought key      upper bound
//   ───────┼──────────────●────────────────┼───────▶ order of keys
//      ├──────── all keys with prefix P ────────┤
//     first                                   behind
//
//   forward:  upper <= behind              backward:  first <= lower
//
// or where whoever shows keys hides those of other prefixes
// (ReadOptions::prefix_same_as_start, by way of WalkScope).
//
// Pure functions; a decision holds for the one seek that it was made for.
#pragma once

#include <optional>

#include "tamis/slice_transform.h"

#include "table/internal_key.h"
#include "util/io/read_context.h"

namespace tamis {

enum class SeekDirection : uint8_t { kForward, kBackward };

// The key whose prefix, and by it whose place, the filter is to be asked for a
// seek to this internal key: a part of `target` or of a bound. nullopt: the
// walk is not known to be about one prefix, and no filter may be asked.
//
// The seek backward to a user key at kMaxSequenceNumber begins before all
// versions of that key; others may show the key itself.
//
// by_place: the filter is split, and a part of it answers for a prefix only at
// the place of that prefix's first key, or of a key that is sought forward.
std::optional<Slice> KeyToAskPrefixFor(const KeyOrder& order,
                                       const SliceTransform& extractor,
                                       const Slice& target,
                                       SeekDirection direction, bool by_place,
                                       const ReadContext& walk);

}  // namespace tamis
