// SPDX-License-Identifier: Apache-2.0
//
// The database, put together from its parts. One file for each thing a user
// can do: db_open.cc, db_write.cc, db_read.cc, db_maintain.cc (flush, compact,
// resume, close), db_properties.cc.
//
// Locks, in the order in which they may be taken:
//   mutex_                      state of the database; never held during I/O
//   ColumnFamily::state_mutex_  the pointer that readers copy
//   TableFile::open_mutex_      held while a table is opened
//   OpenTables::mutex_          the ring of open tables, where it is limited
//   TableSlot::mutex_           the pointer to one reader
// A read takes the second for a moment and none of the others.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "tamis/db.h"

#include "db/db_context.h"
#include "db/error_handler.h"
#include "db/log_writer.h"
#include "db/obsolete_files.h"
#include "db/scheduler.h"
#include "db/snapshot_list.h"
#include "db/version_set.h"
#include "db/write_queue.h"
#include "util/mutex.h"

namespace tamis {

class ColumnFamilyHandleImpl : public ColumnFamilyHandle {
 public:
  explicit ColumnFamilyHandleImpl(const ColumnFamily& family)
      : family_(family) {}
  const std::string& GetName() const override { return family_.name(); }
  uint32_t GetID() const override { return family_.id(); }

 private:
  const ColumnFamily& family_;
};

class DBImpl : public DB {
 public:
  // `context` is complete but for its log; Recover does the rest.
  DBImpl(const Options& options, const std::string& name);
  ~DBImpl() override;

  // The work of DB::Open. On an error the object is only good to delete.
  Status Recover();

  Status Close() override;
  ColumnFamilyHandle* DefaultColumnFamily() const override {
    return default_handle_.get();
  }
  Status Write(const WriteOptions& options, WriteBatch* batch) override;
  using DB::Get;
  Status Get(const ReadOptions& options, ColumnFamilyHandle* family,
             const Slice& key, PinnableSlice* value) override;
  using DB::MultiGet;
  void MultiGet(const ReadOptions& options, ColumnFamilyHandle* family,
                size_t num_keys, const Slice* keys, PinnableSlice* values,
                Status* statuses) override;
  using DB::NewIterator;
  Iterator* NewIterator(const ReadOptions& options,
                        ColumnFamilyHandle* family) override;
  const Snapshot* GetSnapshot() override;
  void ReleaseSnapshot(const Snapshot* snapshot) override;
  using DB::Flush;
  Status Flush(const FlushOptions& options,
               ColumnFamilyHandle* family) override;
  using DB::CompactRange;
  Status CompactRange(const CompactRangeOptions& options,
                      ColumnFamilyHandle* family, const Slice* begin,
                      const Slice* end) override;
  Status Resume() override;
  Status FlushWAL(bool sync) override;
  using DB::GetProperty;
  bool GetProperty(ColumnFamilyHandle* family, const Slice& property,
                   std::string* value) override;
  using DB::GetIntProperty;
  bool GetIntProperty(ColumnFamilyHandle* family, const Slice& property,
                      uint64_t* value) override;
  const std::string& GetName() const override { return context_.directory; }
  Status GetDbIdentity(std::string* identity) const override;
  SequenceNumber GetLatestSequenceNumber() const override {
    return versions_.last_sequence();
  }
  void GetLiveFilesMetaData(std::vector<LiveFileMetaData>* files) override;
  using DB::GetPropertiesOfAllTables;
  Status GetPropertiesOfAllTables(ColumnFamilyHandle* family,
                                  TablePropertiesCollection* props) override;

  // Deletes what a closed iterator was the last to hold.
  void PurgeAfterRead() EXCLUDES(mutex_);

 private:
  // db_open.cc
  Status PrepareDirectory();
  Status LoadIdentity();
  Status RecoverState();
  Status SetAsideUnlistedFiles(bool manifest_was_torn,
                               const std::vector<uint64_t>& lost_logs);
  Status MoveToLost(const std::string& path);

  // db_read.cc
  Status GetAt(const ReadState& state, SequenceNumber sequence,
               const ReadOptions& options, const Slice& key,
               PinnableSlice* value) const;
  SequenceNumber SequenceOf(const ReadOptions& options) const;

  // db_write.cc
  Status CheckOpen() const;
  Status MakeRoomForWrite() REQUIRES(mutex_);
  Status SwitchMemTable() REQUIRES(mutex_);
  Status WriteGroup(const std::vector<WriteQueue::Writer*>& group)
      REQUIRES(mutex_);
  Status AppendToLog(const WriteBatch& batch, bool sync) EXCLUDES(mutex_);
  Status OpenLog(uint64_t number, std::unique_ptr<LogWriter>* log)
      EXCLUDES(mutex_);
  void DelayWrite() REQUIRES(mutex_);

  // db_maintain.cc
  Status FlushMemTable(bool wait) REQUIRES(mutex_);
  Status WaitForFlushes() REQUIRES(mutex_);

  DBContext context_;
  Mutex mutex_;
  std::unique_ptr<FileLock> lock_file_;
  VersionSet versions_;
  SnapshotList snapshots_ GUARDED_BY(mutex_);
  ErrorHandler errors_;
  ObsoleteFiles obsolete_;
  Scheduler scheduler_;
  WriteQueue write_queue_;
  std::unique_ptr<ColumnFamilyHandle> default_handle_;
  std::atomic<bool> closed_{true};  // until Recover is through

  // Touched by the front of the write queue alone.
  std::unique_ptr<LogWriter> log_;
  // The last sequence handed out: at or above what readers may see. One that
  // went into a log whose append failed is never used again.
  SequenceNumber last_allocated_ = 0;
  // A log write failed: what the log holds is not known.
  bool log_failed_ = false;
  WriteBatch group_batch_;  // scratch
};

// Complete and consistent options, or InvalidArgument / NotSupported that says
// which do not fit and what to change.
Status CheckOptions(const Options& options);

}  // namespace tamis
