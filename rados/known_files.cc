// SPDX-License-Identifier: Apache-2.0
#include "rados/known_files.h"

#include <algorithm>

namespace tamis::rados {

void KnownFiles::Add(uint64_t period, const NameMap& found) {
  const std::lock_guard lock(mutex_);
  if (period == 0 || period < period_) return;
  const bool is_another =
      std::any_of(found.begin(), found.end(), [this](const auto& one) {
        const auto known = files_.find(one.first);
        return known != files_.end() && known->second.id != one.second.id;
      });
  if (is_another || period != period_) files_.clear();
  period_ = period;
  for (const auto& [path, entry] : found) {
    if (entry.kind == FileEntry::Kind::kClosed) files_[path] = entry;
  }
}

bool KnownFiles::FindTable(uint64_t period, const std::string& path,
                           FileEntry* entry) const {
  const std::lock_guard lock(mutex_);
  if (period == 0 || period != period_) return false;
  const auto known = files_.find(path);
  if (known == files_.end() || known->second.pool != Pool::kTables) {
    return false;
  }
  *entry = known->second;
  return true;
}

}  // namespace tamis::rados
