// SPDX-License-Identifier: Apache-2.0
//
// Drives the pickers for thousands of flushes, without I/O, and compares what
// they write, read and keep with what their formulas say. A table is a density
// of keys for each of 500 cells of the key space; a merge is the union of
// random sets of keys.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "db/compaction/compaction_style.h"
#include "db/compaction/level_targets.h"
#include "db/compaction/trivial_move.h"
#include "db/compaction/universal_picker.h"
#include "db/version/version_builder.h"
#include "tests/support/sanitizers.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

constexpr size_t kCells = 500;
constexpr double kCellBytes = 2000;  // of a cell with all its keys
constexpr double kDataBytes = kCells * kCellBytes;

// For each cell, the share of its keys that the table has.
using Density = std::vector<double>;

std::string CellKey(size_t cell) {
  char text[8];
  std::snprintf(text, sizeof(text), "%04zu", cell);
  return text;
}

struct Amplification {
  double write = 0;  // bytes written for each byte flushed
  double read = 0;   // sorted runs, on average
  double space = 0;  // bytes kept for each byte of live data, at most
  double bytes_max = 0;
};

class Simulation {
 public:
  explicit Simulation(const ColumnFamilyOptions& options) : options_(options) {
    version_ =
        std::make_shared<const Version>(Bytewise(), nullptr, Version::Levels{});
  }

  // Each flush has this share of all keys, at random. Measures the second half.
  Amplification Run(size_t flushes, double share) {
    for (size_t i = 0; i < flushes; ++i) {
      if (i == flushes / 2) flushed_ = written_ = 0;
      now_ += 10;
      VersionEdit edit;
      AddTable(kLevelZero, Density(kCells, share), 0, EpochNumber(++epoch_),
               &edit);
      flushed_ += Bytes(tables_.at(next_ - 1));
      Apply(edit);
      RunPlans();
      if (i >= flushes / 2) Measure(flushes - flushes / 2);
    }
    amplification_.write = written_ / flushed_;
    return amplification_;
  }

  // Runs what other options ask of the tree.
  void Reopen(const ColumnFamilyOptions& options) {
    options_ = options;
    written_ = 0;
    amplification_ = {};
    RunPlans();
  }

  const Version& version() const { return *version_; }
  double written() const { return written_; }

 private:
  void RunPlans() {
    size_t steps = 0;
    while (auto plan = PickByStyle(version_, {}, options_, now_, &cursors_,
                                   kMaxSequenceNumber)) {
      RunPlan(*plan);
      ASSERT_LT(++steps, 10000u) << "compactions do not end";
    }
  }

  static double Bytes(const Density& density) {
    return std::accumulate(density.begin(), density.end(), 0.0) * kCellBytes;
  }

  void AddTable(Level level, Density density, SequenceNumber sequence,
                EpochNumber epoch, VersionEdit* edit) {
    size_t first = 0;
    while (density[first] == 0) ++first;
    size_t last = kCells - 1;
    while (density[last] == 0) --last;
    FileMetaData meta;
    meta.number = FileNumber(next_);
    meta.epoch_number = epoch;
    if (sequence == 0) sequence = ++sequence_;
    meta.smallest_seqno = meta.largest_seqno = sequence;
    meta.smallest = InternalKey(CellKey(first) + "a", sequence);
    meta.largest = InternalKey(CellKey(last) + "z", sequence);
    meta.size = static_cast<uint64_t>(Bytes(density)) + 1;
    meta.file_creation_time = now_;
    written_ += Bytes(density);
    edit->new_files.emplace_back(level, meta);
    tables_[next_++] = std::move(density);
  }

