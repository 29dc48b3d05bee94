// SPDX-License-Identifier: Apache-2.0
//
// The Logger of Env::NewLogger: lines with their time, in a file.
#include <string>
#include <utility>

#include "tamis/clock.h"
#include "tamis/env.h"
#include "tamis/logger.h"

#include "util/base/exceptions.h"
#include "util/base/log_text.h"
#include "util/base/mutex.h"

namespace tamis {

namespace {

// Errors of the file lose lines.
class FileLogger final : public Logger {
 public:
  explicit FileLogger(std::unique_ptr<WritableFile> file)
      : file_(std::move(file)) {}
  ~FileLogger() override { CloseFile().PermitUncheckedError(); }
  FileLogger(const FileLogger&) = delete;
  FileLogger& operator=(const FileLogger&) = delete;

  using Logger::Logv;
  void Logv(const char* format, va_list ap) override {
    const std::string line = FormatUtcTime(clock_->NowMicros()) + " " +
                             FormatText(format, ap) + "\n";
    MutexLock lock(&mutex_);
    if (file_ == nullptr) return;
    Status status = file_->Append(line);
    if (status.ok()) status = file_->Flush();
    status.PermitUncheckedError();
  }
  size_t GetLogFileSize() const override {
    MutexLock lock(&mutex_);
    return file_ == nullptr ? 0 : static_cast<size_t>(file_->GetFileSize());
  }

 protected:
  Status CloseImpl() override { return CloseFile(); }

 private:
  Status CloseFile() {
    MutexLock lock(&mutex_);
    if (file_ == nullptr) return Status::OK();
    const std::unique_ptr<WritableFile> file = std::move(file_);
    return file->Close();
  }

  const std::shared_ptr<Clock> clock_ = NewSystemClock();
  mutable Mutex mutex_;
  std::unique_ptr<WritableFile> file_ GUARDED_BY(mutex_);
};

}  // namespace

Status Env::NewLogger(const std::string& path,
                      std::shared_ptr<Logger>* logger) {
  logger->reset();
  return CatchExceptions([&] {
    std::unique_ptr<WritableFile> file;
    FileOptions options;
    options.role = FileRole::kInfoLog;
    const Status status = file_system_->OpenWritableFile(path, options, &file);
    if (status.ok()) *logger = std::make_shared<FileLogger>(std::move(file));
    return status;
  });
}

Status NewEnvLogger(const std::string& path, Env* env,
                    std::shared_ptr<Logger>* logger) {
  return env->NewLogger(path, logger);
}

}  // namespace tamis
