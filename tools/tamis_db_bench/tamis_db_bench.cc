// SPDX-License-Identifier: Apache-2.0
//
// tamis_db_bench: benchmarks with the names and flags of RocksDB's db_bench.
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <span>
#include <sstream>
#include <thread>
#include <unistd.h>

#include <gflags/gflags.h>

#include "tamis/cache.h"
#include "tamis/filter_policy.h"
#include "tamis/table.h"
#include "tamis/version.h"

#include "tools/tamis_db_bench/benchmarks.h"
#include "tools/tamis_db_bench/ycsb_benchmarks.h"
#include "tools/tool_main.h"
#include "tools/ycsb_workload.h"

DEFINE_string(benchmarks, "fillseq,fillrandom,overwrite,readrandom,readseq",
              "which, in order, separated by commas");
DEFINE_uint64(num, 1000000, "keys");
DEFINE_int64(reads, -1, "reads of each thread; below 0: as many as --num");
DEFINE_int64(writes, -1, "writes of each thread; below 0: as many as --num");
DEFINE_double(duration, 0,
              "seconds of each benchmark of random operations or writes; 0: "
              "--num, --reads and --writes say how many");
DEFINE_int32(key_size, 16, "bytes of a key");
DEFINE_int32(value_size, 100, "bytes of a value; of ycsb* by default 1000");
DEFINE_double(compression_ratio, 0.5,
              "compressed size of a value relative to its size");
DEFINE_string(compression_type, "snappy", "snappy, lz4, lz4hc, zstd or none");
DEFINE_uint32(compression_parallel_threads, 2,
              "threads that write a table; 1 as in RocksDB, or 2");
DEFINE_double(bloom_bits, 10, "bits of the filter per key; 0: no filter");
DEFINE_bool(use_ribbon_filter, false, "Ribbon instead of Bloom");
DEFINE_bool(use_block_based_filter, false, "a filter per 2 KiB of file");
DEFINE_bool(partition_index_and_filters, false, "in partitions");
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
DEFINE_bool(use_existing_db, false, "use the existing database");
DEFINE_int32(threads, 1, "threads that work at once");
DEFINE_uint64(seed, 301, "of keys and values");
DEFINE_string(db, "", "the database; empty: a temporary one");
DEFINE_int32(batch_size, 1, "puts in a batch, keys of a multireadrandom");
DEFINE_bool(multiread_batched, true, "batch_size keys in one MultiGet");
DEFINE_bool(mmap_read, false, "read tables through mappings");
DEFINE_bool(use_direct_reads, false, "read tables past the page cache");
DEFINE_bool(use_direct_io_for_flush_and_compaction, false,
            "write and compact tables past the page cache");
DEFINE_bool(sync, false, "sync each write");
DEFINE_bool(disable_wal, false, "write no log");
DEFINE_bool(verify_checksum, true, "of blocks that are read");
DEFINE_uint64(readahead_size, 0, "bytes, of iterators; 0: by themselves");
DEFINE_bool(async_io, false, "iterators read ahead while they are used");
DEFINE_uint64(seek_nexts, 0, "entries that a seekrandom reads after its key");
DEFINE_bool(reverse_iterator, false, "seekrandom reads on backward");
DEFINE_uint64(readwritepercent, 90,
              "percent of readrandomwriterandom that read");
DEFINE_bool(histogram, false, "print latencies");
DEFINE_bool(statistics, false, "print tickers with stats");
DEFINE_string(ycsb_distribution, "",
              "of ycsb*: uniform, zipfian, scrambled_zipfian or latest; empty: "
              "the workload's");
DEFINE_double(ycsb_absent, 0,
              "of ycsb*: share of reads of absent keys, 0 to 1");

