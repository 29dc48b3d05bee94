// SPDX-License-Identifier: Apache-2.0
//
// The flags of tamis_db_bench that make the options of its database, and those
// of RocksDB's that it refuses.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/directories.h"
#include "tests/tools/program.h"

namespace tamis {
namespace {

// The text of the database's OPTIONS file.
std::string OptionsOf(const std::string& db) {
  for (const auto& entry : std::filesystem::directory_iterator(db)) {
    if (entry.path().filename().string().starts_with("OPTIONS-")) {
      std::ifstream in(entry.path());
      return {std::istreambuf_iterator<char>(in), {}};
    }
  }
  return "";
}

// Each flag that is an option's text, with the line that it makes.
TEST(DbBenchFlagsTest, FlagsBecomeOptions) {
  struct Row {
    const char* flag;
    const char* line;
  };
  const Row rows[] = {
      {"--bytes_per_sync=4096", "bytes_per_sync=4096"},
      {"--wal_bytes_per_sync=8192", "wal_bytes_per_sync=8192"},
      {"--compaction_readahead_size=65536", "compaction_readahead_size=65536"},
      {"--db_write_buffer_size=1g", "db_write_buffer_size=1073741824"},
      {"--delayed_write_rate=1000000", "delayed_write_rate=1000000"},
      {"--max_total_wal_size=12345678", "max_total_wal_size=12345678"},
      {"--stats_dump_period_sec=60", "stats_dump_period_sec=60"},
      {"--wal_ttl_seconds=7", "WAL_ttl_seconds=7"},
      {"--wal_size_limit_MB=9", "WAL_size_limit_MB=9"},
      {"--wal_compression=zstd", "wal_compression=kZSTD"},
      {"--file_opening_threads=3", "max_file_opening_threads=3"},
      {"--writable_file_max_buffer_size=4096",
       "writable_file_max_buffer_size=4096"},
      {"--write_thread_max_yield_usec=5", "write_thread_max_yield_usec=5"},
      {"--write_thread_slow_yield_usec=6", "write_thread_slow_yield_usec=6"},
      {"--manual_wal_flush", "manual_wal_flush=true"},
      {"--noallow_concurrent_memtable_write",
       "allow_concurrent_memtable_write=false"},
      {"--enable_pipelined_write", "enable_pipelined_write=true"},
      {"--noenable_write_thread_adaptive_yield",
       "enable_write_thread_adaptive_yield=false"},
      {"--unordered_write", "unordered_write=true"},
      {"--use_adaptive_mutex", "use_adaptive_mutex=true"},
      {"--use_fsync", "use_fsync=true"},
      {"--num_levels=5", "num_levels=5"},
      {"--max_bytes_for_level_multiplier=7",
       "max_bytes_for_level_multiplier=7"},
      {"--max_bytes_for_level_multiplier_additional=1:2:3:4:5",
       "max_bytes_for_level_multiplier_additional=1:2:3:4:5"},
      {"--max_compaction_bytes=99999999", "max_compaction_bytes=99999999"},
      {"--target_file_size_multiplier=2", "target_file_size_multiplier=2"},
      {"--level0_slowdown_writes_trigger=21",
       "level0_slowdown_writes_trigger=21"},
      {"--level0_stop_writes_trigger=37", "level0_stop_writes_trigger=37"},
      {"--soft_pending_compaction_bytes_limit=77777",
       "soft_pending_compaction_bytes_limit=77777"},
      {"--hard_pending_compaction_bytes_limit=88888",
       "hard_pending_compaction_bytes_limit=88888"},
      {"--min_write_buffer_number_to_merge=1",
       "min_write_buffer_number_to_merge=1"},
      {"--ttl_seconds=1000", "ttl=1000"},
      {"--periodic_compaction_seconds=2000",
       "periodic_compaction_seconds=2000"},
      {"--compaction_style=1", "compaction_style=kCompactionStyleUniversal"},
      {"--compaction_pri=1", "compaction_pri=kOldestLargestSeqFirst"},
      {"--universal_size_ratio=3", "size_ratio=3"},
      {"--universal_min_merge_width=3", "min_merge_width=3"},
      {"--universal_max_merge_width=9", "max_merge_width=9"},
      {"--universal_max_size_amplification_percent=150",
       "max_size_amplification_percent=150"},
      {"--universal_compression_size_percent=80",
       "compression_size_percent=80"},
      {"--universal_allow_trivial_move", "allow_trivial_move=true"},
      {"--fifo_compaction_allow_compaction", "allow_compaction=true"},
      {"--fifo_compaction_max_table_files_size_mb=3",
       "max_table_files_size=3145728"},
      {"--compression_level=4", "level=4"},
      {"--compression_max_dict_bytes=4096", "max_dict_bytes=4096"},
      {"--compression_max_dict_buffer_bytes=99999",
       "max_dict_buffer_bytes=99999"},
      {"--compression_zstd_max_train_bytes=40960",
       "zstd_max_train_bytes=40960"},
      {"--nocompression_use_zstd_dict_trainer", "use_zstd_dict_trainer=false"},
      {"--memtable_bloom_size_ratio=0.1",
       "memtable_prefix_bloom_size_ratio=0.1"},
      {"--memtable_whole_key_filtering", "memtable_whole_key_filtering=true"},
      {"--optimize_filters_for_hits", "optimize_filters_for_hits=true"},
      {"--disable_auto_compactions", "disable_auto_compactions=true"},
      {"--nolevel_compaction_dynamic_level_bytes",
       "level_compaction_dynamic_level_bytes=false"},
      {"--block_restart_interval=8", "block_restart_interval=8"},
      {"--index_block_restart_interval=2", "index_block_restart_interval=2"},
      {"--metadata_block_size=2048", "metadata_block_size=2048"},
      {"--format_version=4", "format_version=4"},
      {"--checksum_type=1", "checksum=kCRC32c"},
      {"--index_shortening_mode=0", "index_shortening=kNoShortening"},
      {"--data_block_hash_table_util_ratio=0.6",
       "data_block_hash_table_util_ratio=0.6"},
      {"--nowhole_key_filtering", "whole_key_filtering=false"},
      {"--block_align", "block_align=true"},
      {"--prepopulate_block_cache=1", "prepopulate_block_cache=kFlushOnly"},
      {"--noenable_index_compression", "enable_index_compression=false"},
      {"--compression_type=none", "compression=kNoCompression"},
      {"--prefix_size=8", "prefix_extractor=rocksdb.FixedPrefix.8"},
      {"--merge_operator=max", "merge_operator=MaxOperator"},
      {"--use_data_block_hash_index",
       "data_block_index_type=kDataBlockBinaryAndHash"},
      {"--index_with_first_key", "index_type=kBinarySearchWithFirstKey"},
      {"--options=max_log_file_size=1m", "max_log_file_size=1048576"},
  };
  const TemporaryDirectory directory;
  std::vector<std::string> arguments = {"--db=" + directory.Path("db"),
                                        "--num=10", "--benchmarks=fillseq"};
  for (const Row& row : rows) arguments.emplace_back(row.flag);
  const Outcome ran = RunOurs("tamis_db_bench", arguments);
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  const std::string text = OptionsOf(directory.Path("db"));
  for (const Row& row : rows) {
    EXPECT_NE(text.find(row.line), std::string::npos) << row.flag << text;
  }
  // An OPTIONS file gives what no flag changes.
  std::ofstream(directory.Path("options")) << text;
  const Outcome again = RunOurs(
      "tamis_db_bench",
      {"--db=" + directory.Path("again"), "--num=10", "--benchmarks=fillseq",
       "--options_file=" + directory.Path("options"), "--num_levels=4",
       "--block_restart_interval=3"});
  ASSERT_EQ(again.exit_code, 0) << again.text;
  const std::string other = OptionsOf(directory.Path("again"));
  for (const char* line :
       {"num_levels=4", "block_restart_interval=3", "format_version=4",
        "max_compaction_bytes=99999999", "compression=kNoCompression"}) {
    EXPECT_NE(other.find(line), std::string::npos) << line << other;
  }
}

TEST(DbBenchFlagsTest, AWrongValueOfAnOptionIsNamed) {
  for (const auto& [flag, words] :
       std::vector<std::pair<std::string, std::string>>{
           {"--num_levels=many", "num_levels: \"many\" is not an integer"},
           {"--compaction_style=9", "compaction_style"},
           {"--options=no_such=1", "no_such"},
           {"--merge_operator=no_such", "--merge_operator is stringappend"},
           {"--options_file=/no/such", "/no/such"}}) {
    const Outcome ran =
        RunOurs("tamis_db_bench", {flag, "--benchmarks=fillseq"});
    EXPECT_EQ(ran.exit_code, 2) << flag;
    EXPECT_NE(ran.text.find(words), std::string::npos) << ran.text;
  }
}

// Each benchmark and flag of RocksDB's db_bench exists here, or is refused with
// a reason. Its --help names them.
TEST(DbBenchFlagsTest, NothingOfRocksDBsIsUnknown) {
  const CommandResult theirs = RunCommand("db_bench --help");
  if (theirs.output.find("db_bench_tool.cc:") == std::string::npos) {
    GTEST_SKIP() << "no db_bench of RocksDB";
  }
  const auto json = nlohmann::json::parse(
      RunOurs("tamis_db_bench", {"--describe=json"}).text);
  std::set<std::string> known;
  for (const char* list : {"flags", "refused_flags"}) {
    for (const auto& flag : json[list]) {
      EXPECT_TRUE(known.insert(flag["name"]).second) << flag;
    }
  }
  const std::string flags =
      theirs.output.substr(theirs.output.find("db_bench_tool.cc:"),
                           theirs.output.find("io_tracer_parser_tool.cc:") -
                               theirs.output.find("db_bench_tool.cc:"));
  const std::regex flag("\n    -([a-z_A-Z0-9]+) \\(");
  int count = 0;
  for (auto it = std::sregex_iterator(flags.begin(), flags.end(), flag);
       it != std::sregex_iterator(); ++it, ++count) {
    EXPECT_TRUE(known.contains((*it)[1].str())) << (*it)[1];
  }
  EXPECT_GT(count, 300);
  const TemporaryDirectory truth;
  RunOurs("tamis_db_bench",
          {"--db=" + truth.Path("db"), "--num=1", "--benchmarks=fillseq"});
  const std::regex benchmark("\n      \t([a-z_A-Z0-9]+) +-");
  count = 0;
  for (auto it = std::sregex_iterator(flags.begin(), flags.end(), benchmark);
       it != std::sregex_iterator(); ++it, ++count) {
    // A backup is needed first, or an equal database.
    const std::string before = (*it)[1] == "restore"  ? "backup,"
                               : (*it)[1] == "verify" ? "fillseq,"
                                                      : "";
    const Outcome ran = RunOurs(
        "tamis_db_bench", {"--num=1", "--reads=1", "--merge_operator=max",
                           "--file_checksum", "--truth_db=" + truth.Path("db"),
                           "--benchmarks=" + before + (*it)[1].str()});
    if (ran.exit_code == 0) continue;
    EXPECT_EQ(
        ran.text.find("tamis_db_bench: no benchmark " + (*it)[1].str() + ": "),
        0u)
        << ran.text;
  }
  EXPECT_GT(count, 40);
}

}  // namespace
}  // namespace tamis
