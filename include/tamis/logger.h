// SPDX-License-Identifier: Apache-2.0
//
// A Logger receives lines of text. DBOptions::info_log gives a database one of
// the user's; merge operators get the database's. The names are RocksDB's.
//
// Threads: all members except Close must be callable from any thread at once.
// A database may hold its mutex during a call: a Logger must not call the
// database. Exceptions that it throws are ignored.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <memory>

#include "tamis/export.h"
#include "tamis/status.h"

namespace tamis {

// How important a line is.
enum InfoLogLevel : unsigned char {
  DEBUG_LEVEL = 0,
  INFO_LEVEL,
  WARN_LEVEL,
  ERROR_LEVEL,
  FATAL_LEVEL,
  HEADER_LEVEL,
  NUM_INFO_LOG_LEVELS,  // not a level
};

class TAMIS_EXPORT Logger {
 public:
  // Lines below the level are not written.
  explicit Logger(InfoLogLevel log_level = INFO_LEVEL)
      : log_level_(log_level) {}
  virtual ~Logger();
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  // Calls CloseImpl, the first time.
  virtual Status Close();

  // Writes a line. The format and its arguments are those of vprintf.
  virtual void Logv(const char* format, va_list ap) = 0;
  // Writes a line of a level, if that is not below GetInfoLogLevel. By default,
  // calls the function above, with "[WARN] " and so on before the format if not
  // INFO_LEVEL (from WARN_LEVEL on, then Flush); for HEADER_LEVEL, LogHeader.
  virtual void Logv(InfoLogLevel log_level, const char* format, va_list ap);
  // Writes a line that describes the program. By default, a line of INFO_LEVEL.
  virtual void LogHeader(const char* format, va_list ap);

  // Returns the size of the file in bytes, SIZE_MAX if there is none.
  virtual size_t GetLogFileSize() const;
  // Hands what was written to the operating system.
  virtual void Flush() {}
  // Returns the level below which lines are not written.
  virtual InfoLogLevel GetInfoLogLevel() const { return log_level_; }
  // Must not be called while another thread logs.
  virtual void SetInfoLogLevel(InfoLogLevel log_level) {
    log_level_ = log_level;
  }

 protected:
  // Implements Close. Returns NotSupported by default.
  virtual Status CloseImpl();

 private:
  bool closed_ = false;
  InfoLogLevel log_level_;
};

// Makes the compiler compare a format with its arguments.
#if defined(__GNUC__)
#define TAMIS_PRINTF(text, arguments) \
  __attribute__((format(printf, text, arguments)))
#else
#define TAMIS_PRINTF(text, arguments)
#endif

// Write a line as printf does. They do nothing if the logger is nullptr. Log
// without a level means INFO_LEVEL.
TAMIS_EXPORT void Log(Logger* logger, const char* format, ...)
    TAMIS_PRINTF(2, 3);
TAMIS_EXPORT void Log(const std::shared_ptr<Logger>& logger, const char* format,
                      ...) TAMIS_PRINTF(2, 3);
TAMIS_EXPORT void Log(InfoLogLevel log_level, Logger* logger,
                      const char* format, ...) TAMIS_PRINTF(3, 4);
TAMIS_EXPORT void Log(InfoLogLevel log_level,
                      const std::shared_ptr<Logger>& logger, const char* format,
                      ...) TAMIS_PRINTF(3, 4);
TAMIS_EXPORT void Debug(Logger* logger, const char* format, ...)
    TAMIS_PRINTF(2, 3);
TAMIS_EXPORT void Debug(const std::shared_ptr<Logger>& logger,
                        const char* format, ...) TAMIS_PRINTF(2, 3);
TAMIS_EXPORT void Info(Logger* logger, const char* format, ...)
    TAMIS_PRINTF(2, 3);
TAMIS_EXPORT void Info(const std::shared_ptr<Logger>& logger,
                       const char* format, ...) TAMIS_PRINTF(2, 3);
TAMIS_EXPORT void Warn(Logger* logger, const char* format, ...)
    TAMIS_PRINTF(2, 3);
TAMIS_EXPORT void Warn(const std::shared_ptr<Logger>& logger,
                       const char* format, ...) TAMIS_PRINTF(2, 3);
TAMIS_EXPORT void Error(Logger* logger, const char* format, ...)
    TAMIS_PRINTF(2, 3);
TAMIS_EXPORT void Error(const std::shared_ptr<Logger>& logger,
                        const char* format, ...) TAMIS_PRINTF(2, 3);
TAMIS_EXPORT void Fatal(Logger* logger, const char* format, ...)
    TAMIS_PRINTF(2, 3);
TAMIS_EXPORT void Fatal(const std::shared_ptr<Logger>& logger,
                        const char* format, ...) TAMIS_PRINTF(2, 3);
TAMIS_EXPORT void Header(Logger* logger, const char* format, ...)
    TAMIS_PRINTF(2, 3);
TAMIS_EXPORT void Header(const std::shared_ptr<Logger>& logger,
                         const char* format, ...) TAMIS_PRINTF(2, 3);

// Call Logger::Flush, if the logger is not nullptr.
TAMIS_EXPORT void LogFlush(Logger* logger);
TAMIS_EXPORT void LogFlush(const std::shared_ptr<Logger>& logger);

#undef TAMIS_PRINTF

}  // namespace tamis
