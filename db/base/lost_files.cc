// SPDX-License-Identifier: Apache-2.0
#include "db/base/lost_files.h"

#include "db/base/table_file.h"
#include "util/base/result.h"

namespace tamis {

Status MoveToLost(const DBContext& context, const std::string& directory,
                  const std::string& name) {
  const std::string lost = directory + "/lost";
  TAMIS_RETURN_IF_ERROR(context.fs()->CreateDirIfMissing(lost));
  std::string to = lost + "/" + name;
  // A file that was moved there earlier is kept.
  for (uint64_t i = 1;; ++i) {
    const Status there = context.fs()->FileExists(to);
    if (there.IsPathNotFound()) break;
    TAMIS_RETURN_IF_ERROR(there);
    to = lost + "/" + name + "." + std::to_string(i);
  }
  const std::string from = directory + "/" + name;
  const Status status = context.fs()->RenameFile(from, to);
  if (status.ok()) ForgetTableFile(context, from);
  context.event_log->Event("file_moved")
      .Add("path", Slice(from))
      .Add("to", Slice(to))
      .Add("status", status);
  return status;
}

}  // namespace tamis
