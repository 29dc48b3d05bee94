// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/database_flags.h"

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "tamis/cache.h"
#include "tamis/compaction_filter.h"
#include "tamis/convenience.h"
#include "tamis/file_checksum.h"
#include "tamis/filter_policy.h"
#include "tamis/rate_limiter.h"
#include "tamis/table.h"
#include "tamis/utilities/merge_operators.h"
#include "tamis/utilities/options_util.h"

#include "tools/command_table.h"
#include "tools/tool_main.h"

DECLARE_int32(key_size);

TAMIS_FLAG(string, options_file, "", "FILE",
           "an OPTIONS file of either engine; other flags change what it says");
TAMIS_FLAG(string, options, "", "TEXT",
           "options as text, \"write_buffer_size=8m;num_levels=4\"");
TAMIS_FLAG(string, compression_type, "snappy", "CODEC", "of tables",
           tamis::Among({"none", "snappy", "zlib", "bzip2", "lz4", "lz4hc",
                         "zstd"}));
DEFINE_uint32(compression_parallel_threads, 2,
              "threads that write a table; 1 as in RocksDB, or 2");
DEFINE_double(bloom_bits, 10, "bits of the filter per key; 0: no filter");
DEFINE_bool(use_ribbon_filter, false, "Ribbon instead of Bloom");
DEFINE_bool(use_block_based_filter, false, "a filter per 2 KiB of file");
DEFINE_bool(partition_index, false, "the index in partitions");
DEFINE_bool(partition_index_and_filters, false, "both in partitions");
DEFINE_bool(index_with_first_key, false, "an index with first keys");
DEFINE_bool(use_data_block_hash_index, false, "a hash index in data blocks");
DEFINE_int64(cache_size, 32 << 20, "bytes of the block cache; 0: none");
DEFINE_bool(cache_index_and_filter_blocks, false, "they too are in the cache");
DEFINE_uint64(block_size, 4096, "bytes of a data block");
DEFINE_uint64(write_buffer_size, 64 << 20, "bytes of a memtable");
DEFINE_int32(max_write_buffer_number, 2, "memtables");
DEFINE_int32(max_background_jobs, 2, "flushes and compactions at once");
DEFINE_uint32(subcompactions, 1, "parts of a compaction at once");
DEFINE_int32(open_files, -1, "tables open at once; -1: all");
DEFINE_uint64(target_file_size_base, 64 << 20, "bytes of a table");
DEFINE_uint64(max_bytes_for_level_base, 256 << 20, "bytes of level 1");
DEFINE_int32(level0_file_num_compaction_trigger, 4, "tables");
DEFINE_bool(mmap_read, false, "read tables through mappings");
DEFINE_bool(use_direct_reads, false, "read tables past the page cache");
DEFINE_bool(use_direct_io_for_flush_and_compaction, false,
            "write and compact tables past the page cache");
DEFINE_int32(prefix_size, 0, "bytes of the prefix in filters; 0: none");
DEFINE_bool(use_plain_table, false, "new tables are plain tables");
DEFINE_bool(use_cuckoo_table, false, "new tables are cuckoo tables");
DEFINE_double(cuckoo_hash_ratio, 0.9, "entries per bucket of a cuckoo table");
DEFINE_bool(identity_as_first_hash, false,
            "the first 8 bytes of a key are its first hash in a cuckoo table");
DEFINE_string(merge_operator, "",
              "stringappend, uint64add or max; needed by what merges");
DEFINE_bool(use_keep_filter, false, "a compaction filter that keeps all");
DEFINE_bool(file_checksum, false, "a checksum of each file in the MANIFEST");
DEFINE_uint64(rate_limiter_bytes_per_sec, 0,
              "of flushes and compactions; 0: no limit");
DEFINE_int64(rate_limiter_refill_period_us, 100000, "micros between refills");
DEFINE_bool(rate_limiter_auto_tuned, false, "the limit follows the demand");

