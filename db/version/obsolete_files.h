// SPDX-License-Identifier: Apache-2.0
//
// Files that nothing needs any more. A table joins the list when the edit that
// drops it is durable, and is deleted when the last version that holds it is
// gone: an iterator may keep it for long. Logs and MANIFESTs join when what
// replaces them is durable.
//
// A file that there is no memory to remember is left to the next open.
//
// Under the database's mutex, except Delete.
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

  // Between the two nothing but tables may go; they nest.
  void Hold() { ++holds_; }
  void Release() { --holds_; }

  // The paths that may go now; they leave the list.
  std::vector<std::string> TakeDeletable();
  // Without the mutex. A file that does not go is said in LOG and left to the
  // next open.
  void Delete(const std::vector<std::string>& paths) const;

  // Any thread: whether TakeDeletable might have something.
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
