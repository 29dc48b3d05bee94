// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/level0_merge.h"

#include <algorithm>

namespace tamis {

size_t TablesThatWaitForFlush(const LevelFiles& level0,
                              SequenceNumber unflushed) {
  // Newest first, by the largest number.
  const auto older = std::find_if(level0.begin(), level0.end(),
                                  [unflushed](const TableFilePtr& file) {
                                    return file->meta.largest_seqno < unflushed;
                                  });
  return static_cast<size_t>(older - level0.begin());
}

size_t FirstOfMerge(const LevelFiles& level0, size_t first) {
  TAMIS_CHECK(first < level0.size());
  for (size_t i = first; i-- > 0;) {
    if (level0[i]->meta.smallest_seqno <= level0[first]->meta.largest_seqno) {
      first = i;
    }
  }
  return first;
}

}  // namespace tamis