  void RunPlan(const Compaction& plan) {
    if (plan.NeedsNoTables()) return Apply(EditWithoutTables(plan));
    VersionEdit edit;
    DeleteInputs(plan, &edit);
    Density absent(kCells, 1);
    SequenceNumber newest = 0;
    EpochNumber epoch = plan.inputs.front()->meta.epoch_number;
    plan.ForEachInput([&](const TableFilePtr& file) {
      const Density& table = tables_.at(file->meta.number.value());
      for (size_t i = 0; i < kCells; ++i) absent[i] *= 1 - table[i];
      newest = std::max(newest, file->meta.largest_seqno);
      epoch = std::min(epoch, file->meta.epoch_number);
    });
    Density output(kCells, 0);
    for (size_t i = 0; i < kCells; ++i) {
      output[i] = 1 - absent[i];
      if (Bytes(output) < static_cast<double>(plan.output_file_bytes_max)) {
        continue;
      }
      AddTable(plan.output_level, output, newest, epoch, &edit);
      output.assign(kCells, 0);
    }
    if (Bytes(output) > 0) {
      AddTable(plan.output_level, output, newest, epoch, &edit);
    }
    Apply(edit);
  }

  void Apply(const VersionEdit& edit) {
    VersionBuilder builder(Bytewise(), nullptr, version_.get());
    const Status status = builder.Apply(edit);
    ASSERT_TRUE(status.ok()) << status;
    auto built = builder.Build();
    ASSERT_TRUE(built.ok()) << built.status();
    version_ = *built;
    for (const auto& [level, number] : edit.deleted_files) {
      const bool moved = std::any_of(
          edit.new_files.begin(), edit.new_files.end(),
          [&n = number](const auto& file) { return file.second.number == n; });
      if (!moved) tables_.erase(number.value());
    }
  }

  void Measure(size_t times) {
    Density absent(kCells, 1);
    double bytes = 0;
    for (const auto& [number, table] : tables_) {
      bytes += Bytes(table);
      for (size_t i = 0; i < kCells; ++i) absent[i] *= 1 - table[i];
    }
    double live = kDataBytes;
    for (const double share : absent) live -= share * kCellBytes;
    amplification_.read += static_cast<double>(SortedRunsOf(*version_).size()) /
                           static_cast<double>(times);
    amplification_.space = std::max(amplification_.space, bytes / live);
    amplification_.bytes_max = std::max(amplification_.bytes_max, bytes);
  }

  ColumnFamilyOptions options_;
  VersionPtr version_;
  CompactionCursors cursors_;
  std::map<uint64_t, Density> tables_;  // by file number
  uint64_t next_ = 1;
  uint64_t epoch_ = 0;
  SequenceNumber sequence_ = 0;
  uint64_t now_ = 1000;
  double flushed_ = 0;
  double written_ = 0;
  Amplification amplification_;
};

// A flush is a 200th of the data.
constexpr double kShare = 1.0 / 200;
constexpr double kFlushBytes = kDataBytes * kShare;

ColumnFamilyOptions SmallOptions(CompactionStyle style) {
  ColumnFamilyOptions options;
  options.compaction_style = style;
  options.level0_file_num_compaction_trigger = 4;
  options.max_bytes_for_level_base = static_cast<uint64_t>(4 * kFlushBytes);
  options.max_bytes_for_level_multiplier = 5;
  options.target_file_size_base = static_cast<uint64_t>(kFlushBytes);
  options.write_buffer_size = static_cast<size_t>(kFlushBytes);
  return options;
}

void Print(const std::string& name, const Amplification& a,
           const std::string& formula) {
  std::printf("%-26s write %5.2f  read %5.2f  space %4.2f   %s\n", name.c_str(),
              a.write, a.read, a.space, formula.c_str());
}

std::string Bound(const char* what, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%s %.2f ", what, value);
  return text;
}