namespace tamis::bench {

namespace {

const std::map<std::string, CompressionType>& CompressionTypes() {
  static const std::map<std::string, CompressionType> types = {
      {"none", kNoCompression},
      {"snappy", kSnappyCompression},
      {"lz4", kLZ4Compression},
      {"lz4hc", kLZ4HCCompression},
      {"zstd", kZSTD}};
  return types;
}

const FilterPolicy* NewPolicy() {
  if (FLAGS_bloom_bits <= 0) return nullptr;
  if (FLAGS_use_ribbon_filter) return NewRibbonFilterPolicy(FLAGS_bloom_bits);
  return NewBloomFilterPolicy(FLAGS_bloom_bits, FLAGS_use_block_based_filter);
}

Options DatabaseOptions(const std::shared_ptr<Statistics>& statistics) {
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewPolicy());
  table.block_size = FLAGS_block_size;
  if (FLAGS_partition_index_and_filters) {
    table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = FLAGS_bloom_bits > 0;
  }
  table.cache_index_and_filter_blocks = FLAGS_cache_index_and_filter_blocks;
  if (FLAGS_cache_size > 0) {
    table.block_cache = NewLRUCache(static_cast<size_t>(FLAGS_cache_size));
  } else {
    table.no_block_cache = true;
  }
  Options options;
  options.create_if_missing = true;
  options.write_buffer_size = FLAGS_write_buffer_size;
  options.max_write_buffer_number = FLAGS_max_write_buffer_number;
  options.max_background_jobs = FLAGS_max_background_jobs;
  options.max_subcompactions = FLAGS_subcompactions;
  options.max_open_files = FLAGS_open_files;
  options.target_file_size_base = FLAGS_target_file_size_base;
  options.max_bytes_for_level_base = FLAGS_max_bytes_for_level_base;
  options.level0_file_num_compaction_trigger =
      FLAGS_level0_file_num_compaction_trigger;
  options.compression = CompressionTypes().at(FLAGS_compression_type);
  options.compression_opts.parallel_threads =
      FLAGS_compression_parallel_threads;
  options.statistics = statistics;
  options.allow_mmap_reads = FLAGS_mmap_read;
  options.use_direct_reads = FLAGS_use_direct_reads;
  options.use_direct_io_for_flush_and_compaction =
      FLAGS_use_direct_io_for_flush_and_compaction;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  return options;
}

// Shows progress on a terminal while threads run.
class Progress {
 public:
  Progress(const std::string& name, const std::vector<ThreadStats>& threads)
      : name_(name), threads_(threads) {
    if (isatty(STDERR_FILENO) != 0) watcher_ = std::thread([this] { Watch(); });
  }
  ~Progress() {
    if (!watcher_.joinable()) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      done_ = true;
    }
    wake_.notify_one();
    watcher_.join();
    std::fprintf(stderr, "\r%60s\r", "");
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void Watch() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!wake_.wait_for(lock, std::chrono::milliseconds(250),
                           [this] { return done_; })) {
      uint64_t operations = 0;
      for (const ThreadStats& t : threads_) operations += t.operations();
      std::fprintf(stderr, "\r%s: %llu operations", name_.c_str(),
                   static_cast<unsigned long long>(operations));
    }
  }

  const std::string name_;
  const std::vector<ThreadStats>& threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread watcher_;
};

class Bench {
 public:
  Bench(std::string directory, Settings settings)
      : directory_(std::move(directory)), settings_(settings) {
    if (FLAGS_statistics) statistics_ = CreateDBStatistics();
  }

  int Run(const std::vector<std::string>& names) {
    PrintHeader(std::any_of(names.begin(), names.end(), [](const auto& name) {
      const Benchmark* const benchmark = FindBenchmark(name);
      return benchmark != nullptr && benchmark->ycsb;
    }));
    for (const std::string& name : names) {
      const int code =
          name == "stats" ? PrintStats() : RunOne(*FindBenchmark(name));
      if (code != kExitRight) return code;
    }
    db_.reset();
    return kExitRight;
  }

 private:
  Status Open(bool fresh) {
    const Options options = DatabaseOptions(statistics_);
    if (fresh && !FLAGS_use_existing_db) {
      db_.reset();
      const Status status = DestroyDB(directory_, options);
      if (!status.ok()) return status;
    }
    return db_ != nullptr ? Status::OK() : DB::Open(options, directory_, &db_);
  }

