// SPDX-License-Identifier: Apache-2.0
#include "db/base/options_files.h"

#include <algorithm>
#include <utility>

#include "db/base/file_names.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

constexpr size_t kKept = 2;
constexpr int kAttempts = 10;

}  // namespace

Result<std::string> ReadStoredOptions(FileSystem* fs, const std::string& path) {
  std::string text;
  const Status status = ReadFileToString(fs, path, &text);
  if (status.ok()) return text;
  if (status.IsPathNotFound()) return status;
  return Status::IOError(
      path, "it may name the wal_dir of the logs, but cannot be read (" +
                status.ToString() +
                "); make it readable, or move it away after you set "
                "DBOptions::wal_dir to where the logs are");
}

// Lists the files unless they are known, and reads the newest unless its text
// is known.
Status OptionsFiles::Find() {
  if (listed_) return Status::OK();
  std::vector<std::string> names;
  TAMIS_RETURN_IF_ERROR(context_.fs()->GetChildren(context_.directory, &names));
  Found(names);
  return Status::OK();
}

void OptionsFiles::Found(const std::vector<std::string>& names) {
  const std::vector<FileNumber> known = std::exchange(numbers_, {});
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (!file || file->type != FileKind::kOptions) continue;
    // The temporary file has a suffix. A number may have been written with
    // another count of digits.
    const std::string path = OptionsFileName(context_.directory, file->number);
    if (path == context_.directory + "/" + name) {
      numbers_.push_back(file->number);
    }
  }
  std::sort(numbers_.begin(), numbers_.end());
  if (numbers_.empty()) {
    newest_text_.clear();
  } else if (known.empty() || known.back() != numbers_.back()) {
    auto text = ReadStoredOptions(
        context_.fs(), OptionsFileName(context_.directory, numbers_.back()));
    newest_status_ = text.status();
    newest_text_ = text.ok() ? std::move(text).value() : std::string();
  }
  listed_ = true;
}

Result<std::string> OptionsFiles::Newest() {
  TAMIS_RETURN_IF_ERROR(Find());
  // A writer in another process may have removed it since it was listed.
  for (int n = 0; n < kAttempts && newest_status_.IsPathNotFound(); ++n) {
    listed_ = false;
    numbers_.clear();
    newest_status_ = Status::OK();
    TAMIS_RETURN_IF_ERROR(Find());
  }
  if (!numbers_.empty()) {
    TAMIS_RETURN_IF_ERROR(newest_status_);
    return newest_text_;
  }
  return Status::NotFound(context_.directory, "it has no OPTIONS file");
}

Status OptionsFiles::Write(const std::string& text, FileNumber number) {
  FileSystem* const fs = context_.fs();
  const std::string path = OptionsFileName(context_.directory, number);
  const std::string scratch = path + ".dbtmp";
  Status status = WriteStringToFile(fs, text, scratch, /*sync=*/true);
  if (status.ok()) status = fs->RenameFile(scratch, path);
  if (!status.ok()) fs->RemoveFile(scratch).PermitUncheckedError();
  return status;
}

void OptionsFiles::RemoveOld() {
  while (numbers_.size() > kKept) {
    context_.fs()
        ->RemoveFile(OptionsFileName(context_.directory, numbers_.front()))
        .PermitUncheckedError();
    numbers_.erase(numbers_.begin());
  }
}

Status OptionsFiles::Store(const std::string& text, FileNumber at_least,
                           bool sync_directory) {
  TAMIS_RETURN_IF_ERROR(Find());
  if (newest_status_.ok() && text == newest_text_) return Status::OK();
  const FileNumber number =
      numbers_.empty() ? at_least : std::max(at_least, numbers_.back().Next());
  const Status status = Write(text, number);
  context_.event_log->Event("options_written")
      .Add("file", Slice(OptionsFileName("", number).substr(1)))
      .Add("status", status);
  TAMIS_RETURN_IF_ERROR(status);
  numbers_.push_back(number);
  newest_text_ = text;
  newest_status_ = Status::OK();
  // The names of the newer files may not be durable yet, but a removal may be.
  if (sync_directory || numbers_.size() > kKept) {
    TAMIS_RETURN_IF_ERROR(
        file_io::SyncDirectory(context_.fs(), context_.directory));
  }
  RemoveOld();
  return Status::OK();
}

}  // namespace tamis
