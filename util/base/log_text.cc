// SPDX-License-Identifier: Apache-2.0
#include "util/base/log_text.h"

#include <cstdio>
#include <ctime>

namespace tamis {

std::string FormatUtcTime(uint64_t micros) {
  const auto seconds = static_cast<std::time_t>(micros / 1'000'000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  std::snprintf(text, sizeof(text), "%04d/%02d/%02d-%02d:%02d:%02d.%06d",
                parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                parts.tm_hour, parts.tm_min, parts.tm_sec,
                static_cast<int>(micros % 1'000'000));
  return text;
}

std::string FormatText(const char* format, va_list arguments) {
  va_list copy;
  va_copy(copy, arguments);
  const int bytes = std::vsnprintf(nullptr, 0, format, copy);
  va_end(copy);
  if (bytes < 0) return "";
  std::string text(static_cast<size_t>(bytes) + 1, '\0');
  std::vsnprintf(text.data(), text.size(), format, arguments);
  text.pop_back();
  return text;
}

}  // namespace tamis
