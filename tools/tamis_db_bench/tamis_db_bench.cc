// SPDX-License-Identifier: Apache-2.0
//
// tamis_db_bench: benchmarks with the names and flags of RocksDB's db_bench.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "tamis/version.h"

#include "tools/tamis_db_bench/bench_compare.h"
#include "tools/tamis_db_bench/bench_runner.h"
#include "tools/tamis_db_bench/benchmarks.h"
#include "tools/tamis_db_bench/database_flags.h"
#include "tools/tamis_db_bench/mix_flags.h"
#include "tools/tamis_db_bench/refusals.h"
#include "tools/tool_main.h"

TAMIS_FLAG(string, benchmarks,
           "fillseq,fillrandom,overwrite,readrandom,readseq", "LIST",
           "which, in order, separated by commas; name[X5-W2]: five runs after "
           "two that do not count");
TAMIS_FLAG(uint64, num, 1000000, "N", "keys", tamis::AtLeast(1));
DEFINE_int64(reads, -1, "reads of each thread; below 0: as many as --num");
DEFINE_int64(writes, -1, "writes of each thread; below 0: as many as --num");
DEFINE_int64(deletes, -1, "deletes of each thread; below 0: as many as --num");
TAMIS_FLAG(
    double, duration, 0, "SECONDS",
    "of each benchmark of random operations or writes; 0: --num, --reads "
    "and --writes say how many; of ycsb* at most",
    tamis::Between(0, 1e6));
TAMIS_FLAG(int32, repeat, 1, "N",
           "runs of each benchmark, with mean, 95 % interval and median",
           tamis::Between(1, 1000));
DEFINE_bool(confidence_interval_only, false,
            "of several runs, print the 95 % interval alone");
TAMIS_FLAG(double, open_loop_rate, 0, "X",
           "operations per second of all threads, which begin when due, not "
           "when the one before has ended: latencies count from then; 0: none",
           tamis::AtLeast(0));
TAMIS_FLAG(uint64, benchmark_read_rate_limit, 0, "N",
           "operations per second of all threads that read; 0: none");
TAMIS_FLAG(uint64, benchmark_write_rate_limit, 0, "N",
           "bytes per second of all threads that write; 0: none");
TAMIS_FLAG(int32, key_size, 16, "N", "bytes of a key", tamis::AtLeast(8));
TAMIS_FLAG(int32, value_size, 100, "N",
           "bytes of a value; of ycsb* by default 1000", tamis::AtLeast(1));
TAMIS_FLAG(double, compression_ratio, 0.5, "X",
           "compressed size of a value relative to its size",
           tamis::Between(0, 1));
DEFINE_bool(use_existing_db, false, "use the existing database");
TAMIS_FLAG(int32, threads, 1, "N", "threads that work at once",
           tamis::Between(1, 10000));
DEFINE_uint64(seed, 301, "of keys and values");
DEFINE_string(db, "", "the database; empty: a temporary one");
TAMIS_FLAG(int32, batch_size, 1, "N",
           "puts in a batch, keys of a multireadrandom", tamis::AtLeast(1));
DEFINE_bool(multiread_batched, true, "batch_size keys in one MultiGet");
DEFINE_uint64(multiread_stride, 0,
              "keys of a MultiGet are this far apart; 0: random");
DEFINE_double(read_random_exp_range, 0,
              "keys read are num * e^-x, x below it; 0: uniform");
DEFINE_bool(sync, false, "sync each write");
DEFINE_bool(disable_wal, false, "write no log");
DEFINE_bool(verify_checksum, true, "of blocks that are read");
DEFINE_bool(total_order_seek, false, "iterators use no prefix");
DEFINE_bool(prefix_same_as_start, false, "iterators end with their prefix");
DEFINE_bool(auto_prefix_mode, false, "iterators use prefixes where they can");
DEFINE_bool(use_tailing_iterator, false, "iterators see later writes");
DEFINE_uint64(readahead_size, 0, "bytes, of iterators; 0: by themselves");
DEFINE_bool(async_io, false, "iterators read ahead while they are used");
DEFINE_uint64(seek_nexts, 0, "entries that a seekrandom reads after its key");
DEFINE_uint64(max_scan_distance, 0,
              "keys from a seekrandom's key to its bound; 0: none");
DEFINE_bool(reverse_iterator, false, "seekrandom reads on backward");
TAMIS_FLAG(uint64, readwritepercent, 90, "N",
           "percent of readrandomwriterandom and randomwithverify that read",
           tamis::Between(0, 100));
TAMIS_FLAG(uint64, deletepercent, 2, "N",
           "percent of randomwithverify that delete", tamis::Between(0, 100));
TAMIS_FLAG(uint64, mergereadpercent, 70, "N",
           "percent of readrandommergerandom that merge",
           tamis::Between(0, 100));