  int RunOne(const Benchmark& benchmark) {
    const Status opened = Open(benchmark.fresh_db);
    if (!opened.ok()) return Failed(opened);
    const int counted = benchmark.single_thread ? 1 : settings_.threads;
    std::vector<ThreadStats> stats(
        static_cast<size_t>(counted + benchmark.extra_threads));
    if (settings_.histogram) {
      for (ThreadStats& thread : stats) thread.KeepLatencies();
    }
    std::atomic<bool> counted_done{false};
    const uint64_t salt = ++benchmarks_run_;
    if (benchmark.fresh_db || records_ == nullptr) {
      records_ = std::make_unique<ycsb::Records>(settings_.num);
    }
    std::vector<YcsbResults> ycsb(benchmark.ycsb ? stats.size() : 0);
    {
      const Progress progress(benchmark.name, stats);
      std::vector<std::thread> threads;
      for (int i = 0; i < static_cast<int>(stats.size()); ++i) {
        ThreadStats* const own = &stats[static_cast<size_t>(i)];
        threads.emplace_back([&, own, i] {
          own->Start();
          benchmark.run(
              {db_.get(), &settings_, i, salt, &counted_done, own,
               records_.get(),
               ycsb.empty() ? nullptr : &ycsb[static_cast<size_t>(i)]});
          own->Stop();
        });
      }
      for (size_t i = 0; i < threads.size(); ++i) {
        if (i == static_cast<size_t>(counted)) counted_done = true;
        threads[i].join();
      }
    }
    const std::string error = Report(stats).error();
    if (!error.empty()) {
      std::fprintf(stderr, "%s: %s\n", benchmark.name, error.c_str());
      return kExitFailed;
    }
    const std::span<const ThreadStats> all(stats);
    const Report report(all.first(static_cast<size_t>(counted)));
    Print(report.Line(benchmark.name, benchmark.lookups) + "\n" +
          report.Histogram());
    if (settings_.histogram && all.size() > 1) PrintThreads(benchmark, all);
    if (benchmark.ycsb) Print(YcsbReport(benchmark.name, ycsb, db_.get()));
    return kExitRight;
  }

  // Prints each thread's part, uncounted writers included.
  static void PrintThreads(const Benchmark& benchmark,
                           std::span<const ThreadStats> threads) {
    for (size_t i = 0; i < threads.size(); ++i) {
      const Report one(threads.subspan(i, 1));
      Print("thread " + std::to_string(i) + ": " +
            one.Line(benchmark.name, /*lookups=*/false) + "\n" +
            one.Histogram());
    }
  }

  int PrintStats() {
    const Status opened = Open(false);
    if (!opened.ok()) return Failed(opened);
    std::string text;
    db_->GetProperty(DB::Properties::kStats, &text);
    Print(text);
    if (statistics_ != nullptr) Print(statistics_->ToString());
    return kExitRight;
  }

  // `ycsb`: with the settings of ycsb*.
  void PrintHeader(bool ycsb) const {
    std::ostringstream out;
    out << "Tamis:      version " << GetVersion() << "\n"
        << "Keys:       " << settings_.key_size << " bytes each\n"
        << "Values:     " << settings_.value_size << " bytes each ("
        << static_cast<int>(settings_.value_size * settings_.compression_ratio)
        << " bytes after compression)\n"
        << "Entries:    " << settings_.num << "\n"
        << "Compression: " << FLAGS_compression_type << "\n"
        << "DB path:    [" << directory_ << "]\n";
    if (ycsb) {
      out << "YCSB:       keys \"user<hash>\", values of "
          << settings_.ycsb_value_size << " bytes, "
          << (FLAGS_ycsb_distribution.empty() ? "distribution of the workload"
                                              : FLAGS_ycsb_distribution)
          << ", " << settings_.ycsb_absent << " of the reads absent\n";
    }
    out << "------------------------------------------------\n";
    Print(out.str());
  }

  const std::string directory_;
  const Settings settings_;
  std::shared_ptr<Statistics> statistics_;
  std::unique_ptr<DB> db_;
  std::unique_ptr<ycsb::Records> records_;
  uint64_t benchmarks_run_ = 0;
};

