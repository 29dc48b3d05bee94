// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/report.h"

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "tools/repeated_runs.h"

namespace tamis::peers {

namespace {

constexpr const char* kUnit = "microseconds per operation";

template <typename... Values>
std::string Format(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof(text), format, values...);
  return text;
}

std::string Cell(const std::string& text) {
  return Format("  %-36s", text.c_str());
}

// Returns the line without the spaces at its end.
std::string Line(std::string line) {
  line.resize(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::vector<double> Values(const std::vector<Cost>& rounds,
                           double Cost::*which) {
  std::vector<double> values;
  for (const Cost& cost : rounds) values.push_back(cost.*which);
  return values;
}

// CPU time of a very short run is measured as 0.
bool Comparable(const std::vector<double>& first,
                const std::vector<double>& other) {
  const auto positive = [](double value) { return value > 0; };
  return !first.empty() && first.size() == other.size() &&
         std::all_of(first.begin(), first.end(), positive) &&
         std::all_of(other.begin(), other.end(), positive);
}

std::string CostCell(const std::vector<Cost>& rounds) {
  if (rounds.empty()) return Cell("-");
  const Summary wall = Summarize(Values(rounds, &Cost::wall));
  const Summary cpu = Summarize(Values(rounds, &Cost::cpu));
  return Cell(Format("%.3f [%.3f .. %.3f] cpu %.3f", wall.median, wall.least,
                     wall.most, cpu.median));
}

std::string RatioText(const std::vector<Cost>& first,
                      const std::vector<Cost>& other, double Cost::*which) {
  const auto ours = Values(first, which);
  const auto theirs = Values(other, which);
  if (!Comparable(ours, theirs)) return "-";
  const Ratio ratio = Compare(ours, theirs);
  return Format("%.2f (%.2f)", ratio.median, ratio.lower95);
}

// Two workloads of a table whose ratio is reported: the time of one operation
// of `base`, divided by that of one operation of `other`.
struct Relation {
  const char* base;
  const char* other;
};
constexpr Relation kRelations[] = {
    {"readrandom", "readrandom2"},      {"fillrandom", "fillrandom2"},
    {"fillrandom", "fillrandom4"},      {"fillsync", "fillsync8"},
    {"overwrite", "writewhilereading"}, {"readrandom", "readwhilewriting"},
};

const Measurement* Find(const FigureTable& table, const std::string& name) {
  for (const Measurement& m : table.measurements) {
    if (m.workload == name) return &m;
  }
  return nullptr;
}

std::string Header(const RunReport& run, size_t first) {
  std::string line = Format("%-17s", "");
  for (size_t e = first; e < run.engines.size(); ++e) {
    line += Cell(run.engines[e].name);
  }
  return Line(line);
}

std::string RelationsText(const RunReport& run, const FigureTable& table) {
  std::string text;
  for (const Relation& relation : kRelations) {
    const Measurement* const base = Find(table, relation.base);
    const Measurement* const other = Find(table, relation.other);
    if (base == nullptr || other == nullptr) continue;
    if (text.empty()) {
      text =
          "\noperations per second of one workload to another's: median "
          "(lower 95 % bound)\n" +
          Header(run, 0);
    }
    std::string line =
        Format("%s / %s\n%-17s", relation.other, relation.base, "");
    for (size_t e = 0; e < run.engines.size(); ++e) {
      line += Cell(RatioText(other->engines[e], base->engines[e], &Cost::wall));
    }
    text += Line(line);
  }
  return text;
}

double MedianCost(const std::vector<Cost>& rounds, double Cost::*which) {
  return rounds.empty() ? 0 : Summarize(Values(rounds, which)).median;
}

// What rows write, without those that write nothing.
std::string StoredText(const RunReport& run, const FigureTable& table) {
  std::string text;
  for (const Measurement& m : table.measurements) {
    std::string line = Format("%-17s", m.workload.c_str());
    double most = 0;
    for (const auto& rounds : m.engines) {
      const double stored = MedianCost(rounds, &Cost::stored);
      const double kept = MedianCost(rounds, &Cost::kept);
      line +=
          Cell(rounds.empty() ? "-" : Format("%.0f, files %.0f", stored, kept));
      most = std::max(most, stored);
    }
    if (most >= 1) text += Line(line);
  }
  if (text.empty()) return text;
  return "\nbytes given to storage until the last operation ended, and bytes "
         "of all files then,\neach per operation: median\n" +
         Header(run, 0) + text;
}

std::string TableText(const RunReport& run, const FigureTable& table) {
  std::string text = "\n" + table.name + ": " + table.conditions + "\n" +
                     kUnit +
                     ": median [least .. most] of wall time, and median of the "
                     "CPU time of all threads\n" +
                     Header(run, 0);
  for (const Measurement& m : table.measurements) {
    std::string line = Format("%-17s", m.workload.c_str());
    for (const auto& rounds : m.engines) line += CostCell(rounds);
    text += Line(line);
  }
  if (run.engines.size() > 1) {
    text +=
        "\ntimes as fast as the other: median (lower 95 % bound), by wall "
        "time and by CPU time\n" +
        Header(run, 1);
    for (const Measurement& m : table.measurements) {
      std::string line = Format("%-17s", m.workload.c_str());
      for (size_t e = 1; e < m.engines.size(); ++e) {
        line +=
            Cell(RatioText(m.engines[0], m.engines[e], &Cost::wall) + " cpu " +
                 RatioText(m.engines[0], m.engines[e], &Cost::cpu));
      }
      text += Line(line);
    }
  }
  return text + StoredText(run, table) + RelationsText(run, table);
}

std::string ThreadsText(const RunReport& run) {
  std::string text = "threads for flushes + compactions:";
  for (const ReportedEngine& engine : run.engines) {
    text += Format(" %s %d + %d, parallel_threads %u;", engine.name.c_str(),
                   engine.threads.flush, engine.threads.compaction,
                   engine.threads.parallel_threads);
  }
  text += " threads that call: one";
  std::vector<std::string> named;
  for (const FigureTable& table : run.tables) {
    for (const Measurement& m : table.measurements) {
      if (m.threads == 1 ||
          std::find(named.begin(), named.end(), m.workload) != named.end()) {
        continue;
      }
      text += Format(", %s %d", m.workload.c_str(), m.threads);
      named.push_back(m.workload);
    }
  }
  return text + "\n";
}

nlohmann::ordered_json RatioJson(const std::vector<double>& first,
                                 const std::vector<double>& other) {
  const Ratio ratio = Compare(first, other);
  return {{"median", ratio.median}, {"lower95", ratio.lower95}};
}

nlohmann::ordered_json WorkloadJson(const RunReport& run,
                                    const Measurement& m) {
  nlohmann::ordered_json workload;
  workload["threads"] = m.threads;
  const auto first_wall = Values(m.engines[0], &Cost::wall);
  const auto first_cpu = Values(m.engines[0], &Cost::cpu);
  for (size_t e = 0; e < run.engines.size(); ++e) {
    if (m.engines[e].empty()) continue;
    auto& engine = workload["engines"][run.engines[e].name];
    const auto wall = Values(m.engines[e], &Cost::wall);
    const auto cpu = Values(m.engines[e], &Cost::cpu);
    engine["rounds"] = wall;
    engine["median"] = Summarize(wall).median;
    engine["cpu_rounds"] = cpu;
    engine["cpu_median"] = Summarize(cpu).median;
    engine["stored_median"] = MedianCost(m.engines[e], &Cost::stored);
    engine["kept_median"] = MedianCost(m.engines[e], &Cost::kept);
    if (e == 0) continue;
    if (Comparable(first_wall, wall)) {
      engine["ratio"] = RatioJson(first_wall, wall);
    }
    if (Comparable(first_cpu, cpu)) {
      engine["cpu_ratio"] = RatioJson(first_cpu, cpu);
    }
  }
  return workload;
}

nlohmann::ordered_json RunJson(const RunReport& run) {
  nlohmann::ordered_json json;
  json["preset"] = run.preset;
  json["settings"] = run.settings;
  for (const ReportedEngine& engine : run.engines) {
    json["engines"].push_back(
        {{"name", engine.name},
         {"flush_threads", engine.threads.flush},
         {"compaction_threads", engine.threads.compaction},
         {"parallel_threads", engine.threads.parallel_threads}});
  }
  json["unit"] = kUnit;
  for (const FigureTable& table : run.tables) {
    nlohmann::ordered_json figures;
    figures["name"] = table.name;
    figures["conditions"] = table.conditions;
    for (const Measurement& m : table.measurements) {
      figures["workloads"][m.workload] = WorkloadJson(run, m);
    }
    json["tables"].push_back(std::move(figures));
  }
  return json;
}

}  // namespace

std::string ToText(const RunReport& run) {
  std::string text = run.settings + "\n" + ThreadsText(run);
  for (const FigureTable& table : run.tables) text += TableText(run, table);
  return text;
}

std::string ToJson(const std::vector<RunReport>& runs) {
  nlohmann::ordered_json json;
  for (const RunReport& run : runs) json["runs"].push_back(RunJson(run));
  return json.dump(2) + "\n";
}

}  // namespace tamis::peers