namespace tamis::bench {

namespace {

enum class Part { kDatabase, kFamily, kTable };

// RocksDB's flag, and the option whose text it is. TEXT takes a value, FLAG is
// a boolean with the option's default.
#define TAMIS_OPTION_FLAGS(TEXT, FLAG)                                         \
  TEXT(kDatabase, bytes_per_sync, "bytes_per_sync")                            \
  TEXT(kDatabase, wal_bytes_per_sync, "wal_bytes_per_sync")                    \
  TEXT(kDatabase, compaction_readahead_size, "compaction_readahead_size")      \
  TEXT(kDatabase, db_write_buffer_size, "db_write_buffer_size")                \
  TEXT(kDatabase, delayed_write_rate, "delayed_write_rate")                    \
  TEXT(kDatabase, max_total_wal_size, "max_total_wal_size")                    \
  TEXT(kDatabase, stats_dump_period_sec, "stats_dump_period_sec")              \
  TEXT(kDatabase, stats_persist_period_sec, "stats_persist_period_sec")        \
  TEXT(kDatabase, stats_history_buffer_size, "stats_history_buffer_size")      \
  TEXT(kDatabase, wal_dir, "wal_dir")                                          \
  TEXT(kDatabase, wal_ttl_seconds, "WAL_ttl_seconds")                          \
  TEXT(kDatabase, wal_size_limit_MB, "WAL_size_limit_MB")                      \
  TEXT(kDatabase, wal_compression, "wal_compression")                          \
  TEXT(kDatabase, max_background_flushes, "max_background_flushes")            \
  TEXT(kDatabase, max_background_compactions, "max_background_compactions")    \
  TEXT(kDatabase, file_opening_threads, "max_file_opening_threads")            \
  TEXT(kDatabase, log_readahead_size, "log_readahead_size")                    \
  TEXT(kDatabase, random_access_max_buffer_size,                               \
       "random_access_max_buffer_size")                                        \
  TEXT(kDatabase, writable_file_max_buffer_size,                               \
       "writable_file_max_buffer_size")                                        \
  TEXT(kDatabase, table_cache_numshardbits, "table_cache_numshardbits")        \
  TEXT(kDatabase, write_thread_max_yield_usec, "write_thread_max_yield_usec")  \
  TEXT(kDatabase, write_thread_slow_yield_usec,                                \
       "write_thread_slow_yield_usec")                                         \
  TEXT(kDatabase, delete_obsolete_files_period_micros,                         \
       "delete_obsolete_files_period_micros")                                  \
  FLAG(kDatabase, manual_wal_flush, "manual_wal_flush", false)                 \
  FLAG(kDatabase, allow_concurrent_memtable_write,                             \
       "allow_concurrent_memtable_write", true)                                \
  FLAG(kDatabase, enable_pipelined_write, "enable_pipelined_write", false)     \
  FLAG(kDatabase, enable_write_thread_adaptive_yield,                          \
       "enable_write_thread_adaptive_yield", true)                             \
  FLAG(kDatabase, unordered_write, "unordered_write", false)                   \
  FLAG(kDatabase, use_adaptive_mutex, "use_adaptive_mutex", false)             \
  FLAG(kDatabase, use_fsync, "use_fsync", false)                               \
  FLAG(kDatabase, mmap_write, "allow_mmap_writes", false)                      \
  FLAG(kDatabase, advise_random_on_open, "advise_random_on_open", true)        \
  FLAG(kDatabase, avoid_flush_during_recovery, "avoid_flush_during_recovery",  \
       false)                                                                  \
  FLAG(kDatabase, dump_malloc_stats, "dump_malloc_stats", false)               \
  FLAG(kDatabase, paranoid_checks, "paranoid_checks", true)                    \
  TEXT(kFamily, num_levels, "num_levels")                                      \
  TEXT(kFamily, max_bytes_for_level_multiplier,                                \
       "max_bytes_for_level_multiplier")                                       \
  TEXT(kFamily, max_bytes_for_level_multiplier_additional,                     \
       "max_bytes_for_level_multiplier_additional")                            \
  TEXT(kFamily, max_compaction_bytes, "max_compaction_bytes")                  \
  TEXT(kFamily, target_file_size_multiplier, "target_file_size_multiplier")    \
  TEXT(kFamily, level0_slowdown_writes_trigger,                                \
       "level0_slowdown_writes_trigger")                                       \
  TEXT(kFamily, level0_stop_writes_trigger, "level0_stop_writes_trigger")      \
  TEXT(kFamily, soft_pending_compaction_bytes_limit,                           \
       "soft_pending_compaction_bytes_limit")                                  \
  TEXT(kFamily, hard_pending_compaction_bytes_limit,                           \
       "hard_pending_compaction_bytes_limit")                                  \
  TEXT(kFamily, min_write_buffer_number_to_merge,                              \
       "min_write_buffer_number_to_merge")                                     \
  TEXT(kFamily, ttl_seconds, "ttl")                                            \
  TEXT(kFamily, periodic_compaction_seconds, "periodic_compaction_seconds")    \
  TEXT(kFamily, compaction_style, "compaction_style")                          \
  TEXT(kFamily, compaction_pri, "compaction_pri")                              \
  TEXT(kFamily, universal_size_ratio,                                          \
       "compaction_options_universal.size_ratio")                              \
  TEXT(kFamily, universal_min_merge_width,                                     \
       "compaction_options_universal.min_merge_width")                         \
  TEXT(kFamily, universal_max_merge_width,                                     \
       "compaction_options_universal.max_merge_width")                         \
  TEXT(kFamily, universal_max_size_amplification_percent,                      \
       "compaction_options_universal.max_size_amplification_percent")          \
  TEXT(kFamily, universal_compression_size_percent,                            \
       "compaction_options_universal.compression_size_percent")                \
  FLAG(kFamily, universal_allow_trivial_move,                                  \
       "compaction_options_universal.allow_trivial_move", false)               \
  FLAG(kFamily, fifo_compaction_allow_compaction,                              \
       "compaction_options_fifo.allow_compaction", false)                      \
  TEXT(kFamily, fifo_compaction_ttl, "ttl")                                    \
  TEXT(kFamily, compression_level, "compression_opts.level")                   \
  TEXT(kFamily, compression_max_dict_bytes, "compression_opts.max_dict_bytes") \
  TEXT(kFamily, compression_max_dict_buffer_bytes,                             \
       "compression_opts.max_dict_buffer_bytes")                               \
  TEXT(kFamily, compression_zstd_max_train_bytes,                              \
       "compression_opts.zstd_max_train_bytes")                                \
  FLAG(kFamily, compression_use_zstd_dict_trainer,                             \
       "compression_opts.use_zstd_dict_trainer", true)                         \
  TEXT(kFamily, memtable_bloom_size_ratio, "memtable_prefix_bloom_size_ratio") \
  TEXT(kFamily, arena_block_size, "arena_block_size")                          \
  TEXT(kFamily, bloom_locality, "bloom_locality")                              \
  TEXT(kFamily, max_write_buffer_size_to_maintain,                             \
       "max_write_buffer_size_to_maintain")                                    \
  TEXT(kFamily, max_successive_merges, "max_successive_merges")                \
  TEXT(kFamily, sample_for_compression, "sample_for_compression")              \
  TEXT(kFamily, inplace_update_num_locks, "inplace_update_num_locks")          \
  FLAG(kFamily, inplace_update_support, "inplace_update_support", false)       \
  FLAG(kFamily, memtable_whole_key_filtering, "memtable_whole_key_filtering",  \
       false)                                                                  \
  FLAG(kFamily, optimize_filters_for_hits, "optimize_filters_for_hits", false) \
  FLAG(kFamily, disable_auto_compactions, "disable_auto_compactions", false)   \
  FLAG(kFamily, level_compaction_dynamic_level_bytes,                          \
       "level_compaction_dynamic_level_bytes", true)                           \
  FLAG(kFamily, report_bg_io_stats, "report_bg_io_stats", false)               \
  FLAG(kFamily, force_consistency_checks, "force_consistency_checks", true)    \
  FLAG(kFamily, check_flush_compaction_key_order,                              \
       "check_flush_compaction_key_order", true)                               \
  TEXT(kTable, block_restart_interval, "block_restart_interval")               \
  TEXT(kTable, index_block_restart_interval, "index_block_restart_interval")   \
  TEXT(kTable, metadata_block_size, "metadata_block_size")                     \
  TEXT(kTable, format_version, "format_version")                               \
  TEXT(kTable, checksum_type, "checksum")                                      \
  TEXT(kTable, index_shortening_mode, "index_shortening")                      \
  TEXT(kTable, data_block_hash_table_util_ratio,                               \
       "data_block_hash_table_util_ratio")                                     \
  TEXT(kTable, read_amp_bytes_per_bit, "read_amp_bytes_per_bit")               \
  TEXT(kTable, prepopulate_block_cache, "prepopulate_block_cache")             \
  FLAG(kTable, whole_key_filtering, "whole_key_filtering", true)               \
  FLAG(kTable, block_align, "block_align", false)                              \
  FLAG(kTable, enable_index_compression, "enable_index_compression", true)     \
  FLAG(kTable, pin_l0_filter_and_index_blocks_in_cache,                        \
       "pin_l0_filter_and_index_blocks_in_cache", false)                       \
  FLAG(kTable, pin_top_level_index_and_filter,                                 \
       "pin_top_level_index_and_filter", true)                                 \
  FLAG(kTable, optimize_filters_for_memory, "optimize_filters_for_memory", true)

// A flag whose text becomes an option's.
struct OptionFlag {
  Part part;
  const char* flag;
  const char* option;
};

#define TAMIS_TEXT_ROW(part, flag, option) {Part::part, #flag, option},
#define TAMIS_FLAG_ROW(part, flag, option, value) {Part::part, #flag, option},
constexpr OptionFlag kOptionFlags[] = {
    TAMIS_OPTION_FLAGS(TAMIS_TEXT_ROW, TAMIS_FLAG_ROW)};
#undef TAMIS_TEXT_ROW
#undef TAMIS_FLAG_ROW

// RocksDB's flags of these options have numbers or short names.
struct Spelling {
  const char* flag;
  const char* value;
  const char* text;
};
constexpr Spelling kSpellings[] = {
    {"compaction_style", "0", "kCompactionStyleLevel"},
    {"compaction_style", "1", "kCompactionStyleUniversal"},
    {"compaction_style", "2", "kCompactionStyleFIFO"},
    {"compaction_style", "3", "kCompactionStyleNone"},
    {"compaction_pri", "0", "kByCompensatedSize"},
    {"compaction_pri", "1", "kOldestLargestSeqFirst"},
    {"compaction_pri", "2", "kOldestSmallestSeqFirst"},
    {"compaction_pri", "3", "kMinOverlappingRatio"},
    {"compaction_pri", "4", "kRoundRobin"},
    {"prepopulate_block_cache", "0", "kDisable"},
    {"prepopulate_block_cache", "1", "kFlushOnly"},
    {"checksum_type", "0", "kNoChecksum"},
    {"checksum_type", "1", "kCRC32c"},
    {"checksum_type", "2", "kxxHash"},
    {"checksum_type", "3", "kxxHash64"},
    {"checksum_type", "4", "kXXH3"},
    {"index_shortening_mode", "0", "kNoShortening"},
    {"index_shortening_mode", "1", "kShortenSeparators"},
    {"index_shortening_mode", "2", "kShortenSeparatorsAndSuccessor"},
    {"wal_compression", "none", "kNoCompression"},
    {"wal_compression", "zstd", "kZSTD"},
};

}  // namespace

}  // namespace tamis::bench

