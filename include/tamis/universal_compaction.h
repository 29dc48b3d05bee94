// SPDX-License-Identifier: Apache-2.0
//
// Options of universal compaction (ColumnFamilyOptions::compaction_style). A
// sorted run is a table of level 0, or all tables of a deeper level. Universal
// compaction merges neighbouring runs, newest first, when there are
// level0_file_num_compaction_trigger of them. Each entry is so written fewer
// times than under leveled compaction, but reads search more runs, and a full
// merge needs the size of the data a second time.
//
// The rules, in this order:
//   1. Space: if all runs but the oldest have more than
//      max_size_amplification_percent of its bytes, all are merged.
//   2. Similar sizes: from the newest run on, each next one joins while it is
//      at most size_ratio percent larger than those taken (stop_style).
//   3. Number: of more runs than the trigger, the newest are merged.
#pragma once

#include <climits>

namespace tamis {

// What the size of the next run is compared with.
enum CompactionStopStyle {
  // The last run taken, both ways: runs of similar size are merged.
  kCompactionStopStyleSimilarSize,
  // All runs taken.
  kCompactionStopStyleTotalSize,
};

// Open returns InvalidArgument for values outside the ranges.
class CompactionOptionsUniversal {
 public:
  // By how many percent the next run may exceed what is compared with it.
  unsigned int size_ratio = 1;
  // The least and the largest number of runs that rules 2 and 3 merge. 2 or
  // more; max_merge_width is not below min_merge_width. When writes are slowed
  // down, fewer than min_merge_width are merged, too.
  unsigned int min_merge_width = 2;
  unsigned int max_merge_width = UINT_MAX;
  // See rule 1. With 200, 100 bytes of data take at most about 300.
  unsigned int max_size_amplification_percent = 200;
  // -1: tables are compressed as the options of the family say. 0 to 100: a
  // flush does not compress; a merge does if the runs older than those that it
  // merges have less than this percentage of the bytes of all runs.
  int compression_size_percent = -1;
  // See rule 2.
  CompactionStopStyle stop_style = kCompactionStopStyleTotalSize;
  // Moves the tables of a merge, without rewriting them, if no two of them
  // overlap and they go to a level below 0.
  bool allow_trivial_move = false;
};

}  // namespace tamis
