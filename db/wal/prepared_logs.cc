// SPDX-License-Identifier: Apache-2.0
#include "db/wal/prepared_logs.h"

#include <algorithm>

#include "util/base/check.h"
#include "util/base/result.h"

namespace tamis {

namespace {

// Returns the section of that id that has not ended, or the end.
template <typename Sections>
auto FindOpen(Sections& sections, const std::string& id) {
  const auto [begin, end] = sections.equal_range(id);
  const auto found = std::find_if(begin, end, [](const auto& one) {
    return one.second.ended_by == kNoFile;
  });
  return found != end ? found : sections.end();
}

}  // namespace

void PreparedLogs::Add(const std::string& id, const WriteBatch& changes,
                       FileNumber log) {
  MutexLock lock(&mutex_);
  TAMIS_CHECK(FindOpen(sections_, id) == sections_.end());
  sections_.emplace(id, Section{changes, log});
}

void PreparedLogs::End(const std::string& id, FileNumber by,
                       bool durable) noexcept {
  MutexLock lock(&mutex_);
  const auto found = FindOpen(sections_, id);
  TAMIS_CHECK(found != sections_.end());
  if (durable) {
    sections_.erase(found);
  } else {
    found->second.changes.Clear();
    found->second.ended_by = by;
  }
}

bool PreparedLogs::IsOpen(const std::string& id) const {
  MutexLock lock(&mutex_);
  return FindOpen(sections_, id) != sections_.end();
}

FileNumber PreparedLogs::Oldest(FileNumber open_log) noexcept {
  MutexLock lock(&mutex_);
  FileNumber oldest = kFileNumberMax;
  std::erase_if(sections_, [&](const auto& one) {
    const Section& section = one.second;
    if (section.ended_by != kNoFile && section.ended_by < open_log) return true;
    oldest = std::min(oldest, section.log);
    return false;
  });
  return oldest;
}

Status PreparedLogs::MoveTo(FileNumber log, const Copy& copy) {
  MutexLock lock(&mutex_);
  for (auto& [id, section] : sections_) {
    if (section.ended_by != kNoFile) continue;
    TAMIS_RETURN_IF_ERROR(copy(id, section.changes));
    section.log = log;
  }
  return Status::OK();
}

}  // namespace tamis
