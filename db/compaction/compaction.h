// SPDX-License-Identifier: Apache-2.0
//
// A Compaction is a plan: which files to merge, and into which level. Plain
// data. The compaction picker makes it, a compaction job carries it out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/version/version.h"

namespace tamis {

struct Compaction {
  VersionPtr input_version;
  Level level = kLevelZero;  // of the upper input
  Level output_level = kLevelZero;
  LevelFiles inputs;         // from `level`
  LevelFiles output_inputs;  // from output_level, where the keys overlap
  // Files one level below output_level that overlap the inputs. An output is
  // cut when it overlaps more than grandparent_bytes_max of them.
  LevelFiles grandparents;
  uint64_t grandparent_bytes_max = 0;
  uint64_t output_file_bytes_max = 0;
  // No level below output_level overlaps the range of the inputs.
  bool bottommost = false;
  // Only an edit moves the inputs down (db/compaction/trivial_move.h); there
  // are no output_inputs.
  bool trivial_move = false;
  // CompactRange asked for it.
  bool manual = false;
  // The only input gets new filters, at its level, if its own are off by more
  // than this factor (db/compaction/filter_rewrite.h).
  std::optional<double> rewrite_filters;

  // Calls visit(file) for each file of inputs, then of output_inputs.
  template <typename Visit>
  void ForEachInput(const Visit& visit) const {
    for (const TableFilePtr& file : inputs) visit(file);
    for (const TableFilePtr& file : output_inputs) visit(file);
  }
  std::vector<TableFilePtr> AllInputs() const {
    std::vector<TableFilePtr> all = inputs;
    all.insert(all.end(), output_inputs.begin(), output_inputs.end());
    return all;
  }
};

}  // namespace tamis
