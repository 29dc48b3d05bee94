// SPDX-License-Identifier: Apache-2.0
//
// The events of LOG over time: what has a beginning and an end, and what
// happens at once, in the order in which they began.
//
//        begin   seconds  what            |12.300 s                      |
//        0.000     0.012  open            |#                             |
//        1.204     0.110  flush 3         |  #                           |
//        file=12
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/log_events.h"

namespace tamis {

struct LogSpan {
  std::string kind;  // "flush"; of what happens at once, the event's name
  std::string job;   // its number, or empty
  double begin = 0;  // seconds after the first event
  double end = 0;
  bool cut = false;                // there is no end: it is that of the LOG
  std::vector<std::string> words;  // of both lines, each once
};

// When the first event of a span was.
double FirstSecond(const std::vector<LogEvent>& events);

// Deleted files, archived logs, written tables and statistics are left out.
std::vector<LogSpan> SpansOf(const std::vector<LogEvent>& events);

// A row for each, with a bar of at most `columns`.
std::string SpansText(const std::vector<LogSpan>& spans, size_t columns);

}  // namespace tamis
