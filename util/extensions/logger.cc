// SPDX-License-Identifier: Apache-2.0
#include "tamis/logger.h"

#include <array>
#include <cstdint>
#include <string>

namespace tamis {

namespace {

constexpr std::array kLevelNames = {"DEBUG", "INFO", "WARN", "ERROR", "FATAL"};

}  // namespace

Logger::~Logger() = default;

Status Logger::Close() {
  if (closed_) return Status::OK();
  closed_ = true;
  return CloseImpl();
}

Status Logger::CloseImpl() { return Status::NotSupported(); }

size_t Logger::GetLogFileSize() const { return SIZE_MAX; }

void Logger::LogHeader(const char* format, va_list ap) {
  Logv(INFO_LEVEL, format, ap);
}

void Logger::Logv(InfoLogLevel log_level, const char* format, va_list ap) {
  if (log_level >= HEADER_LEVEL) {
    LogHeader(format, ap);
    return;
  }
  if (log_level < GetInfoLogLevel()) return;
  if (log_level == INFO_LEVEL) {
    Logv(format, ap);
    return;
  }
  const std::string named =
      std::string("[") + kLevelNames[log_level] + "] " + format;
  Logv(named.c_str(), ap);
  if (log_level >= WARN_LEVEL) Flush();
}

// Hands the arguments after `format` on.
#define TAMIS_LOG(level, logger, format)      \
  do {                                        \
    if ((logger) == nullptr) return;          \
    va_list arguments;                        \
    va_start(arguments, format);              \
    (logger)->Logv(level, format, arguments); \
    va_end(arguments);                        \
  } while (false)

#define TAMIS_LOG_FUNCTION(name, level)                                       \
  void name(Logger* logger, const char* format, ...) {                        \
    TAMIS_LOG(level, logger, format);                                         \
  }                                                                           \
  void name(const std::shared_ptr<Logger>& logger, const char* format, ...) { \
    TAMIS_LOG(level, logger, format);                                         \
  }

TAMIS_LOG_FUNCTION(Log, INFO_LEVEL)
TAMIS_LOG_FUNCTION(Debug, DEBUG_LEVEL)
TAMIS_LOG_FUNCTION(Info, INFO_LEVEL)
TAMIS_LOG_FUNCTION(Warn, WARN_LEVEL)
TAMIS_LOG_FUNCTION(Error, ERROR_LEVEL)
TAMIS_LOG_FUNCTION(Fatal, FATAL_LEVEL)
TAMIS_LOG_FUNCTION(Header, HEADER_LEVEL)

void Log(InfoLogLevel log_level, Logger* logger, const char* format, ...) {
  TAMIS_LOG(log_level, logger, format);
}

void Log(InfoLogLevel log_level, const std::shared_ptr<Logger>& logger,
         const char* format, ...) {
  TAMIS_LOG(log_level, logger, format);
}

#undef TAMIS_LOG_FUNCTION
#undef TAMIS_LOG

void LogFlush(Logger* logger) {
  if (logger != nullptr) logger->Flush();
}

void LogFlush(const std::shared_ptr<Logger>& logger) { LogFlush(logger.get()); }

}  // namespace tamis
