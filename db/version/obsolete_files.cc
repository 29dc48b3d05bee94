// SPDX-License-Identifier: Apache-2.0
#include "db/version/obsolete_files.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "db/base/file_names.h"
#include "db/base/table_file.h"
#include "db/manifest/table_path.h"
#include "util/base/exceptions.h"

namespace tamis {

void TellTableDeleted(const DBContext& context, const std::string& path,
                      const Status& status) noexcept {
  if (context.listeners == nullptr) return;
  IgnoreExceptions([&] {
    const auto file = ParseFileName(path.substr(path.rfind('/') + 1));
    if (!file || file->type != FileKind::kTable) return;
    TableFileDeletionInfo info;
    info.db_name = context.directory;
    info.file_path = path;
    info.status = status;
    context.listeners->Post(
        [info = std::move(info)](EventListener* listener, DB*) {
          listener->OnTableFileDeleted(info);
        });
  });
}

void ObsoleteFiles::AddTable(const TableFilePtr& file) noexcept {
  IgnoreExceptions([&] {
    tables_.push_back(
        {file->meta.number, file->meta.directory, file->meta.size, file});
  });
  pending_.store(true, std::memory_order_relaxed);
}

uint64_t ObsoleteFiles::TableBytes() const {
  uint64_t bytes = 0;
  for (const Dropped& table : tables_) {
    if (table.file.expired()) bytes += table.bytes;
  }
  return bytes;
}

void ObsoleteFiles::AddLog(FileNumber number, bool may_keep) {
  if (may_keep && archive_ != nullptr && archive_->enabled()) {
    archived_.push_back(number);
  } else {
    AddFile(LogFileName(context_.log_directory(), number));
  }
}

DeletableFiles ObsoleteFiles::TakeDeletable() {
  DeletableFiles deletable;
  if (!enabled()) return deletable;
  deletable.paths.reserve(paths_.size() + tables_.size());
  const auto first_held =
      std::partition(tables_.begin(), tables_.end(),
                     [](const Dropped& table) { return table.file.expired(); });
  for (auto table = tables_.begin(); table != first_held; ++table) {
    deletable.paths.push_back(TableFileName(
        TableDirectory(context_, table->directory), table->number));
  }
  // From here on nothing throws.
  tables_.erase(tables_.begin(), first_held);
  if (holds_ == 0) {
    std::move(paths_.begin(), paths_.end(),
              std::back_inserter(deletable.paths));
    paths_.clear();
    deletable.archived.swap(archived_);
  }
  pending_.store(!tables_.empty(), std::memory_order_relaxed);
  return deletable;
}

// A directory of LevelDB has tables under this name, and RocksDB's purge never
// removes them.
Status ObsoleteFiles::RemoveAlias(const std::string& path) const {
  const size_t slash = path.rfind('/');
  const auto file = ParseFileName(path.substr(slash + 1));
  return file && file->type == FileKind::kTable
             ? RemoveTableFile(
                   context_,
                   LevelDBTableFileName(path.substr(0, slash), file->number))
             : Status::PathNotFound(path);
}

void ObsoleteFiles::Delete(const std::vector<std::string>& paths) const {
  for (const std::string& path : paths) {
    Status status = DeleteObsoleteFile(context_, path);
    if (status.IsPathNotFound()) status = RemoveAlias(path);
    context_.event_log->Event("file_deleted")
        .Add("path", Slice(path))
        .Add("status", status);
    TellTableDeleted(context_, path, status);
  }
}

void ObsoleteFiles::Delete(const DeletableFiles& files) const {
  Delete(files.paths);
  if (!files.archived.empty()) archive_->Add(files.archived);
}

}  // namespace tamis
