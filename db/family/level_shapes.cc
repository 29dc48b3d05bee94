// SPDX-License-Identifier: Apache-2.0
#include "db/family/level_shapes.h"

namespace tamis {

namespace {

// If no table was opened yet.
constexpr double kBytesPerEntry = 100;

struct Counted {
  uint64_t entries = 0;  // of tables that were opened
  uint64_t bytes = 0;    // of the others
};

}  // namespace

std::vector<LevelShape> LevelShapesOf(const Version& version) {
  PerLevel<Counted> counted;
  uint64_t known_entries = 0;
  uint64_t known_bytes = 0;
  ForEachFile(version, [&](Level level, const TableFilePtr& file) {
    const uint64_t entries = file->num_entries_if_known();
    if (entries == 0) {
      counted[level].bytes += file->meta.size;
      return;
    }
    counted[level].entries += entries;
    known_entries += entries;
    known_bytes += file->meta.size;
  });
  const double entries_per_byte = known_entries > 0
                                      ? static_cast<double>(known_entries) /
                                            static_cast<double>(known_bytes)
                                      : 1 / kBytesPerEntry;
  std::vector<LevelShape> shapes;
  for (const Level level : kLevels) {
    const Counted& here = counted[level];
    const size_t files = version.files(level).size();
    const size_t runs = level == kLevelZero ? files : files > 0 ? 1 : 0;
    shapes.push_back(
        {.entries = here.entries +
                    static_cast<uint64_t>(entries_per_byte *
                                          static_cast<double>(here.bytes)),
         .sorted_runs = static_cast<int>(runs)});
  }
  return shapes;
}

std::function<std::vector<LevelShape>()> LevelsOf(const ColumnFamily* family) {
  return
      [family] { return LevelShapesOf(*family->AcquireReadState()->version); };
}

}  // namespace tamis
