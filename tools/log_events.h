// SPDX-License-Identifier: Apache-2.0
//
// Reads the lines of a database's LOG (docs/log.md).
//
//   2026/11/21-10:03:04.123456 event=flush_end job=3 status="IO error: full"
//   └─ seconds since 1970 ───┘ └ name ───────┘ └─ values, without quotes ──┘
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tamis {

struct LogEvent {
  double seconds = 0;
  std::string name;
  // In the order of the line, as they were before they were quoted.
  std::vector<std::pair<std::string, std::string>> values;
  // The same part of the line as it is.
  std::vector<std::string> words;

  // Empty: there is none of this name.
  std::string Value(std::string_view key) const;
  // 0: there is none, or it is no number.
  uint64_t Number(std::string_view key) const;
  // Of "4,0,12".
  std::vector<uint64_t> Numbers(std::string_view key) const;
};

// Returns false if the line is no event.
bool ParseLogEvent(std::string_view line, LogEvent* event);

// The events of a text of lines, in its order.
std::vector<LogEvent> ParseLogEvents(std::string_view text);

}  // namespace tamis