DEFINE_int64(merge_keys, -1, "keys that are merged; below 0: --num");
TAMIS_FLAG(uint64, numdistinct, 1000, "N",
           "keys of randomwithverify and randomreplacekeys", tamis::AtLeast(1));
TAMIS_FLAG(double, stddev, 2000, "X",
           "deviation of the keys of randomreplacekeys", tamis::AtLeast(0));
DEFINE_bool(use_single_deletes, true, "in randomreplacekeys");
DEFINE_string(backup_dir, "", "of backup and restore; empty: beside --db");
DEFINE_string(restore_dir, "", "of restore; empty: beside --db");
DEFINE_string(truth_db, "", "the database that verify compares with");
DEFINE_bool(optimistic_transaction_db, false,
            "open the database with optimistic transactions");
DEFINE_bool(transaction_db, false,
            "open the database with transactions that lock keys");
TAMIS_FLAG(int32, transaction_sets, 2, "N",
           "keys that a randomtransaction changes, each of a set of --num",
           tamis::Between(1, 9999));
DEFINE_bool(transaction_set_snapshot, false,
            "each randomtransaction begins with a snapshot");
DEFINE_uint64(transaction_sleep, 0,
              "microseconds at most between a read and a write of a "
              "randomtransaction");
DEFINE_uint64(transaction_lock_timeout, 100,
              "milliseconds that a randomtransaction waits for a lock");
DEFINE_bool(use_secondary_db, false,
            "open an existing database as a secondary instance");
DEFINE_string(secondary_path, "", "directory of the secondary instance's LOG");
TAMIS_FLAG(int32, secondary_update_interval, 5, "SECONDS",
           "between two catch-ups of the secondary instance; 0: none",
           tamis::Between(0, 1000000));
DEFINE_bool(histogram, false, "print latencies");
DEFINE_bool(statistics, false, "print tickers with stats");
TAMIS_FLAG(int32, perf_level, 1, "N",
           "above 1, print what each thread's operations counted",
           tamis::Between(1, 5));
DEFINE_bool(json, false, "print all results as JSON");
TAMIS_FLAG(int32, report_interval_seconds, 0, "N",
           "write operations per second to --report_file; 0: no",
           tamis::AtLeast(0));
DEFINE_string(report_file, "report.csv", "of --report_interval_seconds");
TAMIS_FLAG(string, report, "", "FILE",
           "write a page with charts of what happened over time: HTML");
TAMIS_FLAG(double, percent, 5, "X",
           "compare: a difference below it counts as none", tamis::AtLeast(0));
TAMIS_FLAG(string, ycsb_distribution, "", "NAME",
           "of ycsb*; empty: the workload's",
           tamis::Among({"", "uniform", "zipfian", "scrambled_zipfian",
                         "latest"}));
TAMIS_FLAG(double, ycsb_absent, 0, "X",
           "of ycsb*: share of reads of absent keys", tamis::Between(0, 1));