TEST(SimulationTest, LeveledTreesWriteTheMultiplierForEachLevel) {
  if (kSanitizer) GTEST_SKIP() << kNoOtherCode;
  std::map<bool, Amplification> by_shape;
  for (const bool dynamic : {false, true}) {
    ColumnFamilyOptions options = SmallOptions(kCompactionStyleLevel);
    options.level_compaction_dynamic_level_bytes = dynamic;
    const Amplification a = Simulation(options).Run(1600, kShare);
    by_shape[dynamic] = a;
    // Once into level 0, about as much again into the first level for each
    // merge of it with level 0, and at most the multiplier for each further
    // one. 200 flushes of data: levels of 4, 20, 100 and 500 flushes.
    const double most =
        1 + 2 + 3 * (options.max_bytes_for_level_multiplier + 1);
    // Level 0 and each level is a run.
    const double runs = 4 + 4;
    Print(dynamic ? "leveled, dynamic" : "leveled, static", a,
          Bound("write <=", most) + Bound("read <=", runs));
    EXPECT_GT(a.write, 1 + 2);
    EXPECT_LT(a.write, most);
    EXPECT_LT(a.read, runs);
  }
  // The levels above the last have 1/5 + 1/25 + ... of it, and level 0 some.
  const double space = 1 + 1.0 / 4 + 4 * 2 * kShare;
  std::printf("dynamic levels: %s\n", Bound("space <=", space).c_str());
  EXPECT_LT(by_shape[true].space, space * 1.05);
}

TEST(SimulationTest, TheSmallestOverlapWritesLeast) {
  if (kSanitizer) GTEST_SKIP() << kNoOtherCode;
  std::map<CompactionPri, double> writes;
  for (const CompactionPri priority : {kMinOverlappingRatio, kRoundRobin}) {
    ColumnFamilyOptions options = SmallOptions(kCompactionStyleLevel);
    options.compaction_pri = priority;
    const Amplification a = Simulation(options).Run(1600, kShare);
    writes[priority] = a.write;
    Print("compaction_pri " + std::to_string(priority), a, "");
  }
  EXPECT_LT(writes[kMinOverlappingRatio], writes[kRoundRobin] * 1.02);
}

// k runs that grow to `flushes` together, for the best k.
double WritesOfRuns(int most, double flushes) {
  double least = flushes;
  for (int k = 1; k <= most; ++k) {
    least = std::min(least, k * std::pow(flushes, 1.0 / k));
  }
  return least;
}

TEST(SimulationTest, UniversalTreesWriteTheLogarithmAndKeepTheSpace) {
  std::map<unsigned, Amplification> by_space;
  for (const unsigned percent : {25u, 200u}) {
    ColumnFamilyOptions options = SmallOptions(kCompactionStyleUniversal);
    options.level0_file_num_compaction_trigger = 10;
    options.compaction_options_universal.max_size_amplification_percent =
        percent;
    const Amplification a = Simulation(options).Run(1600, kShare);
    by_space[percent] = a;
    // The newer runs grow to `percent` of the data; then all is merged. With k
    // of them, each a factor larger than the one before, that factor is a k-th
    // root, and an entry is written less than that often for each of them.
    const double full = 100.0 / percent + 1;
    const double most =
        1 + full +
        WritesOfRuns(options.level0_file_num_compaction_trigger - 1,
                     percent / 100.0 / kShare);
    // The oldest run, the newer ones, and the flushes until there are enough
    // runs.
    const double space = 1 + percent / 100.0 +
                         options.level0_file_num_compaction_trigger * kShare;
    const double runs = 1 + options.level0_file_num_compaction_trigger;
    Print("universal, " + std::to_string(percent) + " % space", a,
          Bound("write <=", most) + Bound("read <=", runs) +
              Bound("space <=", space));
    EXPECT_LT(a.write, most);
    EXPECT_LE(a.read, runs);
    EXPECT_LT(a.space, space);
  }
  EXPECT_LT(by_space[200].write, by_space[25].write);
  EXPECT_LT(by_space[25].space, by_space[200].space);
}

TEST(SimulationTest, UniversalWritesLessThanLeveled) {
  if (kSanitizer) GTEST_SKIP() << kNoOtherCode;
  const Amplification leveled =
      Simulation(SmallOptions(kCompactionStyleLevel)).Run(1600, kShare);
  ColumnFamilyOptions options = SmallOptions(kCompactionStyleUniversal);
  options.level0_file_num_compaction_trigger = 10;
  const Amplification universal = Simulation(options).Run(1600, kShare);
  EXPECT_LT(universal.write, leveled.write);
  EXPECT_LT(leveled.space, universal.space);
}

