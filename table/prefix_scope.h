// SPDX-License-Identifier: Apache-2.0
//
// Decides when a seek may use a prefix filter. The filter answers "no key of
// this table has prefix P". The seek may then skip the table only if every key
// that the iterator may show before the next seek has prefix P. Either the
// bounds restrict it:
//
//     lower bound     seek key        upper bound
//   ───────┼──────────────●────────────────┼───────▶ key order
//      ├──────── all keys with prefix P ────────┤
//     first                                    end
//
//   forward:  upper <= end                 backward:  first <= lower
//
// or the user's iterator hides keys with other prefixes
// (ReadOptions::prefix_same_as_start, through ScanScope).
//
// Pure functions. A decision is valid for one seek only.
#pragma once

#include <optional>

#include "tamis/slice_transform.h"

#include "table/internal_key.h"
#include "util/io/read_context.h"

namespace tamis {

enum class SeekDirection : uint8_t { kForward, kBackward };

// Returns the key whose prefix to probe for a seek to `target`, and whose
// position determines the filter partition. The key is part of `target` or of a
// bound. Returns nullopt if no filter may be used, because the seek is not
// known to be limited to one prefix.
//
// A backward seek to a user key at kMaxSequenceNumber starts before all
// versions of that key; other backward seeks may show the key itself.
//
// by_place tells that the filter is partitioned. A partition answers for a
// prefix only at the position of that prefix's first key, or of the target of a
// forward seek.
std::optional<Slice> KeyForPrefixFilter(const KeyOrder& order,
                                        const SliceTransform& extractor,
                                        const Slice& target,
                                        SeekDirection direction, bool by_place,
                                        const ReadContext& scan);

}  // namespace tamis
