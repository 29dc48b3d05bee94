// SPDX-License-Identifier: Apache-2.0
#include "db/obsolete_files.h"

#include <utility>

#include "db/file_names.h"

namespace tamis {

void ObsoleteFiles::AddTable(const TableFilePtr& file) {
  tables_.push_back({file->meta.number, file});
  pending_.store(true, std::memory_order_relaxed);
}

std::vector<std::string> ObsoleteFiles::TakeDeletable() {
  std::vector<std::string> deletable = std::exchange(paths_, {});
  std::erase_if(tables_, [&](const Dropped& table) {
    if (!table.file.expired()) return false;
    const std::string path = TableFileName(context_.directory, table.number);
    // LevelDB's spelling is never removed by RocksDB's purge: see to it here.
    deletable.push_back(
        context_.fs()->FileExists(path).IsPathNotFound()
            ? LevelDBTableFileName(context_.directory, table.number)
            : path);
    return true;
  });
  pending_.store(!tables_.empty(), std::memory_order_relaxed);
  return deletable;
}

void ObsoleteFiles::Delete(const std::vector<std::string>& paths) const {
  for (const std::string& path : paths) {
    const Status status = context_.fs()->RemoveFile(path);
    context_.event_log->Event("file_deleted")
        .Add("path", Slice(path))
        .Add("status", status);
  }
}

}  // namespace tamis
