// SPDX-License-Identifier: Apache-2.0
#include "tamis/utilities/merge_operators.h"

#include "tests/interop/differential/engine.h"

namespace tamis::differential {

std::shared_ptr<engine::MergeOperator> NewMergeOperator(
    const std::string& name) {
  return MergeOperators::CreateFromName(name);
}

void Quiet(engine::DBOptions* /*options*/) {}

const bool kGetMissesSplitKeys = false;

std::unique_ptr<engine::SstFileWriter> NewTableWriter(
    const engine::Options& options) {
  return std::make_unique<SstFileWriter>(options);
}

engine::Status ResumeAfterJobs(engine::DB* db) {
  engine::Status status = db->Resume();
  for (int i = 0; i < 10 && status.ok(); ++i) {
    // Of a job that began under a fault.
    if (db->WaitForCompact(engine::WaitForCompactOptions()).ok()) break;
    status = db->Resume();
  }
  return status;
}

engine::Status CheckFiles(engine::DB* /*db*/) { return engine::Status::OK(); }

}  // namespace tamis::differential
