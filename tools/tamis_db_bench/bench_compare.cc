// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/bench_compare.h"

#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/tool_main.h"

namespace tamis::bench {

namespace {

struct Rate {
  double median = 0;
  double mean = 0;
  double reach = 0;
};

struct NamedRate {
  std::string name;
  Rate rate;
};

// Reads the file into *rates, in its order. OK: it is what --json printed.
Status ReadRates(const std::string& path, std::vector<NamedRate>* rates) {
  std::ifstream in(path);
  if (!in) return Status::IOError(path, "cannot be read");
  try {
    const nlohmann::json json = nlohmann::json::parse(in);
    for (const auto& benchmark : json.at("benchmarks")) {
      const auto& rate = benchmark.at("ops_per_second");
      rates->push_back({benchmark.at("name").get<std::string>(),
                        {.median = rate.at("median").get<double>(),
                         .mean = rate.at("mean").get<double>(),
                         .reach = rate.at("reach95").get<double>()}});
    }
  } catch (const std::exception& error) {
    return Status::Corruption(
        path, std::string("is not what tamis_db_bench --json prints: ") +
                  error.what());
  }
  return Status::OK();
}

// The difference may be chance.
bool Overlap(const Rate& a, const Rate& b) {
  return a.mean - a.reach <= b.mean + b.reach &&
         b.mean - b.reach <= a.mean + a.reach;
}

// Prints the line. Returns true if `after` is slower.
bool CompareOne(const std::string& name, const Rate& before, const Rate& after,
                double percent) {
  const double change = 100 * (after.median / before.median - 1);
  const bool differ =
      (change > percent || change < -percent) && !Overlap(before, after);
  const char* const word = !differ ? "equal" : change < 0 ? "slower" : "faster";
  char text[256];
  const int n = std::snprintf(
      text, sizeof(text), "%-24s : %12.0f %12.0f ops/sec %+7.1f %% %s\n",
      name.c_str(), before.median, after.median, change, word);
  Print({text, static_cast<size_t>(n)});
  return differ && change < 0;
}

}  // namespace

int CompareRuns(const std::string& before, const std::string& after,
                double percent) {
  std::vector<NamedRate> first;
  std::vector<NamedRate> second;
  Status status = ReadRates(before, &first);
  if (status.ok()) status = ReadRates(after, &second);
  if (!status.ok()) return Failed(status);
  std::map<std::string, Rate> by_name;
  for (const NamedRate& one : first) by_name.insert({one.name, one.rate});
  int common = 0;
  int slower = 0;
  for (const NamedRate& one : second) {
    const auto found = by_name.find(one.name);
    if (found == by_name.end()) continue;
    ++common;
    if (CompareOne(one.name, found->second, one.rate, percent)) ++slower;
  }
  if (common == 0) {
    return Failed(
        Status::InvalidArgument(after, "has no benchmark of " + before));
  }
  return slower == 0 ? kExitRight : kExitFailed;
}

}  // namespace tamis::bench
