// SPDX-License-Identifier: Apache-2.0
#include "tamis/explain.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "db/base/db_options.h"
#include "db/compaction/level_targets.h"
#include "db/compaction/output_compression.h"
#include "db/options/option_fields.h"
#include "table/filter_choice.h"
#include "table/metadata_pins.h"
#include "util/base/exceptions.h"
#include "util/compression/compression.h"
#include "util/compression/dictionary.h"

namespace tamis {

namespace {

// "64 MiB"; exact, so that large odd numbers stay in bytes.
std::string Bytes(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < std::size(kUnits)) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + " " + kUnits[unit];
}

class Explanation {
 public:
  explicit Explanation(const Options& given)
      : given_(given), used_(given, CompleteOptions(given, &adjusted_)) {}

  std::string Text() {
    Adjusted();
    Ignored(static_cast<const DBOptions&>(given_));
    Ignored(static_cast<const ColumnFamilyOptions&>(given_));
    Ignored(table());
    Jobs();
    Memtables();
    Log();
    Levels();
    Filters();
    Cache();
    return std::move(text_);
  }

 private:
  const BlockBasedTableOptions& table() const {
    return used_.table_factory->block_based_options();
  }
  void Say(const std::string& subject, const std::string& fact) {
    text_ += subject + ": " + fact + "\n";
  }

  void Adjusted() {
    for (const AdjustedOption& option : adjusted_) {
      Say(option.name, option.used + " is used instead of " + option.given);
    }
  }
  template <typename Struct>
  void Ignored(const Struct& given) {
    const Struct defaults;
    for (const OptionField<Struct>& field : OptionTableOf<Struct>().fields) {
      if (!field.is_ignored()) continue;
      const std::string value = field.print(given);
      if (value == field.print(defaults)) continue;
      Say(std::string(field.name), value + " is ignored");
    }
  }

  void Jobs() {
    const int compactions = std::max(1, used_.max_background_jobs - 1);
    Say("max_background_jobs",
        "one flush at a time, and " + std::to_string(compactions) +
            (compactions == 1 ? " compaction" : " compactions") +
            (used_.max_subcompactions > 1
                 ? ", each in up to " +
                       std::to_string(used_.max_subcompactions) + " parts"
                 : ""));
  }

  void Memtables() {
    const auto merged =
        static_cast<uint64_t>(used_.min_write_buffer_number_to_merge);
    const auto most = static_cast<uint64_t>(used_.max_write_buffer_number);
    Say("flush", merged == 1
                     ? "when a memtable has " + Bytes(used_.write_buffer_size)
                     : "when " + std::to_string(merged) + " memtables have " +
                           Bytes(used_.write_buffer_size) +
                           " each, into one table");
    Say("memtables", "up to " + Bytes(most * used_.write_buffer_size) +
                         " for each family with these options: "
                         "write_buffer_size times max_write_buffer_number");
    Say("max_write_buffer_number",
        "writes stop while " + std::to_string(most - 1) +
            (most == 2 ? " full memtable waits" : " full memtables wait") +
            " for a flush");
    if (used_.write_buffer_manager != nullptr) {
      Say("write_buffer_manager",
          used_.write_buffer_manager->enabled()
              ? "flushes earlier where all memtables exceed " +
                    Bytes(used_.write_buffer_manager->buffer_size())
              : "limits nothing");
    }
    if (used_.memtable_prefix_bloom_size_ratio > 0 &&
        !used_.memtable_whole_key_filtering) {
      Say("memtable_prefix_bloom_size_ratio",
          "not used: it needs memtable_whole_key_filtering, as memtables have "
          "no filters of prefixes");
    }
  }

  void Log() {
    if (used_.max_total_wal_size != 0) {
      Say("max_total_wal_size",
          "logs are limited to " + Bytes(used_.max_total_wal_size));
      return;
    }
    Say("max_total_wal_size",
        "0 means 4 times the memtables of all families: " +
            Bytes(4 * used_.write_buffer_size *
                  static_cast<uint64_t>(used_.max_write_buffer_number)) +
            " with one family");
  }

