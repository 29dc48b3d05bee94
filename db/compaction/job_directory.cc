// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/job_directory.h"

#include <algorithm>
#include <vector>

#include "db/base/file_names.h"
#include "util/base/exceptions.h"

namespace tamis {

namespace {

constexpr std::string_view kNamePrefix = "compaction-";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsOfSessionId(char c) { return IsDigit(c) || (c >= 'A' && c <= 'Z'); }

}  // namespace

std::string JobDirectoryName(const DBContext& context, uint64_t job) {
  return std::string(kNamePrefix) + context.session_id + "-" +
         std::to_string(job);
}

bool IsJobDirectoryName(std::string_view name) {
  if (!name.starts_with(kNamePrefix)) return false;
  name.remove_prefix(kNamePrefix.size());
  const size_t dash = name.find('-');
  if (dash == 0 || dash == std::string_view::npos) return false;
  const std::string_view session = name.substr(0, dash);
  const std::string_view job = name.substr(dash + 1);
  return !job.empty() &&
         std::all_of(session.begin(), session.end(), IsOfSessionId) &&
         std::all_of(job.begin(), job.end(), IsDigit);
}

void RemoveJobDirectory(FileSystem* fs, const std::string& path) noexcept {
  IgnoreExceptions([&] {
    bool link = false;
    std::vector<std::string> names;
    if (!fs->IsSymbolicLink(path, &link).ok() || link ||
        !fs->GetChildren(path, &names).ok()) {
      return;
    }
    for (const std::string& name : names) {
      const auto file = ParseFileName(name);
      if (!file || file->type != FileKind::kTable) continue;
      fs->RemoveFile(path + "/" + name).PermitUncheckedError();
    }
    fs->RemoveDir(path).PermitUncheckedError();
  });
}

}  // namespace tamis
