// SPDX-License-Identifier: Apache-2.0
//
// tamis_ycsb_filters: what each filter format costs and saves under YCSB with
// equal cache bytes, of which filters and indexes are a part; beside RocksDB.
// Prints the tables of docs/filters.md.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <gflags/gflags.h>

#include "tools/comma_list.h"
#include "tools/decimal.h"
#include "tools/tool_main.h"
#include "tools/ycsb_filters/comparison_run.h"

DEFINE_uint64(num, 500000, "records");
DEFINE_uint64(reads, 40000, "operations of each workload");
DEFINE_int32(value_size, 100, "bytes of a value; half of it compressible");
DEFINE_int32(rounds, 5, "rounds, interleaved");
DEFINE_uint64(seed, 1, "of operations and values");
DEFINE_double(bloom_bits, 10, "bits of a Bloom filter; others have its rate");
DEFINE_string(compression_type, "none", "snappy or none");
DEFINE_bool(partition_index_and_filters, false, "in partitions");
DEFINE_uint64(write_buffer_size, 4 << 20,
              "bytes of a memtable and of a table; level 1 has four times as "
              "many");
DEFINE_string(cache_percent, "2,5,10", "block caches, of the data's bytes");
DEFINE_string(workloads, "c,b,a", "of a, b, c, f; in order");
DEFINE_string(distributions, "uniform,scrambled_zipfian",
              "of uniform, zipfian, scrambled_zipfian, latest");
DEFINE_double(ycsb_absent, 0.5, "share of reads of absent keys, 0 to 1");
DEFINE_string(stores,
              "tamis:bloom,tamis:ribbon,tamis:binary_fuse,tamis:homogeneous,"
              "tamis:bumped,rocksdb:bloom,rocksdb:ribbon",
              "engines with their filters");
DEFINE_string(db, "", "a folder for the databases; empty: a temporary one");
DEFINE_string(csv, "", "a file for each round's figures");