namespace tamis::bench {

namespace {

std::shared_ptr<RateLimiter> LimiterOf(uint64_t per_second) {
  if (per_second == 0) return nullptr;
  return std::shared_ptr<RateLimiter>(
      NewGenericRateLimiter(static_cast<int64_t>(per_second)));
}

uint64_t CountOf(int64_t flag) {
  return flag < 0 ? 0 : static_cast<uint64_t>(flag);
}

Settings WorkOfFlags(CompressionType compression) {
  Settings work;
  work.num = FLAGS_num;
  work.reads = CountOf(FLAGS_reads);
  work.writes = CountOf(FLAGS_writes);
  work.deletes = CountOf(FLAGS_deletes);
  work.duration_seconds = FLAGS_duration;
  work.open_loop_rate = FLAGS_open_loop_rate;
  work.read_limiter = LimiterOf(FLAGS_benchmark_read_rate_limit);
  work.write_limiter = LimiterOf(FLAGS_benchmark_write_rate_limit);
  work.disable_wal = FLAGS_disable_wal;
  work.verify_checksums = FLAGS_verify_checksum;
  work.total_order_seek = FLAGS_total_order_seek;
  work.prefix_same_as_start = FLAGS_prefix_same_as_start;
  work.auto_prefix_mode = FLAGS_auto_prefix_mode;
  work.tailing = FLAGS_use_tailing_iterator;
  work.readahead_size = FLAGS_readahead_size;
  work.async_io = FLAGS_async_io;
  work.seek_nexts = FLAGS_seek_nexts;
  work.max_scan_distance = FLAGS_max_scan_distance;
  work.multiread_stride = FLAGS_multiread_stride;
  work.read_random_exp_range = FLAGS_read_random_exp_range;
  work.reverse_iterator = FLAGS_reverse_iterator;
  work.read_percent = FLAGS_readwritepercent;
  work.delete_percent = FLAGS_deletepercent;
  work.merge_percent = FLAGS_mergereadpercent;
  work.merge_keys = CountOf(FLAGS_merge_keys);
  work.distinct_keys = FLAGS_numdistinct;
  work.stddev = FLAGS_stddev;
  work.single_deletes = FLAGS_use_single_deletes;
  work.transaction_sets = FLAGS_transaction_sets;
  work.transaction_set_snapshot = FLAGS_transaction_set_snapshot;
  work.transaction_sleep = FLAGS_transaction_sleep;
  work.transaction_lock_timeout =
      static_cast<int64_t>(FLAGS_transaction_lock_timeout);
  work.block_size = FLAGS_block_size;
  work.compression = compression;
  work.backup_dir = FLAGS_backup_dir;
  work.restore_dir = FLAGS_restore_dir;
  work.truth_db = FLAGS_truth_db;
  work.perf_level = FLAGS_perf_level;
  work.histogram = FLAGS_histogram;
  work.key_size = FLAGS_key_size;
  work.value_size = FLAGS_value_size;
  work.compression_ratio = FLAGS_compression_ratio;
  work.batch_size = FLAGS_batch_size;
  work.multiread_batched = FLAGS_multiread_batched;
  work.sync = FLAGS_sync;
  work.threads = FLAGS_threads;
  work.seed = FLAGS_seed;
  if (IsGiven("value_size")) work.ycsb_value_size = FLAGS_value_size;
  ycsb::Distribution distribution{};
  if (ycsb::ParseDistribution(FLAGS_ycsb_distribution, &distribution)) {
    work.ycsb_distribution = distribution;
  }
  work.ycsb_absent = FLAGS_ycsb_absent;
  return work;
}

// Returns InvalidArgument if the flags exclude each other.
Status KindOfFlags(DatabaseKind* kind) {
  const int kinds = (FLAGS_optimistic_transaction_db ? 1 : 0) +
                    (FLAGS_transaction_db ? 1 : 0) +
                    (FLAGS_use_secondary_db ? 1 : 0);
  if (kinds > 1) {
    return Status::InvalidArgument(
        "--optimistic_transaction_db, --transaction_db and --use_secondary_db "
        "exclude each other");
  }
  if (FLAGS_optimistic_transaction_db) {
    kind->kind = DatabaseKind::kOptimisticTransactions;
  }
  if (FLAGS_transaction_db) kind->kind = DatabaseKind::kTransactions;
  if (!FLAGS_use_secondary_db) return Status::OK();
  if (FLAGS_db.empty() || FLAGS_secondary_path.empty()) {
    return Status::InvalidArgument(
        "--use_secondary_db needs --db and --secondary_path");
  }
  *kind = {DatabaseKind::kSecondary, FLAGS_secondary_path,
           FLAGS_secondary_update_interval};
  return Status::OK();
}

// Parses "X5", "W2", "X5-W2" or "W2-X5".
bool ParseRepeats(std::string_view text, Order* order) {
  while (!text.empty()) {
    int* const number = text[0] == 'X'   ? &order->runs
                        : text[0] == 'W' ? &order->warmups
                                         : nullptr;
    if (number == nullptr) return false;
    const auto [stop, error] =
        std::from_chars(text.data() + 1, text.data() + text.size(), *number);
    if (error != std::errc() || *number < (text[0] == 'X' ? 1 : 0)) {
      return false;
    }
    text.remove_prefix(static_cast<size_t>(stop - text.data()));
    if (text.empty()) return true;
    if (text[0] != '-') return false;
    text.remove_prefix(1);
  }
  return false;
}

std::vector<std::string> BenchmarkNames() {
  std::vector<std::string> names;
  for (const Benchmark& benchmark : Benchmarks()) {
    names.push_back(benchmark.name);
  }
  return names;
}

// Fills *orders from --benchmarks. Returns an ExitCode.
int ParseOrders(std::vector<Order>* orders) {
  std::istringstream list(FLAGS_benchmarks);
  for (std::string word; std::getline(list, word, ',');) {
    Order order;
    order.runs = FLAGS_repeat;
    const size_t bracket = word.find('[');
    const std::string name = word.substr(0, bracket);
    if (bracket != std::string::npos &&
        (word.back() != ']' ||
         !ParseRepeats(std::string_view(word).substr(bracket + 1,
                                                     word.size() - bracket - 2),
                       &order))) {
      return Misused(word + ": how often is [X5], [W2] or [X5-W2]");
    }
    order.benchmark = FindBenchmark(name);
    if (order.benchmark == nullptr) {
      const char* const why = RefusedBecause(RefusedBenchmarks(), name);
      if (why != nullptr) return Misused("no benchmark " + name + ": " + why);
      return Misused("no benchmark " + name +
                     NearestHint(name, "", BenchmarkNames()));
    }
    if (order.benchmark->merges && FLAGS_merge_operator.empty()) {
      return Misused(name + " needs --merge_operator");
    }
    orders->push_back(order);
  }
  return kExitRight;
}

// `ycsb`: with the settings of ycsb*.
std::string Header(const std::string& directory, const Settings& work,
                   bool ycsb) {
  std::ostringstream out;
  out << "Tamis:      version " << GetVersion() << "\n"
      << "Keys:       " << work.key_size << " bytes each\n"
      << "Values:     " << work.value_size << " bytes each ("
      << static_cast<int>(work.value_size * work.compression_ratio)
      << " bytes after compression)\n"
      << "Entries:    " << work.num << "\n"
      << "Compression: " << FLAGS_compression_type << "\n"
      << "DB path:    [" << directory << "]\n";
  if (ycsb) {
    out << "YCSB:       keys \"user<hash>\", values of " << work.ycsb_value_size
        << " bytes, "
        << (FLAGS_ycsb_distribution.empty() ? "distribution of the workload"
                                            : FLAGS_ycsb_distribution)
        << ", " << work.ycsb_absent << " of the reads absent\n";
  }
  out << "------------------------------------------------\n";
  return out.str();
}

int RunBenchmarks() {
  std::vector<Order> orders;
  const int code = ParseOrders(&orders);
  if (code != kExitRight) return code;
  RunnerSettings settings;
  const auto statistics = FLAGS_statistics || !FLAGS_report.empty()
                              ? CreateDBStatistics()
                              : nullptr;
  Status status = DatabaseOptions(statistics, &settings.options);
  if (status.ok()) status = KindOfFlags(&settings.kind);
  if (!status.ok()) return Misused(status.message());
  const bool temporary = FLAGS_db.empty();
  settings.directory = temporary
                           ? std::filesystem::temp_directory_path().string() +
                                 "/tamis_db_bench." + std::to_string(getpid())
                           : FLAGS_db;
  // A primary's database is not begun anew.
  settings.use_existing_db = FLAGS_use_existing_db || FLAGS_use_secondary_db;
  settings.statistics = FLAGS_statistics;
  settings.interval_only = FLAGS_confidence_interval_only;
  settings.json = FLAGS_json;
  settings.report_interval_seconds = FLAGS_report_interval_seconds;
  settings.report_file = FLAGS_report_file;
  settings.report_page = FLAGS_report;
  if (!FLAGS_report.empty()) {
    settings.timeline = std::make_shared<Timeline>();
    settings.options.listeners.push_back(settings.timeline->listener());
  }
  Settings work = WorkOfFlags(settings.options.compression);
  status = MixOfFlags(work.num, &work.mix);
  if (!status.ok()) return Misused(status.message());
  if (!FLAGS_json) {
    const bool ycsb =
        std::any_of(orders.begin(), orders.end(),
                    [](const Order& order) { return order.benchmark->ycsb; });
    Print(Header(settings.directory, work, ycsb));
  }
  const int ran = BenchRunner(settings, work).Run(orders);
  if (temporary) {
    for (const char* beside : {"", "_backup", "_restored"}) {
      std::filesystem::remove_all(settings.directory + beside);
    }
  }
  return ran;
}

int Run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return RunBenchmarks();
  if (arguments[0] != "compare" || arguments.size() != 3) {
    return Misused("the only words are: compare BEFORE.json AFTER.json");
  }
  return CompareRuns(arguments[1], arguments[2], FLAGS_percent);
}

// The benchmarks with what they do, for --help.
const char* Summary() {
  static const std::string text = [] {
    std::string all =
        "Runs benchmarks with the names and flags of RocksDB's db_bench: each "
        "of --threads\ndoes --reads or --writes operations, by default --num. "
        "compare tells which benchmarks\nof two outputs of --json became "
        "slower, and exits with 1 if there is one.\n\nBenchmarks:\n";
    for (const Benchmark& benchmark : Benchmarks()) {
      std::string name = benchmark.name;
      name.resize(std::max<size_t>(name.size(), 24), ' ');
      all += "  " + name + " " + benchmark.what + "\n";
    }
    return all;
  }();
  return text.c_str();
}

}  // namespace

}  // namespace tamis::bench

int main(int argc, char** argv) {
  using namespace tamis::bench;
  const tamis::CommandTable table = {
      .synopsis =
          "[--benchmarks=LIST] [--num=N] [--threads=N] [--db=DIR] [flags]\n"
          "       tamis_db_bench compare BEFORE.json AFTER.json",
      .summary = Summary(),
      .refused_flags = RefusedFlags(),
  };
  return tamis::RunTool({"tamis_db_bench", nullptr, Run, &table}, argc, argv);
}
