// SPDX-License-Identifier: Apache-2.0
//
// AtOneMoment reads a directory, in several steps, that another process may be
// writing. A writer may remove tables and logs between two steps, or ingest a
// table and log more; the steps are then repeated.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "tamis/file_system.h"
#include "tamis/status.h"

#include "db/manifest/manifest_state.h"

namespace tamis {

// CURRENT, and the size of the MANIFEST that it names. A writer changes one of
// them before it removes a file. If both are unchanged by the end, all that was
// read is of one state.
struct DirectoryMoment {
  std::string current;  // its contents, or why it cannot be read
  Status sized;
  uint64_t manifest_bytes = 0;

  // The base name of the MANIFEST. REQUIRES: sized.ok()
  std::string manifest() const { return current.substr(0, current.size() - 1); }
  bool operator==(const DirectoryMoment&) const = default;
};
DirectoryMoment MomentOf(FileSystem* fs, const std::string& directory);

inline constexpr int kAttemptsAtOneMoment = 20;

// Names what a MANIFEST has of the history that no log has. A MANIFEST of the
// same history is of later flushes and compactions at most: with the logs, it
// shows the same.
struct UnloggedHistory {
  std::string manifest;
  uint64_t edits = 0;

  bool operator==(const UnloggedHistory&) const = default;
};
inline UnloggedHistory HistoryOf(const ManifestState& manifest) {
  return {manifest.name, manifest.unlogged_edits};
}
// Returns whether the directory's MANIFEST is of this history now.
bool IsOfHistory(FileSystem* fs, const std::string& directory,
                 const UnloggedHistory& history);

// Repeats attempt(before), which reads the directory, until its result is of
// one state; `before` is what MomentOf returned. A result is final if nothing
// changed meanwhile, or if is_right(result) returns true nevertheless.
// An error is also final if it occurs twice in succession, because the second
// attempt needs no file that was removed during the first. Returns TryAgain
// after kAttemptsAtOneMoment.
template <typename Attempt, typename IsRight>
auto AtOneMoment(FileSystem* fs, const std::string& directory,
                 const Attempt& attempt, const IsRight& is_right)
    -> decltype(attempt(DirectoryMoment())) {
  std::string last_error;
  for (int n = 1;; ++n) {
    const DirectoryMoment before = MomentOf(fs, directory);
    auto result = attempt(before);
    if (MomentOf(fs, directory) == before) return result;
    if (result.ok() && is_right(*result)) return result;
    std::string error = result.status().ToString();
    if (!result.ok() && error == last_error) return result;
    if (n == kAttemptsAtOneMoment) {
      return Status::TryAgain(
          directory, "a writer changed it during each of " + std::to_string(n) +
                         " attempts; the last failed with: " + error);
    }
    last_error = std::move(error);
  }
}

}  // namespace tamis
