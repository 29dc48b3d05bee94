// SPDX-License-Identifier: Apache-2.0
//
// The files that no version needs. A table is added when the edit that drops it
// is durable, and is deletable when the last version with it is gone: an
// iterator may pin that for long. Logs and MANIFESTs are added when whatever
// replaces them is durable.
//
// If memory runs out, a file is not recorded: the next open deletes it.
//
// REQUIRES: the database's mutex, for all but Delete and maybe_pending.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "db/version/table_cache.h"

namespace tamis {

class ObsoleteFiles {
 public:
  explicit ObsoleteFiles(const DBContext& context) : context_(context) {}

  void AddTable(const TableFilePtr& file) noexcept;
  void AddFile(std::string path) { paths_.push_back(std::move(path)); }

  // Between them, files added by AddFile are not deletable. Calls nest.
  void Hold() { ++holds_; }
  void Release() { --holds_; }

  // Returns the paths that are deletable now, and removes them from the list.
  std::vector<std::string> TakeDeletable();
  // Call without the mutex. LOG records each result; the next open retries what
  // could not be deleted.
  void Delete(const std::vector<std::string>& paths) const;

  // Any thread. Whether TakeDeletable might return a table.
  bool maybe_pending() const {
    return pending_.load(std::memory_order_relaxed);
  }

 private:
  Status RemoveAlias(const std::string& path) const;

  const DBContext& context_;
  struct Dropped {
    uint64_t number;
    std::weak_ptr<const TableFile> file;
  };
  std::vector<Dropped> tables_;
  std::vector<std::string> paths_;
  int holds_ = 0;
  std::atomic<bool> pending_{false};
};

}  // namespace tamis
