// SPDX-License-Identifier: Apache-2.0
#include "tools/log_spans.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>

namespace tamis {

namespace {

bool IsSpan(const std::string& event) {
  return event != "file_deleted" && event != "log_archived" &&
         event != "table_written" && event != "statistics";
}

bool TakeEnding(std::string* name, std::string_view ending) {
  if (!name->ends_with(ending)) return false;
  name->resize(name->size() - ending.size());
  return true;
}

void AddWords(const LogEvent& event, std::vector<std::string>* words) {
  for (const std::string& word : event.words) {
    if (!word.starts_with("job=") &&
        std::find(words->begin(), words->end(), word) == words->end()) {
      words->push_back(word);
    }
  }
}

std::string SpanRow(const LogSpan& span, double scale, size_t columns) {
  const auto left =
      std::min(static_cast<size_t>(span.begin * scale), columns - 1);
  const auto bar = std::clamp<size_t>(
      static_cast<size_t>((span.end - span.begin) * scale + 0.5), 1,
      columns - left);
  const std::string what =
      span.job.empty() ? span.kind : span.kind + " " + span.job;
  char text[64];
  std::snprintf(text, sizeof text, "%12.3f %9.3f  ", span.begin,
                span.end - span.begin);
  std::string row = text + what;
  row.resize(std::max(row.size(), size_t{42}), ' ');
  row += " |" + std::string(left, ' ') + std::string(bar, '#') +
         std::string(columns - left - bar, ' ') + "|";
  for (const std::string& word : span.words) row += " " + word;
  return row + (span.cut ? " ..." : "") + "\n";
}

}  // namespace

double FirstSecond(const std::vector<LogEvent>& events) {
  for (const LogEvent& event : events) {
    if (IsSpan(event.name)) return event.seconds;
  }
  return 0;
}

std::vector<LogSpan> SpansOf(const std::vector<LogEvent>& events) {
  std::vector<LogSpan> spans;
  std::map<std::string, size_t> open;  // by kind and job
  const double first = FirstSecond(events);
  double last = 0;
  for (const LogEvent& event : events) {
    if (!IsSpan(event.name)) continue;
    const double now = event.seconds - first;
    last = std::max(last, now);
    std::string kind = event.name;
    const std::string job = event.Value("job");
    if (TakeEnding(&kind, "_end")) {
      const auto begun = open.find(kind + " " + job);
      if (begun != open.end()) {
        LogSpan& span = spans[begun->second];
        span.end = now;
        span.cut = false;
        AddWords(event, &span.words);
        open.erase(begun);
        continue;
      }
      kind = event.name;
    } else if (TakeEnding(&kind, "_start")) {
      open[kind + " " + job] = spans.size();
      spans.push_back(
          {.kind = kind, .job = job, .begin = now, .cut = true, .words = {}});
      AddWords(event, &spans.back().words);
      continue;
    }
    spans.push_back(
        {.kind = kind, .job = {}, .begin = now, .end = now, .words = {}});
    AddWords(event, &spans.back().words);
  }
  for (LogSpan& span : spans) {
    if (span.cut) span.end = last;
  }
  return spans;
}

std::string SpansText(const std::vector<LogSpan>& spans, size_t columns) {
  double last = 0;
  for (const LogSpan& span : spans) last = std::max(last, span.end);
  const double scale = last > 0 ? static_cast<double>(columns) / last : 0;
  char all[32];
  std::snprintf(all, sizeof all, "%.3f s", last);
  char header[128];
  std::snprintf(header, sizeof header, "%12s %9s  %-18s |%-*s|\n", "begin",
                "seconds", "what", static_cast<int>(columns), all);
  std::string text = header;
  for (const LogSpan& span : spans) text += SpanRow(span, scale, columns);
  return text;
}

}  // namespace tamis
