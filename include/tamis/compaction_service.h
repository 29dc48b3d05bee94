// SPDX-License-Identifier: Apache-2.0
//
// Compactions that other processes carry out, on this machine or another one.
// A CompactionService brings the database's jobs to workers, which call
// DB::OpenAndCompact:
//
//   the database (owner)        CompactionService          a worker
//   Schedule(info, input) ────────── input ─────────▶ DB::OpenAndCompact
//   Wait(id, &result)     ◀───────── output ──────── tables, and what they are
//   links the tables, and writes the MANIFEST
//
// How the bytes of `input` and `result` travel is the service's own affair. A
// worker reads the tables of the database, writes new ones into a directory of
// the job, and changes nothing else. Only the owner makes them part of the
// database, after it has compared their sizes, bounds and identities with what
// the worker says, and the number of entries read with that of the inputs.
//
// A job that fails, for whatever reason, is carried out by the database itself;
// LOG says why (compaction_remote_failed). Names are RocksDB's.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tamis/env.h"
#include "tamis/export.h"
#include "tamis/listener.h"

namespace tamis {

class CompactionFilter;
class CompactionFilterFactory;
class Comparator;
class FileChecksumGenFactory;
class FileSystem;
class JobRunner;
class Logger;
class MergeOperator;
class RateLimiter;
class SliceTransform;
class SstPartitionerFactory;
class Statistics;
class TableFactory;
class TablePropertiesCollectorFactory;

// What became of a job.
enum class CompactionServiceJobStatus : char {
  kSuccess,
  // The job failed. (RocksDB's compaction then fails, too.)
  kFailure,
  // The job was given up. If the database asked for that, the compaction ends
  // with ShutdownInProgress, otherwise this is kFailure.
  kAborted,
  // The database is to carry out the compaction.
  kUseLocal,
};

// Tells a service about a job. The job itself is in the service's `input`.
struct CompactionServiceJobInfo {
  std::string db_name;        // the database's directory
  std::string db_id;          // DB::GetDbIdentity
  std::string db_session_id;  // DB::GetDbSessionId
  uint64_t job_id = 0;        // as in LOG; unique within a session
  uint32_t cf_id = 0;         // the number of the family
  std::string cf_name;        // its name
  // LOW. USER for CompactRange and CompactFiles.
  Env::Priority priority = Env::LOW;
  CompactionReason compaction_reason = CompactionReason::kUnknown;
  bool is_full_compaction = false;  // all tables of the family are inputs
  bool is_manual_compaction = false;
  bool bottommost_level = false;
  int base_input_level = 0;
  int output_level = 0;
  // The bytes of the inputs. (RocksDB's lacks it.)
  uint64_t input_bytes = 0;
};

// Returned by CompactionService::Schedule.
struct CompactionServiceScheduleResponse {
  // Set the members.
  CompactionServiceScheduleResponse(std::string id,
                                    CompactionServiceJobStatus job_status)
      : scheduled_job_id(std::move(id)), status(job_status) {}
  // Leaves the name empty.
  explicit CompactionServiceScheduleResponse(
      CompactionServiceJobStatus job_status)
      : status(job_status) {}

  // The service's own name of the job. Empty if it was not scheduled, or if
  // StartV2 did so.
  std::string scheduled_job_id;
  // kSuccess: the job is scheduled.
  CompactionServiceJobStatus status;
};

// Derived by users; DBOptions::compaction_service of one database. Calls come
// from its jobs, several at a time, without its locks. An exception is taken
// for kFailure.
class TAMIS_EXPORT CompactionService {
 public:
  virtual ~CompactionService();

  // Returns a name for LOG.
  virtual const char* Name() const = 0;

  // Passes a job on, without waiting for it. `input` is some kilobytes, and
  // about 200 bytes for each table of the family. Only a worker of the same
  // release reads it. The default calls StartV2, and returns no name.
  virtual CompactionServiceScheduleResponse Schedule(
      const CompactionServiceJobInfo& info,
      const std::string& compaction_service_input);

  // Waits for the end of the job, and sets *result to the `output` of its
  // OpenAndCompact, whatever that returned. Blocks a thread of the database's
  // background jobs, and so it should bound how long. The default returns
  // kUseLocal.
  virtual CompactionServiceJobStatus Wait(const std::string& scheduled_job_id,
                                          std::string* result);

  // The same of RocksDB before release 9, for programs that override these: a
  // job without a name is waited for by its facts. The defaults return
  // kUseLocal.
  virtual CompactionServiceJobStatus StartV2(
      const CompactionServiceJobInfo& info,
      const std::string& compaction_service_input);
  virtual CompactionServiceJobStatus WaitForCompleteV2(
      const CompactionServiceJobInfo& info, std::string* result);

  // Has all calls of Wait return kAborted soon, those that come later, too.
  // Called when the database is closed, or CancelAllBackgroundWork is called,
  // which wait for them. The default does nothing.
  virtual void CancelAwaitingJobs() {}

  // Tells what became of a job after Wait: kSuccess if its tables are part of
  // the database, otherwise what Wait returned, or kFailure if the tables could
  // not be used. The default does nothing.
  virtual void OnInstallation(const std::string& /*scheduled_job_id*/,
                              CompactionServiceJobStatus /*status*/) {}
};

// The objects of a worker. What has a text, such as the options themselves,
// block-based tables, built-in filter policies and comparators, comes with the
// job. Other objects of the database's user must be given here, with the same
// names as in the database, or OpenAndCompact returns InvalidArgument, which
// names the object.
struct CompactionServiceOptionsOverride {
  // As DBOptions::env and file_system: where the database is.
  Env* env = Env::Default();
  std::shared_ptr<FileSystem> file_system;
  // As DBOptions::job_runner. (RocksDB: part of env.)
  std::shared_ptr<JobRunner> job_runner;

  // nullptr: what comes with the job. (Collectors of properties do not.)
  std::shared_ptr<FileChecksumGenFactory> file_checksum_gen_factory;
  const Comparator* comparator = nullptr;  // RocksDB: BytewiseComparator()
  std::shared_ptr<MergeOperator> merge_operator;
  const CompactionFilter* compaction_filter = nullptr;
  std::shared_ptr<CompactionFilterFactory> compaction_filter_factory;
  std::shared_ptr<SstPartitionerFactory> sst_partitioner_factory;
  std::shared_ptr<const SliceTransform> prefix_extractor;
  std::shared_ptr<TableFactory> table_factory;
  std::vector<std::shared_ptr<TablePropertiesCollectorFactory>>
      table_properties_collector_factories;

  // Of this worker alone. The listeners are told of the tables that it makes,
  // before OpenAndCompact returns.
  std::vector<std::shared_ptr<EventListener>> listeners;
  std::shared_ptr<Statistics> statistics;
  std::shared_ptr<RateLimiter> rate_limiter;
  std::shared_ptr<Logger> info_log;  // nullptr: nothing is logged

  // Options that differ from the database's, by name and text, such as
  // {"max_subcompactions", "8"} or {"compaction_readahead_size", "4194304"}.
  std::unordered_map<std::string, std::string> options_map;
};

struct OpenAndCompactOptions {
  // If not nullptr: the job ends soon after it becomes true, with Incomplete
  // and kManualCompactionPaused. Must outlive the call.
  std::atomic<bool>* canceled = nullptr;
};

}  // namespace tamis