#define TAMIS_DEFINE_TEXT(part, flag, option) \
  TAMIS_FLAG(string, flag, "", "VALUE", "the option " option);
#define TAMIS_DEFINE_FLAG(part, flag, option, value) \
  DEFINE_bool(flag, value, "the option " option);
TAMIS_OPTION_FLAGS(TAMIS_DEFINE_TEXT, TAMIS_DEFINE_FLAG)
#undef TAMIS_DEFINE_TEXT
#undef TAMIS_DEFINE_FLAG
TAMIS_FLAG(uint64, fifo_compaction_max_table_files_size_mb, 1024, "N",
           "MiB of tables that FIFO compaction keeps");

namespace tamis::bench {

namespace {

using OptionMap = std::unordered_map<std::string, std::string>;

std::string TextOf(const OptionFlag& row) {
  std::string value;
  gflags::GetCommandLineOption(row.flag, &value);
  for (const Spelling& spelling : kSpellings) {
    if (std::string_view(spelling.flag) == row.flag &&
        value == spelling.value) {
      return spelling.text;
    }
  }
  return value;
}

OptionMap GivenOptions(Part part) {
  OptionMap options;
  for (const OptionFlag& row : kOptionFlags) {
    if (row.part == part && IsGiven(row.flag)) {
      options[row.option] = TextOf(row);
    }
  }
  return options;
}

const FilterPolicy* NewPolicy() {
  if (FLAGS_bloom_bits <= 0) return nullptr;
  if (FLAGS_use_ribbon_filter) return NewRibbonFilterPolicy(FLAGS_bloom_bits);
  return NewBloomFilterPolicy(FLAGS_bloom_bits, FLAGS_use_block_based_filter);
}

// True if the flag decides, rather than an OPTIONS file.
bool Decides(const char* flag) {
  return FLAGS_options_file.empty() || IsGiven(flag);
}

void SetIndex(BlockBasedTableOptions* table) {
  if (FLAGS_partition_index || FLAGS_partition_index_and_filters) {
    table->index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    table->partition_filters =
        FLAGS_partition_index_and_filters && table->filter_policy != nullptr;
  } else if (FLAGS_index_with_first_key) {
    table->index_type = BlockBasedTableOptions::kBinarySearchWithFirstKey;
  }
  if (FLAGS_use_data_block_hash_index) {
    table->data_block_index_type =
        BlockBasedTableOptions::kDataBlockBinaryAndHash;
  }
}

// Factories with this cache and filter.
std::shared_ptr<TableFactory> PlainFactory(
    const std::shared_ptr<TableFactory>& blocks) {
  PlainTableOptions plain;
  plain.user_key_len = static_cast<uint32_t>(FLAGS_key_size);
  plain.bloom_bits_per_key = static_cast<int>(FLAGS_bloom_bits);
  return std::shared_ptr<TableFactory>(NewAdaptiveTableFactory(
      std::shared_ptr<TableFactory>(NewPlainTableFactory(plain)), blocks));
}
std::shared_ptr<TableFactory> CuckooFactory(
    const std::shared_ptr<TableFactory>& blocks) {
  CuckooTableOptions cuckoo;
  cuckoo.hash_table_ratio = FLAGS_cuckoo_hash_ratio;
  cuckoo.identity_as_first_hash = FLAGS_identity_as_first_hash;
  return std::shared_ptr<TableFactory>(NewAdaptiveTableFactory(
      std::shared_ptr<TableFactory>(NewCuckooTableFactory(cuckoo)), blocks));
}

Status SetTable(Options* options) {
  BlockBasedTableOptions table;
  if (options->table_factory != nullptr) {
    const auto* const present =
        options->table_factory->GetOptions<BlockBasedTableOptions>();
    if (present != nullptr) table = *present;
  }
  if (Decides("bloom_bits")) table.filter_policy.reset(NewPolicy());
  if (Decides("block_size")) table.block_size = FLAGS_block_size;
  SetIndex(&table);
  if (Decides("cache_index_and_filter_blocks")) {
    table.cache_index_and_filter_blocks = FLAGS_cache_index_and_filter_blocks;
  }
  if (FLAGS_cache_size > 0) {
    table.block_cache = NewLRUCache(static_cast<size_t>(FLAGS_cache_size));
  } else {
    table.no_block_cache = true;
  }
  const Status status = GetBlockBasedTableOptionsFromMap(
      table, GivenOptions(Part::kTable), &table);
  if (!status.ok()) return status;
  const std::shared_ptr<TableFactory> blocks(NewBlockBasedTableFactory(table));
  options->table_factory = FLAGS_use_plain_table    ? PlainFactory(blocks)
                           : FLAGS_use_cuckoo_table ? CuckooFactory(blocks)
                                                    : blocks;
  return Status::OK();
}

CompressionType CodecOf(const std::string& name) {
  static constexpr std::array<std::pair<std::string_view, CompressionType>, 7>
      kCodecs = {{{"none", kNoCompression},
                  {"snappy", kSnappyCompression},
                  {"zlib", kZlibCompression},
                  {"bzip2", kBZip2Compression},
                  {"lz4", kLZ4Compression},
                  {"lz4hc", kLZ4HCCompression},
                  {"zstd", kZSTD}}};
  for (const auto& [known, type] : kCodecs) {
    if (known == name) return type;
  }
  return kNoCompression;  // not reached: the flag takes no other
}

class KeepFilter final : public CompactionFilter {
 public:
  const char* Name() const override { return "KeepFilter"; }
  bool Filter(int /*level*/, const Slice& /*key*/, const Slice& /*value*/,
              std::string* /*new_value*/,
              bool* /*value_changed*/) const override {
    return false;
  }
};

const CompactionFilter* TheKeepFilter() {
  static const KeepFilter filter;
  return &filter;
}

// Sets what has a flag of its own type.
void SetNumbers(Options* options) {
  const auto set = [](const char* flag, auto* option, auto value) {
    if (Decides(flag)) *option = static_cast<decltype(+*option)>(value);
  };
  set("write_buffer_size", &options->write_buffer_size,
      FLAGS_write_buffer_size);
  set("max_write_buffer_number", &options->max_write_buffer_number,
      FLAGS_max_write_buffer_number);
  set("max_background_jobs", &options->max_background_jobs,
      FLAGS_max_background_jobs);
  set("subcompactions", &options->max_subcompactions, FLAGS_subcompactions);
  set("open_files", &options->max_open_files, FLAGS_open_files);
  set("target_file_size_base", &options->target_file_size_base,
      FLAGS_target_file_size_base);
  set("max_bytes_for_level_base", &options->max_bytes_for_level_base,
      FLAGS_max_bytes_for_level_base);
  set("level0_file_num_compaction_trigger",
      &options->level0_file_num_compaction_trigger,
      FLAGS_level0_file_num_compaction_trigger);
  set("compression_parallel_threads",
      &options->compression_opts.parallel_threads,
      FLAGS_compression_parallel_threads);
  if (Decides("compression_type")) {
    options->compression = CodecOf(FLAGS_compression_type);
  }
  if (Decides("mmap_read")) options->allow_mmap_reads = FLAGS_mmap_read;
  if (Decides("use_direct_reads")) {
    options->use_direct_reads = FLAGS_use_direct_reads;
  }
  if (Decides("use_direct_io_for_flush_and_compaction")) {
    options->use_direct_io_for_flush_and_compaction =
        FLAGS_use_direct_io_for_flush_and_compaction;
  }
  if (IsGiven("fifo_compaction_max_table_files_size_mb")) {
    options->compaction_options_fifo.max_table_files_size =
        FLAGS_fifo_compaction_max_table_files_size_mb << 20;
  }
}

Status SetObjects(Options* options) {
  if (FLAGS_prefix_size > 0) {
    options->prefix_extractor.reset(
        NewFixedPrefixTransform(static_cast<size_t>(FLAGS_prefix_size)));
  }
  if (!FLAGS_merge_operator.empty()) {
    options->merge_operator =
        MergeOperators::CreateFromName(FLAGS_merge_operator);
    if (options->merge_operator == nullptr) {
      return Status::InvalidArgument(
          "--merge_operator is stringappend, uint64add or max, not '" +
          FLAGS_merge_operator + "'");
    }
  }
  if (FLAGS_use_keep_filter) options->compaction_filter = TheKeepFilter();
  if (FLAGS_file_checksum) {
    options->file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  }
  if (FLAGS_rate_limiter_bytes_per_sec > 0) {
    options->rate_limiter.reset(NewGenericRateLimiter(
        static_cast<int64_t>(FLAGS_rate_limiter_bytes_per_sec),
        FLAGS_rate_limiter_refill_period_us, 10, RateLimiter::Mode::kWritesOnly,
        FLAGS_rate_limiter_auto_tuned));
  }
  return Status::OK();
}

Status ReadOptionsFile(Options* options) {
  if (FLAGS_options_file.empty()) return Status::OK();
  DBOptions database;
  std::vector<ColumnFamilyDescriptor> families;
  const Status status = LoadOptionsFromFile(ConfigOptions(), FLAGS_options_file,
                                            &database, &families);
  if (!status.ok()) return status;
  for (const ColumnFamilyDescriptor& family : families) {
    if (family.name == kDefaultColumnFamilyName) {
      *options = Options(database, family.options);
    }
  }
  return Status::OK();
}

}  // namespace

Status DatabaseOptions(const std::shared_ptr<Statistics>& statistics,
                       Options* options) {
  *options = Options();
  Status status = ReadOptionsFile(options);
  if (!status.ok()) return status;
  options->create_if_missing = true;
  options->statistics = statistics;
  SetNumbers(options);
  status = SetTable(options);
  if (!status.ok()) return status;
  DBOptions database;
  status =
      GetDBOptionsFromMap(*options, GivenOptions(Part::kDatabase), &database);
  if (!status.ok()) return status;
  ColumnFamilyOptions family;
  status = GetColumnFamilyOptionsFromMap(*options, GivenOptions(Part::kFamily),
                                         &family);
  if (!status.ok()) return status;
  *options = Options(database, family);
  status = SetObjects(options);
  if (!status.ok()) return status;
  return GetOptionsFromString(*options, FLAGS_options, options);
}

}  // namespace tamis::bench