TEST(SimulationTest, MoreRunsMeanFewerBytesWritten) {
  if (kSanitizer) GTEST_SKIP() << kNoOtherCode;
  std::map<int, Amplification> by_trigger;
  for (const int trigger : {4, 12}) {
    ColumnFamilyOptions options = SmallOptions(kCompactionStyleUniversal);
    options.level0_file_num_compaction_trigger = trigger;
    by_trigger[trigger] = Simulation(options).Run(1600, kShare);
    Print("universal, " + std::to_string(trigger) + " runs",
          by_trigger[trigger], Bound("read <=", trigger + 1));
    EXPECT_LE(by_trigger[trigger].read, trigger + 1);
  }
  EXPECT_LT(by_trigger[12].write, by_trigger[4].write);
  EXPECT_GT(by_trigger[12].read, by_trigger[4].read);
}

TEST(SimulationTest, FifoWritesOnceAndKeepsItsLimit) {
  for (const bool compact : {false, true}) {
    ColumnFamilyOptions options = SmallOptions(kCompactionStyleFIFO);
    options.compaction_options_fifo = {static_cast<uint64_t>(40 * kFlushBytes),
                                       compact};
    // Memtables that are flushed long before they are full.
    options.write_buffer_size = static_cast<size_t>(10 * kFlushBytes);
    const Amplification a = Simulation(options).Run(1000, kShare);
    // Each table that a merge saves costs at most write_buffer_size.
    const double most = compact ? 1 + 10 : 1.0001;
    Print(compact ? "fifo, compacting" : "fifo", a,
          Bound("write <=", most) + Bound("read <=", compact ? 20 : 41));
    EXPECT_LE(a.bytes_max, 41 * kFlushBytes);
    EXPECT_LE(a.write, most);
    EXPECT_LE(a.read, compact ? 20 : 41);
  }
}

TEST(SimulationTest, ATreeOfTheOtherShapeChangesByItself) {
  for (const bool dynamic : {false, true}) {
    ColumnFamilyOptions options = SmallOptions(kCompactionStyleLevel);
    options.level_compaction_dynamic_level_bytes = dynamic;
    Simulation tree(options);
    tree.Run(1000, kShare);
    options.level_compaction_dynamic_level_bytes = !dynamic;
    tree.Reopen(options);
    const LevelTargets targets = LevelTargetsOf(tree.version(), options);
    std::printf("%s -> %s: %.0f flushes written\n",
                dynamic ? "dynamic" : "static", dynamic ? "static" : "dynamic",
                tree.written() / kFlushBytes);
    for (const Level level : kLevels) {
      EXPECT_LT(CompactionScore(tree.version(), level, options), 1) << level;
      if (level == kLevelZero || level >= targets.base) continue;
      EXPECT_TRUE(tree.version().files(level).empty()) << level;
    }
    // What a static tree has too high moves. What level 3 of 500 flushes has
    // more than the levels above the largest may have is merged, once.
    if (dynamic) continue;
    EXPECT_GE(targets.base, Level{3});
    EXPECT_LT(tree.written(), kDataBytes);
  }
}

TEST(SimulationTest, AnyStyleContinuesATreeOfAnyOther) {
  constexpr CompactionStyle kStyles[] = {
      kCompactionStyleLevel, kCompactionStyleUniversal, kCompactionStyleFIFO};
  for (const CompactionStyle before : kStyles) {
    for (const CompactionStyle after : kStyles) {
      SCOPED_TRACE(std::to_string(before) + " -> " + std::to_string(after));
      Simulation tree(SmallOptions(before));
      tree.Run(300, kShare);
      ColumnFamilyOptions options = SmallOptions(after);
      options.compaction_options_fifo.max_table_files_size =
          static_cast<uint64_t>(40 * kFlushBytes);
      tree.Reopen(options);
      const Amplification a = tree.Run(300, kShare);
      if (after == kCompactionStyleFIFO) {
        EXPECT_LE(a.bytes_max, 41 * kFlushBytes);
        EXPECT_EQ(tree.version().files(kLevelZero).size(),
                  tree.version().NumFiles());
      } else {
        EXPECT_LT(a.read, 9);
        EXPECT_LT(a.space, 3.2);
      }
    }
  }
}

}  // namespace
}  // namespace tamis
