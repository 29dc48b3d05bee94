// SPDX-License-Identifier: Apache-2.0
#include "tools/log_events.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>

#include "tamis/slice.h"

namespace tamis {

namespace {

constexpr size_t kStampBytes = 26;  // 2026/11/21-10:03:04.123456

bool ParseStamp(std::string_view line, double* seconds) {
  if (line.size() < kStampBytes) return false;
  const std::string stamp(line.substr(0, kStampBytes));
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  double rest = 0;
  int end = 0;
  if (std::sscanf(stamp.c_str(), "%4d/%2u/%2u-%2d:%2d:%lf%n", &year, &month,
                  &day, &hour, &minute, &rest, &end) != 6 ||
      end != static_cast<int>(kStampBytes)) {
    return false;
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!date.ok()) return false;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  *seconds =
      86400.0 * static_cast<double>(days) + 3600 * hour + 60 * minute + rest;
  return true;
}

// The next word, and *line without it. Blanks between quotes are part of it.
std::string_view TakeWord(std::string_view* line) {
  line->remove_prefix(std::min(line->find_first_not_of(' '), line->size()));
  bool quoted = false;
  size_t i = 0;
  for (; i < line->size() && (quoted || (*line)[i] != ' '); ++i) {
    if (quoted && (*line)[i] == '\\') {
      ++i;
    } else if ((*line)[i] == '"') {
      quoted = !quoted;
    }
  }
  const std::string_view word = line->substr(0, std::min(i, line->size()));
  line->remove_prefix(word.size());
  return word;
}

// The bytes that util/coding/printable.h escaped.
std::string Unquoted(std::string_view value) {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') {
    return std::string(value);
  }
  value = value.substr(1, value.size() - 2);
  std::string out;
  for (size_t i = 0; i < value.size(); ++i) {
    std::string byte;
    if (value[i] != '\\' || i + 1 == value.size()) {
      out += value[i];
    } else if (value[i + 1] == 'x' && i + 3 < value.size() &&
               Slice(value.substr(i + 2, 2)).DecodeHex(&byte)) {
      out += byte;
      i += 3;
    } else {
      out += value[++i];
    }
  }
  return out;
}

}  // namespace

std::string LogEvent::Value(std::string_view key) const {
  for (const auto& [name_of_value, value] : values) {
    if (name_of_value == key) return value;
  }
  return {};
}

uint64_t LogEvent::Number(std::string_view key) const {
  const std::vector<uint64_t> numbers = Numbers(key);
  return numbers.size() == 1 ? numbers[0] : 0;
}

std::vector<uint64_t> LogEvent::Numbers(std::string_view key) const {
  const std::string text = Value(key);
  std::vector<uint64_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    uint64_t number = 0;
    const auto parsed = std::from_chars(at, end, number);
    if (parsed.ec != std::errc()) return {};
    numbers.push_back(number);
    if (parsed.ptr == end) break;
    if (*parsed.ptr != ',') return {};
    at = parsed.ptr + 1;
  }
  return numbers;
}

bool ParseLogEvent(std::string_view line, LogEvent* event) {
  *event = LogEvent();
  if (!ParseStamp(line, &event->seconds)) return false;
  line.remove_prefix(kStampBytes);
  constexpr std::string_view kEvent = "event=";
  const std::string_view first = TakeWord(&line);
  if (!first.starts_with(kEvent)) return false;
  event->name = first.substr(kEvent.size());
  for (std::string_view word = TakeWord(&line); !word.empty();
       word = TakeWord(&line)) {
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    event->words.emplace_back(word);
    event->values.emplace_back(word.substr(0, equals),
                               Unquoted(word.substr(equals + 1)));
  }
  return true;
}

std::vector<LogEvent> ParseLogEvents(std::string_view text) {
  std::vector<LogEvent> events;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    LogEvent event;
    if (ParseLogEvent(text.substr(0, end), &event)) {
      events.push_back(std::move(event));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return events;
}

}  // namespace tamis
