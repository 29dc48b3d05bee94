// SPDX-License-Identifier: Apache-2.0
//
// tamis_filter_bench: every filter format beside the others, with the filters
// of RocksDB and LevelDB, through their libraries, where these are installed.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tamis/file_system.h"

#include "tools/comma_list.h"
#include "tools/filter_bench/figures_text.h"
#include "tools/filter_bench/filter_format.h"
#include "tools/filter_bench/measurement.h"
#include "tools/tool_main.h"

TAMIS_FLAG(string, keys, "10000,100000,1000000", "N,...",
           "numbers of keys of a table");
TAMIS_FLAG(string, key_sizes, "16", "N,...", "bytes of a key: 8 or more");
TAMIS_FLAG(string, placements, "full", "NAME,...",
           "full, partitioned, block-based, or all: which keys share a filter");
TAMIS_FLAG(string, filters, "", "NAME,...",
           "only formats whose name or engine is one of these; empty: all");
TAMIS_FLAG(double, bits_per_key, 10, "BITS",
           "of the Bloom filter whose rate each format aims for",
           tamis::Between(2, 32));
TAMIS_FLAG(uint32, value_size, 100, "BYTES",
           "of a value; decides which keys are in one block");
TAMIS_FLAG(uint32, batch_size, 32, "N", "keys of a batch",
           tamis::Between(1, 32));
TAMIS_FLAG(uint32, cold_mb, 256, "MB",
           "filters that cold probes are spread over", tamis::AtLeast(1));
TAMIS_FLAG(uint32, probes, 65536, "N", "probes of each kind, in each round",
           tamis::AtLeast(1000));
TAMIS_FLAG(int32, rounds, 5, "N", "rounds, interleaved", tamis::AtLeast(1));
TAMIS_FLAG(uint64, seed, 1, "N", "of what is drawn");
TAMIS_FLAG(string, format, "table", "FORMAT", "of what is printed",
           tamis::Among({"table", "markdown", "csv", "json"}));
TAMIS_FLAG(string, html, "", "FILE", "also a page with charts");

namespace tamis {
namespace {

constexpr uint64_t kNumberMax = 1'000'000'000;

struct Plan {
  std::vector<size_t> keys;
  std::vector<size_t> key_sizes;
  std::vector<std::string> placements;
  std::vector<std::string> filters;

  bool Takes(const FilterFormat& format) const {
    const auto has = [&](std::string_view name) {
      return std::find(filters.begin(), filters.end(), name) != filters.end();
    };
    return filters.empty() || has(format.name()) || has(format.engine());
  }
  bool Takes(KeyGroups groups) const {
    return std::any_of(placements.begin(), placements.end(),
                       [&](const std::string& name) {
                         return name == "all" || name == NameOf(groups);
                       });
  }
};

// Empty if the flags are right.
std::string ParsePlan(const FilterFormats& formats, Plan* plan) {
  if (!CommaNumbers(FLAGS_keys, 1, kNumberMax, &plan->keys)) {
    return "--keys takes whole numbers of 1 to 1000000000, not '" + FLAGS_keys +
           "'";
  }
  if (!CommaNumbers(FLAGS_key_sizes, 8, kNumberMax, &plan->key_sizes)) {
    return "--key_sizes takes whole numbers of 8 or more, not '" +
           FLAGS_key_sizes + "'";
  }
  plan->placements = CommaParts(FLAGS_placements);
  for (const std::string& name : plan->placements) {
    if (name != "all" && name != NameOf(KeyGroups::kTable) &&
        name != NameOf(KeyGroups::kPartition) &&
        name != NameOf(KeyGroups::kBlock)) {
      return "--placements takes full, partitioned, block-based or all, not '" +
             name + "'";
    }
  }
  plan->filters = CommaParts(FLAGS_filters);
  std::vector<std::string> names;
  for (const auto& format : formats) {
    for (const std::string_view name : {format->engine(), format->name()}) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.emplace_back(name);
      }
    }
  }
  for (const std::string& name : plan->filters) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    return "--filters takes " + OneOf(names) + ", not '" + name + "'";
  }
  return {};
}

int Run(const std::vector<std::string>& arguments) {
  if (!arguments.empty()) {
    return Misused("takes no argument, but '" + arguments[0] + "' is given");
  }
  FilterFormats formats = NewCodecFormats(FLAGS_bits_per_key);
#ifdef TAMIS_BENCH_WITH_PEERS
  for (auto& peer : NewPeerFormats(FLAGS_bits_per_key)) {
    formats.push_back(std::move(peer));
  }
#endif
  Plan plan;
  if (const std::string wrong = ParsePlan(formats, &plan); !wrong.empty()) {
    return Misused(wrong);
  }
  const BenchSettings settings{
      .value_bytes = FLAGS_value_size,
      .probes = FLAGS_probes / FLAGS_batch_size * FLAGS_batch_size,
      .cold_bytes = size_t{FLAGS_cold_mb} << 20,
      .batch = FLAGS_batch_size,
      .seed = FLAGS_seed};
  FilterRun run;
  run.settings = "filters at the rate of a Bloom filter of " +
                 std::to_string(FLAGS_bits_per_key).substr(0, 4) +
                 " bits a key; CPU ns, hashes included, median of " +
                 std::to_string(FLAGS_rounds) + " rounds; cold: over " +
                 std::to_string(FLAGS_cold_mb) + " MiB; batches of " +
                 std::to_string(FLAGS_batch_size) + " keys";
  for (const size_t key_bytes : plan.key_sizes) {
    for (const size_t keys : plan.keys) {
      std::vector<FilterCase> cases;
      for (const auto& format : formats) {
        for (const KeyGroups groups : format->groups()) {
          if (plan.Takes(*format) && plan.Takes(groups)) {
            cases.push_back({format.get(), groups, keys, key_bytes});
          }
        }
      }
      for (FilterFigures& one : Measure(cases, FLAGS_rounds, settings)) {
        run.figures.push_back(std::move(one));
      }
    }
  }
  if (FLAGS_format == "table") Print(ToTable(run));
  if (FLAGS_format == "markdown") Print(ToMarkdown(run));
  if (FLAGS_format == "csv") Print(ToCsv(run));
  if (FLAGS_format == "json") Print(ToJson(run));
  if (!FLAGS_html.empty()) {
    const Status written = WriteStringToFile(NewPosixFileSystem().get(),
                                             ToHtml(run), FLAGS_html, false);
    if (!written.ok()) return Failed(written);
  }
  return kExitRight;
}

constexpr CommandTable kTable{
    .synopsis = "[FLAG...]",
    .summary =
        "Builds filters of each format over the same keys, and prints their\n"
        "sizes, what they let pass, and what building and probing them "
        "costs.\n",
    .examples =
        "  tamis_filter_bench --keys=1000000 --filters=Ribbon,rocksdb\n"
        "  tamis_filter_bench --placements=all --html=filters.html\n"};

}  // namespace
}  // namespace tamis

int main(int argc, char** argv) {
  return tamis::RunTool({.name = "tamis_filter_bench",
                         .usage = nullptr,
                         .run = tamis::Run,
                         .table = &tamis::kTable},
                        argc, argv);
}
