// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_ldb/worker_commands.h"

#include <iostream>
#include <iterator>
#include <string>

#include "tamis/db.h"

#include "tools/tamis_ldb/database.h"
#include "tools/tamis_ldb/flags.h"
#include "tools/tool_main.h"

namespace tamis {

int CompactJob(const Call& call) {
  const auto options = OptionsFromFlags();
  if (!options.ok()) return Misused(options.status().message());
  CompactionServiceOptionsOverride worker;
  worker.file_system = options->file_system;
  worker.merge_operator = options->merge_operator;
  if (IsGiven("comparator")) worker.comparator = options->comparator;
  const std::string input{std::istreambuf_iterator<char>(std::cin), {}};
  std::string output;
  const Status status =
      DB::OpenAndCompact(FLAGS_db, call.words.empty() ? "" : call.words[0],
                         input, &output, worker);
  Print(output);  // of a job that failed, too: it says why
  return status.ok() ? kExitRight : Failed(status);
}

}  // namespace tamis