  void Levels() {
    switch (used_.compaction_style) {
      case kCompactionStyleLevel:
        return LeveledTree();
      case kCompactionStyleUniversal:
        Say("compaction_style",
            "universal: runs are merged when there are " +
                std::to_string(used_.level0_file_num_compaction_trigger) +
                "; max_bytes_for_level_base and its multipliers are not used");
        return Tables();
      case kCompactionStyleFIFO:
        Say("compaction_style",
            "FIFO: the oldest tables are deleted above " +
                Bytes(used_.compaction_options_fifo.max_table_files_size) +
                "; all tables are in level 0, and options of levels are not "
                "used");
        return Table("level 0", kLevelZero);
      case kCompactionStyleNone:
        Say("compaction_style", "none: only CompactRange compacts");
        return Tables();
    }
  }

  bool is_dynamic() const {
    return used_.level_compaction_dynamic_level_bytes &&
           used_.compaction_style == kCompactionStyleLevel;
  }

  void LeveledTree() {
    Say("level 0",
        used_.disable_auto_compactions
            ? "is never compacted automatically: disable_auto_compactions"
            : "is compacted with " +
                  std::to_string(used_.level0_file_num_compaction_trigger) +
                  " tables; writes slow down with " +
                  std::to_string(used_.level0_slowdown_writes_trigger) +
                  " and stop with " +
                  std::to_string(used_.level0_stop_writes_trigger));
    const Level last = LastLevelOf(used_);
    if (is_dynamic()) {
      Say("level_compaction_dynamic_level_bytes",
          "level 0 is compacted into the base level, at first level " +
              last.ToString() +
              "; the targets of levels follow from the largest level");
      Say("max_bytes_for_level_base",
          "not level 1's target: when the base level would exceed " +
              Bytes(used_.max_bytes_for_level_base) +
              ", the level above it becomes the base; no target is below it");
    } else {
      for (const Level level : kLevels) {
        if (level == kLevelZero || level > last) continue;
        Say("level " + level.ToString(),
            level == last ? "the last level, which has no limit"
                          : "may have " + Bytes(LevelBytesMax(level, used_)));
      }
    }
    if (used_.cf_allow_ingest_behind) {
      Say("cf_allow_ingest_behind", "level " + last.Next().ToString() +
                                        " is kept for files of ingest_behind; "
                                        "compactions keep tombstones");
    }
    Say("max_compaction_bytes",
        (used_.max_compaction_bytes == 0
             ? "0 means 25 times target_file_size_base: "
             : "") +
            Bytes(CompactionBytesMax(used_)));
    Tables();
  }

  // What tables of each level are like. In a dynamic tree, that depends on the
  // distance to the base level.
  void Tables() {
    for (const Level level : kLevels) {
      if (level > LastLevelOf(used_)) break;
      std::string name = "level " + level.ToString();
      if (is_dynamic() && level > kLevelZero) {
        const int below = level.value() - 1;
        name = "the base level" +
               (below == 0 ? "" : " + " + std::to_string(below));
      }
      Table(name, level);
    }
  }

  void Table(const std::string& name, Level level) {
    const Level base{1};
    const OutputCompression compaction =
        CompressionOf(used_, level, base, /*bottommost=*/false);
    const OutputCompression bottommost =
        CompressionOf(used_, level, base, /*bottommost=*/true);
    std::string fact;
    if (level == kLevelZero) {
      fact = "flushed with " + Codec(CompressionOfFlush(used_));
    } else {
      fact = Codec(compaction);
      if (Codec(bottommost) != Codec(compaction)) {
        fact += ", where nothing is below " + Codec(bottommost);
      }
      fact += ", up to " + Bytes(TableBytesMax(level, base, used_));
    }
    Say("tables of " + name, fact);
  }

  static std::string Codec(const OutputCompression& compression) {
    const CompressionOptions& how = compression.options;
    std::string text = CompressionTypeName(compression.type);
    if (how.level != CompressionOptions::kDefaultCompressionLevel) {
      text += " at level " + std::to_string(how.level);
    }
    if (how.max_dict_bytes == 0 || compression.type == kNoCompression) {
      return text;
    }
    const uint64_t dictionary = std::min<uint64_t>(
        how.max_dict_bytes, DictionaryBytesMax(compression.type));
    return text + (dictionary == 0 ? ", which has no dictionaries"
                                   : " with a dictionary of up to " +
                                         Bytes(dictionary) + " per table");
  }