const char* WrongFlag() {
  if (FLAGS_num == 0) return "--num is 1 or more";
  if (FLAGS_threads < 1) return "--threads is 1 or more";
  if (FLAGS_key_size < 8) return "--key_size is 8 or more";
  if (FLAGS_value_size < 1) return "--value_size is 1 or more";
  if (FLAGS_batch_size < 1) return "--batch_size is 1 or more";
  if (!CompressionTypes().contains(FLAGS_compression_type)) {
    return "--compression_type is snappy, lz4, lz4hc, zstd or none";
  }
  if (!(FLAGS_duration >= 0 && FLAGS_duration <= 1e6)) {
    return "--duration is 0 to 1000000";
  }
  if (FLAGS_readwritepercent > 100) return "--readwritepercent is 0 to 100";
  ycsb::Distribution ignored{};
  if (!FLAGS_ycsb_distribution.empty() &&
      !ycsb::ParseDistribution(FLAGS_ycsb_distribution, &ignored)) {
    return "--ycsb_distribution is uniform, zipfian, scrambled_zipfian or "
           "latest";
  }
  if (!(FLAGS_ycsb_absent >= 0 && FLAGS_ycsb_absent <= 1)) {
    return "--ycsb_absent is 0 to 1";
  }
  return nullptr;
}

int Run(const std::vector<std::string>& arguments) {
  if (!arguments.empty()) return Misused("no arguments are expected");
  if (const char* wrong = WrongFlag()) return Misused(wrong);
  std::vector<std::string> names;
  std::istringstream list(FLAGS_benchmarks);
  for (std::string name; std::getline(list, name, ',');) {
    if (name != "stats" && FindBenchmark(name) == nullptr) {
      return Misused("no benchmark " + name);
    }
    names.push_back(name);
  }
  Settings settings;
  settings.num = FLAGS_num;
  settings.reads = FLAGS_reads < 0 ? 0 : static_cast<uint64_t>(FLAGS_reads);
  settings.writes = FLAGS_writes < 0 ? 0 : static_cast<uint64_t>(FLAGS_writes);
  settings.duration_seconds = FLAGS_duration;
  settings.disable_wal = FLAGS_disable_wal;
  settings.verify_checksums = FLAGS_verify_checksum;
  settings.readahead_size = FLAGS_readahead_size;
  settings.async_io = FLAGS_async_io;
  settings.seek_nexts = FLAGS_seek_nexts;
  settings.reverse_iterator = FLAGS_reverse_iterator;
  settings.read_percent = FLAGS_readwritepercent;
  settings.histogram = FLAGS_histogram;
  settings.key_size = FLAGS_key_size;
  settings.value_size = FLAGS_value_size;
  settings.compression_ratio = FLAGS_compression_ratio;
  settings.batch_size = FLAGS_batch_size;
  settings.multiread_batched = FLAGS_multiread_batched;
  settings.sync = FLAGS_sync;
  settings.threads = FLAGS_threads;
  settings.seed = FLAGS_seed;
  if (!gflags::GetCommandLineFlagInfoOrDie("value_size").is_default) {
    settings.ycsb_value_size = FLAGS_value_size;
  }
  ycsb::Distribution distribution{};
  if (ycsb::ParseDistribution(FLAGS_ycsb_distribution, &distribution)) {
    settings.ycsb_distribution = distribution;
  }
  settings.ycsb_absent = FLAGS_ycsb_absent;

  const bool temporary = FLAGS_db.empty();
  const std::string directory =
      temporary ? std::filesystem::temp_directory_path().string() +
                      "/tamis_db_bench." + std::to_string(getpid())
                : FLAGS_db;
  const int code = Bench(directory, settings).Run(names);
  if (temporary) std::filesystem::remove_all(directory);
  return code;
}

const CommandTable kTable = {
    "[--benchmarks=LIST] [--num=N] [--threads=N] [--db=DIR] [flags]",
    "Runs benchmarks with the names and flags of RocksDB's db_bench: each of "
    "--threads\ndoes --reads or --writes operations, by default --num.\n\n"
    "Benchmarks: fillseq, fillrandom, fillbatch, fillsync, overwrite,\n"
    "deleteseq, deleterandom, readrandom, readmissing, multireadrandom,\n"
    "readseq, readreverse, seekrandom, newiterator, readwhilewriting,\n"
    "seekrandomwhilewriting, readrandomwriterandom, flush, compact, stats;\n"
    "YCSB: ycsbload, then ycsba to ycsbf.\n",
};

}  // namespace

}  // namespace tamis::bench

int main(int argc, char** argv) {
  return tamis::RunTool(
      {"tamis_db_bench", nullptr, tamis::bench::Run, &tamis::bench::kTable},
      argc, argv);
}
