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

Level0Range MergeThatIncludes(const LevelFiles& level0, Level0Range range) {
  TAMIS_CHECK(range.begin < range.end);
  TAMIS_CHECK(range.end <= level0.size());
  Level0Range merge;
  do {
    merge = range;
    // Newest first, by the largest number.
    const SequenceNumber largest = level0[merge.begin]->meta.largest_seqno;
    EpochNumber lowest = kEpochNumberMax;
    for (size_t i = merge.begin; i < merge.end; ++i) {
      lowest = std::min(lowest, level0[i]->meta.epoch_number);
    }
    for (size_t i = merge.begin; i-- > 0;) {
      const FileMetaData& newer = level0[i]->meta;
      if (newer.smallest_seqno <= largest ||
          (newer.epoch_number <= lowest &&
           newer.smallest_seqno != newer.largest_seqno)) {
        range.begin = i;
      }
    }
    for (size_t i = merge.end; i < level0.size(); ++i) {
      if (level0[i]->meta.epoch_number >= lowest) range.end = i + 1;
    }
  } while (range != merge);
  return merge;
}

}  // namespace tamis
