// SPDX-License-Identifier: Apache-2.0
//
// AtOneMoment reads a directory, in several steps, that another process may be
// writing. A writer may remove tables and logs between two steps; the steps are
// then repeated.
#pragma once

#include <string>
#include <utility>

#include "tamis/file_system.h"
#include "tamis/status.h"

namespace tamis {

// Returns a string of CURRENT and the MANIFEST's size. A writer changes one of
// them before it removes a file. If both are unchanged by the end, all that was
// read is of one state.
std::string MomentOf(FileSystem* fs, const std::string& directory);

inline constexpr int kAttemptsAtOneMoment = 20;

// Repeats attempt(before), which reads the directory, until its result is of
// one state; `before` is what MomentOf returned. A result is final if it
// lacks nothing, or if nothing changed meanwhile. An error is also final if it
// occurs twice in succession, because the second attempt needs no file that was
// removed during the first. Returns TryAgain after kAttemptsAtOneMoment.
template <typename Attempt, typename LacksNothing>
auto AtOneMoment(FileSystem* fs, const std::string& directory,
                 const Attempt& attempt, const LacksNothing& lacks_nothing)
    -> decltype(attempt(std::string())) {
  std::string last_error;
  for (int n = 1;; ++n) {
    const std::string before = MomentOf(fs, directory);
    auto result = attempt(before);
    if (result.ok() && lacks_nothing(*result)) return result;
    if (MomentOf(fs, directory) == before) return result;
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