  void Filters() {
    PointFilter("filters of flushes", kLevelZero, /*is_flush=*/true,
                /*is_bottommost=*/false);
    PointFilter("filters above the bottom", Level(1), /*is_flush=*/false,
                /*is_bottommost=*/false);
    PointFilter("filters of bottommost tables", LastLevelOf(used_),
                /*is_flush=*/false, /*is_bottommost=*/true);
    if (used_.prefix_extractor == nullptr) {
      Say("prefixes", "in no filter: there is no prefix_extractor");
    } else if (table().filter_policy == nullptr) {
      Say("prefixes", "in no filter: there is no filter_policy");
    } else {
      Say("prefixes",
          std::string("of ") + used_.prefix_extractor->Name() +
              " are in filters" +
              (table().whole_key_filtering
                   ? ", beside whole keys"
                   : ", without whole keys: Get probes for the prefix") +
              "; seeks probe them if bounds or prefix_same_as_start limit "
              "them to one prefix");
    }
    RangeFilter();
  }

  void PointFilter(const char* subject, Level level, bool is_flush,
                   bool is_bottommost) {
    TableBuildOptions build{KeyOrder(used_.comparator)};
    build.table = table();
    build.prefix_extractor = used_.prefix_extractor;
    build.level = level.value();
    build.is_flush = is_flush;
    build.is_bottommost = is_bottommost;
    build.skip_filters = is_bottommost && used_.optimize_filters_for_hits;
    build.file_name = "BlockBasedTableOptions";
    const Result<FilterChoice> choice = ChooseFilter(build);
    if (!choice.ok()) {
      Say(subject, "error: " + choice.status().ToString());
      return;
    }
    const FilterPlan& plan = choice->plan;
    if (plan.empty()) {
      Say(subject, "none: " + choice->reason);
      return;
    }
    Say(subject, (plan.codec != nullptr ? std::string(plan.codec->name())
                                        : plan.family) +
                     ", " + FilterPlacementName(plan.placement) + ": " +
                     choice->reason);
  }

  void RangeFilter() {
    using T = BlockBasedTableOptions;
    static constexpr const char* kNames[] = {"none", "Grafite", "Fence",
                                             "SuRF"};
    const T::RangeFilterType type = table().range_filter;
    if (type == T::kNoRangeFilter || type > T::kSurf) return;
    if (KeyOrder(used_.comparator).kind() != KeyOrder::Kind::kBytewise) {
      Say("range_filter", "none: the comparator is not bytewise");
      return;
    }
    Say("range_filter", std::string(kNames[type]) + ", of about " +
                            std::to_string(static_cast<int>(
                                table().range_filter_bits_per_key)) +
                            " bits per key; seeks probe it if a bound ends "
                            "them");
  }

  void Cache() {
    const BlockBasedTableOptions& t = table();
    Say("block_cache",
        t.block_cache == nullptr
            ? "not set: 32 MiB, shared by the families without one"
            : Bytes(t.block_cache->GetCapacity()));
    if (t.no_block_cache) {
      Say("no_block_cache", "data blocks are read from files each time");
    }
    Say("indexes and filters",
        t.cache_index_and_filter_blocks
            ? "are in the block cache, which may evict them"
            : "stay in memory while a table is open; max_open_files " +
                  (used_.max_open_files == -1
                       ? std::string("-1 keeps all tables open")
                       : "closes those above " +
                             std::to_string(used_.max_open_files)));
    const MetadataPins all = PinsOf(t, /*flushed=*/false);
    const MetadataPins flushed = PinsOf(t, /*flushed=*/true);
    if (t.cache_index_and_filter_blocks) {
      SayPinned("in one block", all.whole, flushed.whole);
      SayPinned("top levels of partitions", all.top_level, flushed.top_level);
    }
    SayPinned("partitions", all.partitions, flushed.partitions);
  }

  void SayPinned(const char* what, bool all, bool flushed) {
    if (!flushed) return;
    Say(std::string("... ") + what,
        std::string("are not evicted while a table is open") +
            (all ? ""
                 : ", at level 0 and below about 1.5 times " +
                       Bytes(used_.write_buffer_size)));
  }

  const Options& given_;
  std::vector<AdjustedOption> adjusted_;
  const Options used_;
  std::string text_;
};

}  // namespace

std::string Explain(const Options& options) {
  std::string text;
  const Status status = CatchExceptions([&] {
    TAMIS_RETURN_IF_ERROR(CheckDBOptions(options));
    TAMIS_RETURN_IF_ERROR(CheckFamilyOptions(options));
    text = Explanation(options).Text();
    return Status::OK();
  });
  if (status.ok()) return text;
  return "error: " + status.ToString() + "\n" + text;
}

}  // namespace tamis
