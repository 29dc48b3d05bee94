// SPDX-License-Identifier: Apache-2.0
//
// ObsoleteFiles is the list of the files that can be deleted, now or later. A
// table is added when the edit that drops it is durable, and can be deleted
// when the last Version that contains it is destroyed; an iterator may keep
// that Version for long. Logs and MANIFESTs are added when their replacements
// are durable. Logs move to the archive if DBOptions keep them. An
// SstFileManager may delete tables and logs later than Delete.
//
//   AddTable, AddFile, AddLog ──▶ TakeDeletable ──▶ Delete, without the mutex
//
// REQUIRES, except for Delete and maybe_pending: the database's mutex is held.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "db/base/numbers.h"
#include "db/version/table_cache.h"
#include "db/wal/wal_archive.h"

namespace tamis {

// Tells listeners of the deletion, if the path names a table.
void TellTableDeleted(const DBContext& context, const std::string& path,
                      const Status& status) noexcept;

// What can be deleted or archived now.
struct DeletableFiles {
  std::vector<std::string> paths;
  std::vector<FileNumber> archived;  // logs that move to the archive
  bool empty() const { return paths.empty() && archived.empty(); }
};

class ObsoleteFiles {
 public:
  // Both arguments must outlive *this. Without `archive`, nothing is archived.
  explicit ObsoleteFiles(const DBContext& context,
                         WalArchive* archive = nullptr)
      : context_(context), archive_(archive) {}

  // Adds a table, but keeps no reference to it. If memory runs out, leaves the
  // table to the next open.
  void AddTable(const TableFilePtr& file) noexcept;
  // Adds a log or MANIFEST. May throw std::bad_alloc, which leaves the list
  // unchanged.
  void AddFile(std::string path) { paths_.push_back(std::move(path)); }
  // Adds a log, which moves to the archive if logs are kept and `may_keep`.
  // Throws as AddFile does.
  void AddLog(FileNumber number, bool may_keep);

  // While a Hold lives, TakeDeletable returns no path of AddFile and no log, so
  // that a checkpoint can copy logs. Tables need no Hold, because their users
  // have references to them.
  class Hold {
   public:
    explicit Hold(ObsoleteFiles* files) : files_(*files) { ++files_.holds_; }
    ~Hold() {
      TAMIS_CHECK(files_.holds_ > 0);
      --files_.holds_;
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    ObsoleteFiles& files_;
  };

  // Between Disable and Enable, TakeDeletable returns nothing. Each Disable
  // needs an Enable, which returns false if there was none.
  void Disable() { ++disabled_; }
  bool Enable() {
    if (disabled_ == 0) return false;
    --disabled_;
    return true;
  }
  bool enabled() const { return disabled_ == 0; }

  // Returns the bytes of the tables in the list that nothing uses any more.
  uint64_t TableBytes() const;

  // Removes from the list, and returns, the files that can be deleted now. May
  // throw std::bad_alloc, which leaves the list unchanged.
  DeletableFiles TakeDeletable();
  // Deletes the files and records each outcome in LOG. A file that cannot be
  // deleted is left to the next open; if the call throws, so are all files
  // after it. Any thread, without the mutex.
  void Delete(const std::vector<std::string>& paths) const;
  // Does so with the paths, and archives the logs.
  void Delete(const DeletableFiles& files) const;

  // Returns whether a table may be in the list. Ignores the paths of AddFile,
  // because only tables become deletable when a reader ends. Any thread.
  bool maybe_pending() const {
    return pending_.load(std::memory_order_relaxed);
  }

 private:
  // Deletes the table `path` under its alias, LevelDB's name for it (.ldb).
  // Returns PathNotFound if there is no such file or `path` names no table.
  Status RemoveAlias(const std::string& path) const;

  const DBContext& context_;
  WalArchive* const archive_;
  struct Dropped {
    FileNumber number;
    std::shared_ptr<const std::string> directory;  // as in FileMetaData
    uint64_t bytes;
    std::weak_ptr<const TableFile> file;
  };
  std::vector<Dropped> tables_;
  std::vector<std::string> paths_;
  std::vector<FileNumber> archived_;  // logs that are to be
  int holds_ = 0;
  int disabled_ = 0;
  std::atomic<bool> pending_{false};
};

}  // namespace tamis
