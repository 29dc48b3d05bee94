// SPDX-License-Identifier: Apache-2.0
#include "db/family/level_shapes.h"

#include <algorithm>

namespace tamis {

namespace {

// If no table was opened yet.
constexpr double kBytesPerEntry = 100;
// See NegativeLookupsOf.
constexpr double kSupposedLookups = 1024;

// The entries of files, as far as they are known.
struct Counted {
  uint64_t entries = 0;
  uint64_t bytes = 0;          // that hold them
  uint64_t bytes_of_rest = 0;  // of the other files

  void Add(const TableFile& file) {
    const uint64_t known = file.num_entries_if_known();
    entries += known;
    (known != 0 ? bytes : bytes_of_rest) += file.meta.size;
  }
  double PerByte() const {
    return entries > 0
               ? static_cast<double>(entries) / static_cast<double>(bytes)
               : 1 / kBytesPerEntry;
  }
  uint64_t Estimate(double per_byte) const {
    return entries +
           static_cast<uint64_t>(per_byte * static_cast<double>(bytes_of_rest));
  }
};

double BytesOf(std::span<const TableFilePtr> files) {
  double bytes = 0;
  for (const TableFilePtr& file : files) {
    bytes += static_cast<double>(file->meta.size);
  }
  return bytes;
}

}  // namespace

std::vector<LevelShape> LevelShapesOf(const Version& version,
                                      uint64_t lookups) {
  PerLevel<Counted> counted;
  Counted all;
  ForEachFile(version, [&](Level level, const TableFilePtr& file) {
    counted[level].Add(*file);
    all.Add(*file);
  });
  std::vector<LevelShape> shapes;
  for (const Level level : kLevels) {
    const LevelFiles& files = version.files(level);
    const bool disjoint = level > kLevelZero;
    const size_t runs =
        disjoint ? std::min<size_t>(files.size(), 1) : files.size();
    shapes.push_back(
        {.entries = counted[level].Estimate(all.PerByte()),
         .sorted_runs = static_cast<int>(runs),
         .negative_lookups =
             lookups == 0 ? -1 : NegativeLookupsOf(files, disjoint, lookups)});
  }
  return shapes;
}

std::function<std::vector<LevelShape>()> LevelsOf(const ColumnFamily* family) {
  return [family] {
    // The count may not be older than the files.
    const ReadStatePtr state = family->AcquireReadState();
    return LevelShapesOf(*state->version, family->tables().lookups());
  };
}

uint64_t EntriesOf(std::span<const TableFilePtr> files) {
  Counted counted;
  for (const TableFilePtr& file : files) counted.Add(*file);
  return counted.Estimate(counted.PerByte());
}

double NegativeLookupsOf(std::span<const TableFilePtr> files, bool disjoint,
                         uint64_t lookups) {
  const double bytes = BytesOf(files);
  double sum = 0;
  for (const TableFilePtr& file : files) {
    const LookupCounts counts = file->CountsAt(lookups);
    const double share =
        disjoint ? static_cast<double>(file->meta.size) / bytes : 1;
    sum += (static_cast<double>(counts.negative) + kSupposedLookups * share) /
           (static_cast<double>(counts.all) + kSupposedLookups);
  }
  return sum;
}

void InheritLookups(std::span<const TableFilePtr> from, bool disjoint,
                    uint64_t lookups, std::span<FileMetaData> to) {
  uint64_t all = 0;
  for (const TableFilePtr& file : from) {
    all = std::max(all, file->CountsAt(lookups).all / 2);
  }
  double negatives =
      NegativeLookupsOf(from, disjoint, lookups) * static_cast<double>(all);
  // The outputs are one run.
  if (!disjoint) negatives /= static_cast<double>(from.size());
  double bytes = 0;
  for (const FileMetaData& table : to) bytes += static_cast<double>(table.size);
  for (FileMetaData& table : to) {
    table.lookups = {.all = all,
                     .negative = static_cast<uint64_t>(
                         negatives * static_cast<double>(table.size) / bytes)};
  }
}

}  // namespace tamis
