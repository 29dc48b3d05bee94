// SPDX-License-Identifier: Apache-2.0
//
// What the opaque types of tamis/c.h are. Most wrap a class of the same name;
// the comment of another says what it adds. The types of callbacks are in the
// sources that implement them.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tamis/c.h"
#include "tamis/cache.h"
#include "tamis/db.h"
#include "tamis/filter_policy.h"
#include "tamis/job_runner.h"
#include "tamis/logger.h"
#include "tamis/options.h"
#include "tamis/slice_transform.h"
#include "tamis/utilities/write_batch_with_index.h"

namespace tamis::capi {

// The threads of an environment: a runner of its own once their number was set.
// Databases that are opened with it share one runner. Thread-safe.
class EnvThreads {
 public:
  // Low and bottom are for compactions, high is for flushes.
  void SetLow(int n) { Set(&EnvThreads::low_, n < 1 ? 1 : n); }
  void SetHigh(int n) { Set(&EnvThreads::high_, n < 1 ? 1 : n); }
  void SetBottom(int n) { Set(&EnvThreads::bottom_, n < 0 ? 0 : n); }
  int low() const { return Get(&EnvThreads::low_); }
  int high() const { return Get(&EnvThreads::high_); }
  int bottom() const { return Get(&EnvThreads::bottom_); }
  // Returns nullptr if no number was set.
  std::shared_ptr<JobRunner> Runner();

 private:
  void Set(int EnvThreads::*number, int n);
  int Get(const int EnvThreads::*number) const;

  mutable std::mutex mutex_;
  bool set_ = false;
  int low_ = 1;
  int high_ = 1;
  int bottom_ = 0;
  // Of those numbers; a later one begins another runner.
  std::weak_ptr<JobRunner> runner_;
};

}  // namespace tamis::capi

// `rep` is not owned where a listener lends it.
struct tamis_t {
  tamis::DB* rep;
};

struct tamis_column_family_handle_t {
  tamis::ColumnFamilyHandle* rep;
  bool owned;  // not that of the default family
};

struct tamis_snapshot_t {
  const tamis::Snapshot* rep;
};

struct tamis_iterator_t {
  std::unique_ptr<tamis::Iterator> rep;
};

struct tamis_pinnableslice_t {
  tamis::PinnableSlice rep;
};

namespace tamis::capi {

// The first error of a batch's functions that could not report it, which its
// write then reports; and what it was at each save point.
struct BatchErrors {
  Status first;
  std::vector<Status> saved;
};

}  // namespace tamis::capi

struct tamis_writebatch_t {
  tamis::WriteBatch rep;
  tamis::capi::BatchErrors errors;
};

// From malloc. `errors` is nullptr if the batch is lent, and its owner's.
struct tamis_writebatch_wi_t {
  tamis::WriteBatchWithIndex* rep;
  tamis::capi::BatchErrors* errors;
};

struct tamis_env_t {
  std::shared_ptr<tamis::FileSystem> file_system;
  std::shared_ptr<tamis::capi::EnvThreads> threads;
};

// `threads`: of the environment, or nullptr.
struct tamis_options_t {
  tamis::Options rep;
  std::shared_ptr<tamis::capi::EnvThreads> threads;
};

struct tamis_block_based_table_options_t {
  tamis::BlockBasedTableOptions rep;
};
struct tamis_cuckoo_table_options_t {
  tamis::CuckooTableOptions rep;
};
struct tamis_universal_compaction_options_t {
  tamis::CompactionOptionsUniversal rep;
};
struct tamis_fifo_compaction_options_t {
  tamis::CompactionOptionsFIFO rep;
};

// The bounds are where `rep` points to.
struct tamis_readoptions_t {
  tamis::ReadOptions rep;
  tamis::Slice lower_bound;
  tamis::Slice upper_bound;
};
struct tamis_writeoptions_t {
  tamis::WriteOptions rep;
};
struct tamis_flushoptions_t {
  tamis::FlushOptions rep;
};
struct tamis_compactoptions_t {
  tamis::CompactRangeOptions rep;
};
struct tamis_wait_for_compact_options_t {
  tamis::WaitForCompactOptions rep;
};
struct tamis_ingestexternalfileoptions_t {
  tamis::IngestExternalFileOptions rep;
};
struct tamis_import_column_family_options_t {
  tamis::ImportColumnFamilyOptions rep;
};

struct tamis_dbpath_t {
  tamis::DbPath rep;
};
struct tamis_cache_t {
  std::shared_ptr<tamis::Cache> rep;
};
struct tamis_write_buffer_manager_t {
  std::shared_ptr<tamis::WriteBufferManager> rep;
};
struct tamis_ratelimiter_t {
  std::shared_ptr<tamis::RateLimiter> rep;
};
struct tamis_logger_t {
  std::shared_ptr<tamis::Logger> rep;
};

// Shared, because options take it from the wrapper, which they delete.
struct tamis_filterpolicy_t {
  std::shared_ptr<const tamis::FilterPolicy> rep;
};
struct tamis_slicetransform_t {
  std::shared_ptr<const tamis::SliceTransform> rep;
};

struct tamis_livefile_t {
  tamis::LiveFileMetaData rep;
};
struct tamis_livefiles_t {
  std::vector<tamis::LiveFileMetaData> rep;
};

namespace tamis::capi {

// Returns the options as an open takes them: with what the wrapper adds.
Options OptionsToOpen(const tamis_options_t& options);

// Returns family->rep, or that of the default family for nullptr.
inline ColumnFamilyHandle* FamilyOf(
    const tamis_t* db, const tamis_column_family_handle_t* family) {
  return family != nullptr ? family->rep : db->rep->DefaultColumnFamily();
}

}  // namespace tamis::capi