namespace tamis::ycsb_filters {

void Require(bool ok, const std::string& message) {
  if (ok) return;
  std::fprintf(stderr, "tamis_ycsb_filters: %s\n", message.c_str());
  std::exit(kExitFailed);
}

namespace {

std::unique_ptr<Store> StoreByName(const std::string& name) {
  const size_t colon = name.find(':');
  if (colon == std::string::npos) return nullptr;
  const std::string filter = name.substr(colon + 1);
  const std::string engine = name.substr(0, colon);
  if (engine == "tamis") return NewTamisStore(filter);
  if (engine == "rocksdb") return NewRocksDBStore(filter);
  return nullptr;
}

// Sets what the flags say; returns what is wrong with them, or "".
std::string ReadFlags(Comparison* comparison,
                      std::vector<std::unique_ptr<Store>>* stores) {
  if (FLAGS_num == 0 || FLAGS_reads == 0 || FLAGS_rounds < 1 ||
      FLAGS_value_size < 1 || FLAGS_write_buffer_size == 0) {
    return "--num, --reads, --rounds, --value_size and --write_buffer_size are "
           "1 or more";
  }
  if (FLAGS_compression_type != "snappy" && FLAGS_compression_type != "none") {
    return "--compression_type is snappy or none";
  }
  if (!(FLAGS_ycsb_absent >= 0 && FLAGS_ycsb_absent <= 1)) {
    return "--ycsb_absent is 0 to 1";
  }
  if (!(FLAGS_bloom_bits >= 2 && FLAGS_bloom_bits <= 20)) {
    return "--bloom_bits is 2 to 20";
  }
  for (const std::string& name : CommaParts(FLAGS_stores)) {
    stores->push_back(StoreByName(name));
    if (stores->back() == nullptr) return "no store " + name;
  }
  for (const std::string& name : CommaParts(FLAGS_workloads)) {
    const ycsb::Mix* const mix =
        name.size() == 1 ? ycsb::FindMix(name[0]) : nullptr;
    if (mix == nullptr || mix->inserts + mix->scans > 0) {
      return "no workload " + name + "; there are a, b, c and f";
    }
    comparison->mixes.push_back(mix);
  }
  for (const std::string& name : CommaParts(FLAGS_distributions)) {
    ycsb::Distribution distribution{};
    if (!ycsb::ParseDistribution(name, &distribution)) {
      return "no distribution " + name;
    }
    comparison->distributions.push_back(distribution);
  }
  for (const std::string& text : CommaParts(FLAGS_cache_percent)) {
    char* end = nullptr;
    const double percent = std::strtod(text.c_str(), &end);
    if (*end != '\0' || !(percent > 0 && percent <= 1000)) {
      return "--cache_percent holds '" + text + "'";
    }
    comparison->cache_percents.push_back(percent);
  }
  if (stores->empty() || comparison->mixes.empty() ||
      comparison->distributions.empty() || comparison->cache_percents.empty()) {
    return "--stores, --workloads, --distributions and --cache_percent are not "
           "empty";
  }
  comparison->num = FLAGS_num;
  comparison->operations = FLAGS_reads;
  comparison->value_size = static_cast<size_t>(FLAGS_value_size);
  comparison->absent_share = FLAGS_ycsb_absent;
  comparison->seed = FLAGS_seed;
  comparison->store.write_buffer_bytes = FLAGS_write_buffer_size;
  comparison->store.snappy = FLAGS_compression_type == "snappy";
  comparison->store.partitioned = FLAGS_partition_index_and_filters;
  comparison->store.bits_per_key = FLAGS_bloom_bits;
  return "";
}

std::string Settings(const Comparison& comparison) {
  std::ostringstream out;
  out << comparison.num << " records of 23 + " << comparison.value_size
      << " bytes ("
      << Decimal(static_cast<double>(DataBytes(comparison)) / 1e6, 1) << " MB, "
      << (comparison.store.snappy ? "snappy" : "not compressed") << "); "
      << comparison.operations << " operations of one thread per workload, "
      << Decimal(100 * comparison.absent_share, 0)
      << " % of the reads for absent keys; memtables and tables of "
      << static_cast<double>(comparison.store.write_buffer_bytes) / 1048576
      << " MiB, level 1 four times that; "
      << (comparison.store.partitioned ? "partitioned indexes and filters"
                                       : "an index and a filter per table")
      << ", filters of the rate of " << comparison.store.bits_per_key
      << " Bloom bits per key; " << FLAGS_rounds << " interleaved rounds";
  return out.str();
}

int Run(const std::vector<std::string>& arguments) {
  if (!arguments.empty()) return Misused("no arguments are expected");
  Comparison comparison;
  std::vector<std::unique_ptr<Store>> stores;
  const std::string wrong = ReadFlags(&comparison, &stores);
  if (!wrong.empty()) return Misused(wrong);
  const std::string settings = Settings(comparison);

  const std::string folder =
      FLAGS_db.empty() ? std::filesystem::temp_directory_path().string() +
                             "/tamis_ycsb_filters." + std::to_string(getpid())
                       : FLAGS_db;
  std::filesystem::create_directories(folder);
  ComparisonRun run(std::move(comparison), std::move(stores), folder);
  for (int round = 0; round < FLAGS_rounds; ++round) {
    run.Round(static_cast<uint64_t>(round));
  }
  if (FLAGS_db.empty()) std::filesystem::remove_all(folder);

  Print(settings + ":\n\n" + ToMarkdown(run.figures()));
  if (!FLAGS_csv.empty()) {
    std::ofstream out(FLAGS_csv);
    out << ToCsv(run.figures());
    Require(out.flush().good(), FLAGS_csv + ": cannot be written");
  }
  return kExitRight;
}

const CommandTable kTable = {
    "[flags]",
    "Runs YCSB on Tamis with each filter format and on RocksDB, interleaved, "
    "with equal\ncache bytes, and prints tables in Markdown.\n",
};

}  // namespace

}  // namespace tamis::ycsb_filters

int main(int argc, char** argv) {
  return tamis::RunTool(
      {"tamis_ycsb_filters", nullptr, tamis::ycsb_filters::Run,
       &tamis::ycsb_filters::kTable},
      argc, argv);
}
