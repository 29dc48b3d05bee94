// SPDX-License-Identifier: Apache-2.0
//
// The VersionSet owns the counters of the database (file numbers, sequence)
// and the MANIFEST, and is the one door through which the set of live tables
// changes: LogAndApply makes an edit durable first and visible then.
//
// REQUIRES, for every call but last_sequence(): the database's mutex is held.
// LogAndApply gives it up while it writes; one runs at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "db/column_family.h"
#include "db/log_writer.h"
#include "db/version_edit.h"
#include "util/mutex.h"

namespace tamis {

class VersionSet {
 public:
  // Both outlive the set.
  VersionSet(const DBContext& context, Mutex* db_mutex)
      : context_(context), mutex_(*db_mutex) {}

  ColumnFamily& default_family() { return *default_family_; }
  void set_default_family(std::unique_ptr<ColumnFamily> family) {
    default_family_ = std::move(family);
  }

  // Numbers for files of every kind; none is given twice.
  uint64_t NewFileNumber() { return next_file_number_++; }
  uint64_t next_file_number() const { return next_file_number_; }
  void RaiseFileNumberAbove(uint64_t number) {
    if (number >= next_file_number_) next_file_number_ = number + 1;
  }

  // The last write that readers may see: stored by the writer after the
  // memtable holds it, loaded by any thread without the mutex.
  SequenceNumber last_sequence() const {
    return last_sequence_.load(std::memory_order_acquire);
  }
  void PublishSequence(SequenceNumber sequence) {
    last_sequence_.store(sequence, std::memory_order_release);
  }

  uint64_t min_log_number_to_keep() const { return min_log_number_to_keep_; }
  void set_min_log_number_to_keep(uint64_t number) {
    if (number > min_log_number_to_keep_) min_log_number_to_keep_ = number;
  }
  uint64_t manifest_number() const { return manifest_number_; }
  // Carried over when an older MANIFEST had one.
  void set_manifest_db_id(std::string id) { manifest_db_id_ = std::move(id); }

  // Makes the edit durable, then its Version the current one (and the oldest
  // `flushed` immutable memtables gone). The edit leaves with LogNumber,
  // NextFile and LastSequence as they are at that moment. Nothing is written
  // if the Version that would come out breaks an invariant.
  // On an I/O error it is not known whether the edit took effect on disk:
  // files it names must stay, and the next call begins a new MANIFEST.
  Status LogAndApply(ColumnFamily* family, VersionEdit* edit,
                     size_t flushed = 0);

  // The next LogAndApply begins a new MANIFEST.
  void AbandonManifest() { manifest_.reset(); }

 private:
  Status WriteEdit(const VersionEdit& edit, const ColumnFamily& family,
                   const Version& version) REQUIRES(mutex_);
  Status StartManifest(uint64_t number, const std::string& snapshot)
      EXCLUDES(mutex_);
  // Everything as it is with `last` applied.
  std::string EncodeSnapshot(const ColumnFamily& family, const Version& version,
                             const VersionEdit& last) REQUIRES(mutex_);
  void StampCounters(VersionEdit* edit) const REQUIRES(mutex_);
  void BeginManifestWrite() REQUIRES(mutex_);
  void EndManifestWrite() REQUIRES(mutex_);

  const DBContext& context_;
  Mutex& mutex_;
  std::unique_ptr<ColumnFamily> default_family_;

  uint64_t next_file_number_ = 2;
  std::atomic<SequenceNumber> last_sequence_{0};
  uint64_t min_log_number_to_keep_ = 0;

  std::unique_ptr<LogWriter> manifest_;  // nullptr: the next write begins one
  uint64_t manifest_number_ = 0;
  std::string manifest_db_id_;
  bool writing_ = false;
  CondVar writing_done_;
};

}  // namespace tamis
