// SPDX-License-Identifier: Apache-2.0
#include "db/base/event_log.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "util/base/exceptions.h"
#include "util/base/log_text.h"
#include "util/coding/printable.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

bool NeedsQuotes(const Slice& value) {
  return value.empty() || std::any_of(value.begin(), value.end(), [](char c) {
           return c <= ' ' || c > '~' || c == '"' || c == '=' || c == '\\';
         });
}

// UINT64_MAX for a time beyond it.
uint64_t MicrosOf(uint64_t seconds) {
  constexpr uint64_t kMicros = 1'000'000;
  return seconds > UINT64_MAX / kMicros ? UINT64_MAX : seconds * kMicros;
}

void AppendQuoted(std::string* out, const Slice& value) {
  out->push_back('"');
  AppendEscaped(out, value);
  out->push_back('"');
}

}  // namespace

EventLog::Line::Line(EventLog* log, const char* event) : log_(log) {
  IgnoreExceptions([&] { text_ = std::string(" event=") + event; });
}

EventLog::Line::~Line() {
  IgnoreExceptions([this] { log_->Write(level_, text_); });
}

EventLog::Line& EventLog::Line::Add(const char* key, uint64_t value) {
  IgnoreExceptions(
      [&] { text_ += std::string(" ") + key + "=" + std::to_string(value); });
  return *this;
}

EventLog::Line& EventLog::Line::Add(const char* key, const Slice& value) {
  IgnoreExceptions([&] {
    text_ += std::string(" ") + key + "=";
    if (NeedsQuotes(value)) {
      AppendQuoted(&text_, value);
    } else {
      text_.append(value.data(), value.size());
    }
  });
  return *this;
}

EventLog::Line& EventLog::Line::Add(const char* key, const Status& status) {
  if (!status.ok()) level_ = ERROR_LEVEL;
  IgnoreExceptions([&] { Add(key, Slice(status.ToString())); });
  return *this;
}

EventLog::EventLog(const DBOptions& options, const std::string& directory,
                   bool silent, const std::vector<std::string>* found)
    : fs_(options.file_system),
      files_(InfoLogFiles::Of(fs_.get(), directory, options.db_log_dir)),
      clock_(options.clock),
      max_bytes_(options.max_log_file_size),
      max_micros_(MicrosOf(options.log_file_time_to_roll)),
      keep_files_(options.keep_log_file_num),
      level_(options.info_log_level),
      info_log_(options.info_log) {
  if (silent || info_log_ != nullptr) return;
  if (!options.db_log_dir.empty()) {
    fs_->CreateDirIfMissing(files_.directory).PermitUncheckedError();
  }
  MutexLock lock(&mutex_);
  if (found != nullptr && files_.directory == directory) {
    Find(*found);
  } else {
    std::vector<std::string> names;
    if (fs_->GetChildren(files_.directory, &names).ok()) {
      Find(names);
    } else {
      exists_ = fs_->FileExists(files_.path()).ok();
    }
  }
  StartFile();
}

EventLog::~EventLog() { CloseFile(); }

void EventLog::CloseFile() {
  MutexLock lock(&mutex_);
  IgnoreExceptions([this] {
    mutex_.AssertHeld();
    if (file_ != nullptr) file_->Close().PermitUncheckedError();
  });
  file_.reset();
}

uint64_t EventLog::NextJob() {
  MutexLock lock(&mutex_);
  return next_job_++;
}

void EventLog::Find(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name == files_.name) exists_ = true;
    if (files_.IsOld(name)) old_.push_back(name);
  }
  // Microseconds have the same number of digits for centuries.
  std::sort(old_.begin(), old_.end());
}

void EventLog::StartFile() {
  begin_micros_.reset();
  if (file_ != nullptr) file_->Close().PermitUncheckedError();
  file_.reset();
  if (exists_) {
    std::string old = files_.OldName(clock_->NowMicros());
    if (fs_->RenameFile(files_.path(), files_.directory + "/" + old).ok()) {
      old_.push_back(std::move(old));
    }
    while (old_.size() > keep_files_) {
      fs_->RemoveFile(files_.directory + "/" + old_.front())
          .PermitUncheckedError();
      old_.pop_front();
    }
  }
  exists_ = true;
  const FileOptions how = {.role = FileRole::kInfoLog};
  if (!file_io::Create(fs_.get(), files_.path(), how, &file_).ok()) {
    file_.reset();
  }
}

void EventLog::OwnLogger::Logv(InfoLogLevel log_level, const char* format,
                               va_list ap) {
  IgnoreExceptions([&] {
    Line line(log_, "message");
    line.level_ = log_level;
    line.Add("text", Slice(FormatText(format, ap)));
  });
}

void EventLog::Text(const std::string& text) {
  IgnoreExceptions([&] { Write(INFO_LEVEL, " " + text); });
}

void EventLog::Write(InfoLogLevel log_level, const std::string& text) {
  const IOTimer timer(&tls_iostats_context.logger_nanos);
  if (info_log_ != nullptr) {
    // Without the space before the first word.
    Log(log_level, info_log_, "%s", text.c_str() + 1);
  } else if (log_level >= level_) {
    WriteToFile(text);
  }
}

void EventLog::WriteToFile(const std::string& text) {
  const uint64_t now = clock_->NowMicros();
  const std::string line = FormatUtcTime(now) + text + "\n";
  MutexLock lock(&mutex_);
  if (file_ == nullptr) return;
  const uint64_t begin = begin_micros_.value_or(now);
  if (max_micros_ != 0 && now > begin && now - begin >= max_micros_) {
    StartFile();
    if (file_ == nullptr) return;
  }
  if (!begin_micros_) begin_micros_ = now;
  if (!file_io::Append(file_.get(), line).ok() ||
      !file_io::Flush(file_.get()).ok()) {
    file_.reset();
    return;
  }
  if (max_bytes_ != 0 && file_->GetFileSize() >= max_bytes_) StartFile();
}

}  // namespace tamis
