// SPDX-License-Identifier: Apache-2.0
//
// The tour's table: one column per stage, one row per figure.
#include "tools/decimal.h"
#include "tools/tour_stage.h"

namespace tamis {
namespace {

constexpr int kNameColumns = 28;
constexpr int kColumns = 13;

using Cell = std::string (*)(const StageFigures& stage);

struct Row {
  const char* name;
  Cell cell;  // nullptr: a heading
};

double Ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

// Blank for a stage without a filter.
template <Cell cell>
std::string Filtered(const StageFigures& stage) {
  return stage.plan.filter == TourFilter::kNone ? "-" : cell(stage);
}

std::string BitsPerKey(const StageFigures& s) {
  return Decimal(FilterBitsPerKey(s), 2);
}
std::string Predicted(const StageFigures& s) {
  return Decimal(100 * s.predicted_fpr, 3, " %");
}
std::string Observed(const StageFigures& s) {
  return Decimal(100 * ObservedFpr(s), 3, " %");
}
std::string FilterBytes(const StageFigures& s) {
  return std::to_string(s.filter_bytes);
}
std::string PresentHits(const StageFigures& s) {
  return std::to_string(s.present.bloom_hits);
}
std::string PresentMisses(const StageFigures& s) {
  return std::to_string(s.present.bloom_misses);
}
std::string AbsentReached(const StageFigures& s) {
  return Decimal(100 * Ratio(s.absent.reached_filter, s.absent.asked), 2, " %");
}
std::string AbsentHits(const StageFigures& s) {
  return std::to_string(s.absent.bloom_hits);
}
std::string AbsentMisses(const StageFigures& s) {
  return std::to_string(s.absent.bloom_misses);
}
std::string Spread(const Quartiles& micros) {
  return Decimal(micros.lower, 2) + "-" + Decimal(micros.upper, 2);
}
std::string PresentTime(const StageFigures& s) {
  return Decimal(s.present.micros_per_read.median, 2);
}
std::string PresentQuartiles(const StageFigures& s) {
  return Spread(s.present.micros_per_read);
}
std::string AbsentTime(const StageFigures& s) {
  return Decimal(s.absent.micros_per_read.median, 2);
}
std::string AbsentQuartiles(const StageFigures& s) {
  return Spread(s.absent.micros_per_read);
}

#define TAMIS_TOUR_COUNT(field) \
  [](const StageFigures& s) { return std::to_string(s.field); }

constexpr Row kRows[] = {
    {"entries", TAMIS_TOUR_COUNT(entries)},
    {"files", TAMIS_TOUR_COUNT(files)},
    {"file bytes", TAMIS_TOUR_COUNT(file_bytes)},
    {"filter bytes", Filtered<FilterBytes>},
    {"filter bits per key", Filtered<BitsPerKey>},
    {"false positives, predicted", Filtered<Predicted>},
    {"false positives, observed", Filtered<Observed>},
    {"every key that is there", nullptr},
    {"  asked, and found", TAMIS_TOUR_COUNT(present.asked)},
    {"  bloom hits", Filtered<PresentHits>},
    {"  bloom misses", Filtered<PresentMisses>},
    {"  data blocks searched", TAMIS_TOUR_COUNT(present.data_blocks_searched)},
    {"  ... read from the file", TAMIS_TOUR_COUNT(present.data_blocks_read)},
    {"  microseconds per read", PresentTime},
    {"  ... quartiles", PresentQuartiles},
    {"as many that are not", nullptr},
    {"  asked, and not found", TAMIS_TOUR_COUNT(absent.asked)},
    {"  reached a filter", Filtered<AbsentReached>},
    {"  bloom hits", Filtered<AbsentHits>},
    {"  bloom misses", Filtered<AbsentMisses>},
    {"  data blocks searched", TAMIS_TOUR_COUNT(absent.data_blocks_searched)},
    {"  ... read from the file", TAMIS_TOUR_COUNT(absent.data_blocks_read)},
    {"  microseconds per read", AbsentTime},
    {"  ... quartiles", AbsentQuartiles},
};

#undef TAMIS_TOUR_COUNT

void AppendPadded(std::string* out, const std::string& text, int columns) {
  const auto width = static_cast<size_t>(columns);
  if (text.size() < width) out->append(width - text.size(), ' ');
  out->append(text);
}

}  // namespace

double FilterBitsPerKey(const StageFigures& stage) {
  return 8 * Ratio(stage.filter_bytes, stage.filter_entries);
}

// Every filter that an absent key probes should exclude it.
double ObservedFpr(const StageFigures& stage) {
  const uint64_t hits = stage.absent.bloom_hits;
  return Ratio(hits, hits + stage.absent.bloom_misses);
}

std::vector<std::vector<std::string>> TourRows(
    std::span<const StageFigures> stages) {
  std::vector<std::vector<std::string>> rows(1, {""});
  for (const StageFigures& stage : stages) {
    rows[0].emplace_back(TourFilterName(stage.plan.filter));
  }
  for (const Row& row : kRows) {
    rows.push_back({row.name});
    if (row.cell == nullptr) continue;
    for (const StageFigures& stage : stages) {
      rows.back().push_back(row.cell(stage));
    }
  }
  return rows;
}

std::string TourTable(std::span<const StageFigures> stages) {
  std::string out;
  for (const std::vector<std::string>& row : TourRows(stages)) {
    std::string line = row[0];
    if (row.size() > 1) line.resize(kNameColumns, ' ');
    for (size_t i = 1; i < row.size(); ++i) {
      AppendPadded(&line, row[i], kColumns);
    }
    out += line + "\n";
  }
  return out;
}

}  // namespace tamis
