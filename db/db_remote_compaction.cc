// SPDX-License-Identifier: Apache-2.0
//
// The calls of a worker that carries out compactions of a database that another
// process has open.
#include "tamis/db.h"

#include "db/compaction/compaction_worker.h"
#include "util/base/exceptions.h"

namespace tamis {

Status DB::OpenAndCompact(
    const OpenAndCompactOptions& options, const std::string& name,
    const std::string& output_directory, const std::string& input,
    std::string* output,
    const CompactionServiceOptionsOverride& override_options) {
  return CatchExceptions([&] {
    return RunCompactionJob(options, name, output_directory, input,
                            override_options, output);
  });
}

Status DB::OpenAndCompact(
    const std::string& name, const std::string& output_directory,
    const std::string& input, std::string* output,
    const CompactionServiceOptionsOverride& override_options) {
  return OpenAndCompact(OpenAndCompactOptions(), name, output_directory, input,
                        output, override_options);
}

}  // namespace tamis
