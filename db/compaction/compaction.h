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

// Files of one level.
struct LevelInputs {
  Level level = kLevelZero;
  LevelFiles files;
};

struct Compaction {
  VersionPtr input_version;
  Level level = kLevelZero;  // of the upper input
  Level output_level = kLevelZero;
  LevelFiles inputs;                 // from `level`
  std::vector<LevelInputs> between;  // from levels between the two, in order
  LevelFiles output_inputs;          // from output_level, unless it is `level`
  // Files one level below output_level that overlap the inputs. An output is
  // cut when it overlaps more than grandparent_bytes_max of them.
  LevelFiles grandparents;
  uint64_t grandparent_bytes_max = 0;
  uint64_t output_file_bytes_max = 0;
  // The compaction is divided into parts of at least this size, or of that of
  // an output if it is 0.
  uint64_t part_bytes_min = 0;
  // No level below output_level overlaps the range of the inputs. If that is
  // level 0, no older table of it does either.
  bool bottommost = false;
  // Older versions of any key may be added below later
  // (ColumnFamilyOptions::cf_allow_ingest_behind). Set by the scheduler, which
  // then sets bottommost to false.
  bool older_may_come = false;
  // Of the outputs (db/compaction/output_path.h); of no meaning without
  // outputs.
  uint8_t path_id = 0;
  // Only an edit moves the inputs down (db/compaction/trivial_move.h); there
  // are no output_inputs.
  bool trivial_move = false;
  // Only an edit deletes the inputs, with their entries; all are of `level`.
  bool deletes_inputs = false;
  // That level 0 is compacted into.
  Level base{1};
  // False if the outputs are not to be compressed, whatever the options of the
  // family say.
  bool compress = true;
  // The codec of the outputs; without one, the options of the family choose.
  std::optional<CompressionType> compression;
  // What made it due, for LOG.
  const char* reason = "";
  // CompactRange asked for it. Set by the scheduler, not by pickers.
  bool manual = false;
  // The only input gets new filters, at its level, if its own are off by more
  // than this factor (db/compaction/filter_rewrite.h).
  std::optional<double> rewrite_filters;

  // Returns whether an edit alone carries out the plan.
  bool NeedsNoTables() const { return trivial_move || deletes_inputs; }
  // Returns whether a table that is no input may hold an older version of the
  // key, or of a key in [begin, end), or such a one may come.
  bool MayHoldOlder(const Slice& user_key) const {
    return older_may_come || (!bottommost && (output_level == kLevelZero ||
                                              input_version->MayExistBelow(
                                                  output_level, user_key)));
  }
  bool MayHoldOlder(const Slice& begin, const Slice& end) const {
    return older_may_come || (!bottommost && (output_level == kLevelZero ||
                                              input_version->MayOverlapBelow(
                                                  output_level, begin, end)));
  }

  uint64_t InputBytes() const {
    uint64_t bytes = 0;
    ForEachInput([&](const TableFilePtr& file) { bytes += file->meta.size; });
    return bytes;
  }
  // Returns the bytes of the inputs, which the outputs hardly exceed; 0 if an
  // edit alone carries out the plan.
  uint64_t BytesToWrite() const { return NeedsNoTables() ? 0 : InputBytes(); }
  // Calls visit(level, files) for each level with inputs, from the top.
  template <typename Visit>
  void ForEachInputLevel(const Visit& visit) const {
    visit(level, inputs);
    for (const LevelInputs& one : between) visit(one.level, one.files);
    if (!output_inputs.empty()) visit(output_level, output_inputs);
  }
  // Calls visit(file) for each input, in the same order.
  template <typename Visit>
  void ForEachInput(const Visit& visit) const {
    ForEachInputLevel([&visit](Level, const LevelFiles& files) {
      for (const TableFilePtr& file : files) visit(file);
    });
  }
  std::vector<TableFilePtr> AllInputs() const {
    std::vector<TableFilePtr> all;
    ForEachInput([&all](const TableFilePtr& file) { all.push_back(file); });
    return all;
  }
  // Returns whether all tables of the family are inputs.
  bool IsFull() const {
    return AllInputs().size() == input_version->NumFiles();
  }
};

}  // namespace tamis
