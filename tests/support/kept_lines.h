// SPDX-License-Identifier: Apache-2.0
//
// A user's Logger that keeps the lines.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include "tamis/logger.h"

namespace tamis {

class KeptLines : public Logger {
 public:
  using Logger::Logger;
  using Logger::Logv;
  void Logv(const char* format, va_list ap) override {
    char line[1000];
    std::vsnprintf(line, sizeof(line), format, ap);
    const std::lock_guard<std::mutex> lock(mutex_);
    lines_.emplace_back(line);
  }
  std::vector<std::string> lines() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return lines_;
  }
  // Those that contain the text.
  std::vector<std::string> With(const std::string& text) {
    std::vector<std::string> found = lines();
    std::erase_if(found, [&text](const std::string& line) {
      return line.find(text) == std::string::npos;
    });
    return found;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace tamis
