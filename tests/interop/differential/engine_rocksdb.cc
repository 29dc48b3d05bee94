// SPDX-License-Identifier: Apache-2.0
#include <cstdarg>

#include <rocksdb/convenience.h>
#include <rocksdb/env.h>

#include "tests/interop/differential/engine.h"

namespace tamis::differential {

namespace {

class NoLogger : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, std::va_list /*values*/) override {}
};

}  // namespace

std::shared_ptr<engine::MergeOperator> NewMergeOperator(
    const std::string& name) {
  std::shared_ptr<rocksdb::MergeOperator> made;
  const rocksdb::Status status = rocksdb::MergeOperator::CreateFromString(
      rocksdb::ConfigOptions(), name, &made);
  return status.ok() ? made : nullptr;
}

void Quiet(engine::DBOptions* options) {
  options->info_log = std::make_shared<NoLogger>();
  options->paranoid_checks = true;
  options->stats_dump_period_sec = 0;
  options->stats_persist_period_sec = 0;
}

const bool kGetMissesSplitKeys = true;

std::unique_ptr<engine::SstFileWriter> NewTableWriter(
    const engine::Options& options) {
  return std::make_unique<rocksdb::SstFileWriter>(rocksdb::EnvOptions(),
                                                  options);
}

// It runs without faults.
engine::Status ResumeAfterJobs(engine::DB* db) { return db->Resume(); }

engine::Status CheckFiles(engine::DB* db) { return db->VerifyChecksum(); }

}  // namespace tamis::differential
