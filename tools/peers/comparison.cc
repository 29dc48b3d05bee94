// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace tamis::peers {

namespace {

// Student's t, 97.5 % quantile, by degrees of freedom, starting at 1.
constexpr double kStudentT[] = {12.706, 4.303, 3.182, 2.776, 2.571,
                                2.447,  2.365, 2.306, 2.262, 2.228};
constexpr double kNormal = 1.96;

double Quantile(size_t degrees) {
  return degrees <= std::size(kStudentT) ? kStudentT[degrees - 1] : kNormal;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half]
                                : (values[half - 1] + values[half]) / 2;
}

template <typename... Values>
std::string Format(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof(text), format, values...);
  return text;
}

}  // namespace

Summary Summarize(std::vector<double> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {.median = Median(values), .least = *least, .most = *most};
}

Ratio Compare(const std::vector<double>& first,
              const std::vector<double>& other) {
  const size_t n = first.size();
  std::vector<double> ratios;
  double sum = 0;
  for (size_t i = 0; i < n; ++i) {
    ratios.push_back(other[i] / first[i]);
    sum += std::log(ratios.back());
  }
  const auto count = static_cast<double>(n);
  const double mean = sum / count;
  double lower = mean;
  if (n > 1) {
    double squares = 0;
    for (const double ratio : ratios) {
      squares += (std::log(ratio) - mean) * (std::log(ratio) - mean);
    }
    lower -= Quantile(n - 1) * std::sqrt(squares / (count - 1) / count);
  }
  return {.median = Median(ratios), .lower95 = std::exp(lower)};
}

std::string ToText(const std::vector<std::string>& engines,
                   const std::vector<Measurement>& measurements,
                   const std::string& settings) {
  std::string text =
      settings + "\n\nmicroseconds per operation: median [least .. most]\n";
  text += Format("%-12s", "");
  for (const std::string& engine : engines) {
    text += Format("  %-26s", engine.c_str());
  }
  text += "\n";
  for (const Measurement& m : measurements) {
    text += Format("%-12s", m.workload.c_str());
    for (const auto& rounds : m.micros) {
      const Summary s = Summarize(rounds);
      text +=
          "  " +
          Format(
              "%-26s",
              Format("%.3f [%.3f .. %.3f]", s.median, s.least, s.most).c_str());
    }
    text += "\n";
  }
  if (engines.size() < 2) return text;
  text += "\ntimes as fast as the other: median (lower 95 % bound)\n";
  text += Format("%-12s", "");
  for (size_t e = 1; e < engines.size(); ++e) {
    text += Format("  %-26s", engines[e].c_str());
  }
  text += "\n";
  for (const Measurement& m : measurements) {
    text += Format("%-12s", m.workload.c_str());
    for (size_t e = 1; e < engines.size(); ++e) {
      const Ratio r = Compare(m.micros[0], m.micros[e]);
      text += "  " + Format("%-26s",
                            Format("%.2f (%.2f)", r.median, r.lower95).c_str());
    }
    text += "\n";
  }
  return text;
}

std::string ToJson(const std::vector<std::string>& engines,
                   const std::vector<Measurement>& measurements,
                   const std::string& settings) {
  nlohmann::ordered_json json;
  json["settings"] = settings;
  json["engines"] = engines;
  json["unit"] = "microseconds per operation";
  for (const Measurement& m : measurements) {
    auto& workload = json["workloads"][m.workload];
    for (size_t e = 0; e < engines.size(); ++e) {
      auto& engine = workload[engines[e]];
      engine["rounds"] = m.micros[e];
      engine["median"] = Summarize(m.micros[e]).median;
      if (e == 0) continue;
      const Ratio r = Compare(m.micros[0], m.micros[e]);
      engine["ratio"] = {{"median", r.median}, {"lower95", r.lower95}};
    }
  }
  return json.dump(2) + "\n";
}

}  // namespace tamis::peers
