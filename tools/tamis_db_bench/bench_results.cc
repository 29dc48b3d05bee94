// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/bench_results.h"

#include <cstdio>
#include <ctime>
#include <fstream>
#include <thread>

#include "tamis/version.h"

#include "tools/command_table.h"
#include "tools/json_text.h"
#include "tools/repeated_runs.h"
#include "tools/tamis_db_bench/commit.h"
#include "tools/tool_main.h"

namespace tamis::bench {

namespace {

std::string Formatted(const char* format, double value) {
  char text[64];
  const int n = std::snprintf(text, sizeof(text), format, value);
  return {text, static_cast<size_t>(n)};
}

std::string Decimal(double value) { return Formatted("%.6g", value); }

// "(lower, upper)"
std::string Interval(const char* format, const Mean& mean) {
  return "(" + Formatted(format, mean.value - mean.reach) + ", " +
         Formatted(format, mean.value + mean.reach) + ")";
}

std::vector<double> Rates(const BenchResult& result) {
  std::vector<double> rates;
  for (const OneRun& run : result.runs) {
    rates.push_back(run.report.OperationsPerSecond());
  }
  return rates;
}

std::string LatencyJson(const LatencyHistogram& latency) {
  JsonObject json;
  json.Number("count", latency.count());
  json.Value("mean", Decimal(latency.Mean() / 1e3));
  const std::pair<const char*, double> kShares[] = {{"p50", 0.5},
                                                    {"p75", 0.75},
                                                    {"p99", 0.99},
                                                    {"p99.9", 0.999},
                                                    {"p99.99", 0.9999}};
  for (const auto& [name, share] : kShares) {
    json.Value(name, Decimal(latency.QuantileMicros(share)));
  }
  json.Value("max", Decimal(static_cast<double>(latency.most()) / 1e3));
  return json.ToString();
}

std::string RunJson(const OneRun& run) {
  const Report& report = run.report;
  JsonObject json;
  json.Number("operations", report.operations())
      .Value("seconds", Decimal(report.seconds()))
      .Value("ops_per_second", Decimal(report.OperationsPerSecond()))
      .Value("micros_per_operation", Decimal(report.MicrosPerOperation()))
      .Number("bytes", report.bytes())
      .Number("found", report.found())
      .Value("user_seconds", Decimal(run.usage.user_seconds))
      .Value("system_seconds", Decimal(run.usage.system_seconds))
      .Number("read_bytes", run.usage.read_bytes)
      .Number("written_bytes", run.usage.written_bytes)
      .Number("device_read_bytes", run.usage.device_read_bytes)
      .Number("device_written_bytes", run.usage.device_written_bytes);
  if (report.latency().count() > 0) {
    json.Value("latency_micros", LatencyJson(report.latency()));
  }
  return json.ToString();
}

std::string ResultJson(const BenchResult& result) {
  std::vector<std::string> runs;
  for (const OneRun& run : result.runs) runs.push_back(RunJson(run));
  const std::vector<double> rates = Rates(result);
  const Mean mean = MeanOf(rates);
  const std::string rate =
      JsonObject()
          .Value("median", Decimal(Summarize(rates).median))
          .Value("mean", Decimal(mean.value))
          .Value("reach95", Decimal(mean.reach))
          .ToString();
  return JsonObject()
      .Text("name", result.name)
      .Value("runs", JsonArray(runs))
      .Value("ops_per_second", rate)
      .ToString();
}

// Returns the processor's name, or "unknown".
std::string ProcessorName() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

std::string FlagsJson() {
  JsonObject json;
  for (const FlagFacts& flag : AllFlags()) {
    std::string value;
    if (IsGiven(flag.name) &&
        gflags::GetCommandLineOption(flag.name.c_str(), &value)) {
      json.Text(flag.name, value);
    }
  }
  return json.ToString();
}

}  // namespace

std::string AverageLines(const BenchResult& result, bool interval_only) {
  if (result.runs.size() < 2) return "";
  const std::vector<double> rates = Rates(result);
  std::vector<double> megabytes;
  for (const OneRun& run : result.runs) {
    megabytes.push_back(run.report.MegabytesPerSecond());
  }
  const Mean rate = MeanOf(rates);
  const Mean bytes = MeanOf(megabytes);
  const auto line = [&](const char* kind, const std::string& operations,
                        const std::string& bytes_text) {
    return result.name + " [" + kind + " " + std::to_string(rates.size()) +
           " runs] : " + operations + " ops/sec" +
           (bytes.value > 0 ? "; " + bytes_text + " MB/sec" : "") + "\n";
  };
  if (interval_only) {
    return line("CI95", Interval("%.0f", rate), Interval("%.1f", bytes));
  }
  constexpr const char* kAround = " (\xC2\xB1 ";
  return line("AVG   ",
              Formatted("%.0f", rate.value) + kAround +
                  Formatted("%.0f", rate.reach) + ")",
              Formatted("%6.1f", bytes.value) + kAround +
                  Formatted("%.1f", bytes.reach) + ")") +
         line("MEDIAN", Formatted("%.0f", Summarize(rates).median),
              Formatted("%6.1f", Summarize(megabytes).median));
}

std::string ToJson(const std::vector<BenchResult>& results, uint64_t seed) {
  std::vector<std::string> benchmarks;
  for (const BenchResult& result : results) {
    benchmarks.push_back(ResultJson(result));
  }
  return JsonObject()
             .Text("tool", "tamis_db_bench")
             .Text("version", GetVersion())
             .Text("commit", TAMIS_COMMIT)
             .Text("date", Now())
             .Text("cpu", ProcessorName())
             .Number("processors", std::thread::hardware_concurrency())
             .Number("seed", seed)
             .Value("flags", FlagsJson())
             .Value("benchmarks", JsonArray(benchmarks))
             .ToString() +
         "\n";
}

}  // namespace tamis::bench
