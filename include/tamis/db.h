// SPDX-License-Identifier: Apache-2.0
//
// A DB is an ordered, durable map from keys to values, stored in a directory of
// its own that RocksDB and its tools can open too.
//
// Threads: any thread may call any method at any time.
// Lifetime: iterators, snapshots and pinned values must be released before the
// DB is closed or deleted. At most one DB, in any process, has a directory open
// for writing.
//
// Processes: a DB, and every object obtained from it, belongs to the process
// that opened it. In a forked child, every call that reads or changes the
// database fails with NotSupported (or returns false, nullptr or nothing), and
// destructors leave files, locks, mappings and threads alone.
// DefaultColumnFamily, GetName, GetOptions, GetDBOptions and
// GetLatestSequenceNumber still work. The child may exit in any way, and may
// open databases of its own. The same rules apply to a Cache and to a JobRunner
// with threads: DB::Open in a forked child rejects those made by its parent.
// vfork and posix_spawn are safe.
//
// Exceptions: a call that returns a Status throws nothing (see status.h). If
// something inside a write or a background job throws, writes fail with the
// resulting Status until Resume. After a failed allocation, a later write may
// also resume automatically, as after an I/O error. Functions that return
// containers or strings may throw std::bad_alloc. Exceptions thrown by a
// JobRunner or a Clock are not caught.
//
// Long because a class is declared in one piece.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tamis/column_family.h"
#include "tamis/db_files.h"
#include "tamis/db_properties.h"
#include "tamis/export.h"
#include "tamis/iterator.h"
#include "tamis/metadata.h"
#include "tamis/options.h"
#include "tamis/range.h"
#include "tamis/repair.h"
#include "tamis/slice.h"
#include "tamis/snapshot.h"
#include "tamis/status.h"
#include "tamis/table_properties.h"
#include "tamis/transaction_log.h"
#include "tamis/types.h"
#include "tamis/write_batch.h"

namespace tamis {

struct CompactionJobInfo;  // tamis/listener.h

// The base has the calls that list and check the database's files.
class TAMIS_EXPORT DB : public DBFiles {
 public:
  // Opens the database in directory `name` and recovers from a crash. Errors:
  //   InvalidArgument: options conflict with each other or with the database,
  //                    or name too few families: those missing are listed
  //   IOError:         the directory failed, or is open already; the message
  //                    then says "locked" and who has it
  //   Corruption:      names file, offset and cause; nothing was deleted
  //   NotSupported:    names a feature the directory needs and this release
  //                    lacks
  static Status Open(const Options& options, const std::string& name, DB** db);
  static Status Open(const Options& options, const std::string& name,
                     std::unique_ptr<DB>* db);

  // Open a database with column families. `families` must name all that the
  // database holds, including "default". handles[i] belongs to families[i]; on
  // an error *handles is empty.
  static Status Open(const DBOptions& options, const std::string& name,
                     const std::vector<ColumnFamilyDescriptor>& families,
                     std::vector<ColumnFamilyHandle*>* handles, DB** db);
  static Status Open(const DBOptions& options, const std::string& name,
                     const std::vector<ColumnFamilyDescriptor>& families,
                     std::vector<ColumnFamilyHandle*>* handles,
                     std::unique_ptr<DB>* db);

  // Opens the current state without a lock. Changes nothing in the directory,
  // not even LOG; another process may be writing to it. The database shows one
  // point in that writer's history, which includes every write logged and
  // acknowledged before the call. A record still being appended does not count
  // as corruption. Writes in the logs are replayed into memory. Returns
  // TryAgain if the writer replaced tables faster than they could be opened.
  //
  // `families` may omit any family except "default". Calls that write fail with
  // NotSupported. With error_if_wal_file_exists, a non-empty log is an error.
  static Status OpenForReadOnly(const Options& options, const std::string& name,
                                DB** db, bool error_if_wal_file_exists = false);
  static Status OpenForReadOnly(const Options& options, const std::string& name,
                                std::unique_ptr<DB>* db,
                                bool error_if_wal_file_exists = false);
  static Status OpenForReadOnly(
      const DBOptions& options, const std::string& name,
      const std::vector<ColumnFamilyDescriptor>& families,
      std::vector<ColumnFamilyHandle*>* handles, DB** db,
      bool error_if_wal_file_exists = false);
  static Status OpenForReadOnly(
      const DBOptions& options, const std::string& name,
      const std::vector<ColumnFamilyDescriptor>& families,
      std::vector<ColumnFamilyHandle*>* handles, std::unique_ptr<DB>* db,
      bool error_if_wal_file_exists = false);

  // Opens the database as a secondary instance, which follows a primary: the
  // DB, RocksDB's or Tamis's, of any process, that has the directory open for
  // writing. It is opened as by OpenForReadOnly, except that LOG is written, to
  // the directory `secondary_path`, which is created; neither if there is a
  // DBOptions::info_log. TryCatchUpWithPrimary shows what was written since.
  //
  // Snapshots and iterators keep what they see. All tables should stay open, as
  // by default: with a limit of DBOptions::max_open_files, a read returns an
  // error if it needs a table that the primary has removed.
  static Status OpenAsSecondary(const Options& options, const std::string& name,
                                const std::string& secondary_path, DB** db);
  static Status OpenAsSecondary(const Options& options, const std::string& name,
                                const std::string& secondary_path,
                                std::unique_ptr<DB>* db);
  static Status OpenAsSecondary(
      const DBOptions& options, const std::string& name,
      const std::string& secondary_path,
      const std::vector<ColumnFamilyDescriptor>& families,
      std::vector<ColumnFamilyHandle*>* handles, DB** db);
  static Status OpenAsSecondary(
      const DBOptions& options, const std::string& name,
      const std::string& secondary_path,
      const std::vector<ColumnFamilyDescriptor>& families,
      std::vector<ColumnFamilyHandle*>* handles, std::unique_ptr<DB>* db);

  // Opens the database in `leader_path` as a secondary instance that catches up
  // by itself, on a thread of its own, every
  // DBOptions::follower_refresh_catchup_period_ms. `name` is the directory of
  // LOG, as `secondary_path` above. The properties kFollowerLag and
  // kFollowerStatus tell how far it is behind, and why. If a look fails, the
  // next one tries again; reads go on as before.
  //
  // Unlike RocksDB's, it does not link tables into `name`: it keeps each of
  // them open, and so its primary may remove them. (With
  // DBOptions::max_open_files it would not.)
  static Status OpenAsFollower(const Options& options, const std::string& name,
                               const std::string& leader_path,
                               std::unique_ptr<DB>* db);
  static Status OpenAsFollower(
      const DBOptions& options, const std::string& name,
      const std::string& leader_path,
      const std::vector<ColumnFamilyDescriptor>& families,
      std::vector<ColumnFamilyHandle*>* handles, std::unique_ptr<DB>* db);

  // Carries out a compaction of the database in the directory `name`, which
  // another process has open, as its CompactionService asked (`input`). Writes
  // tables into `output_directory`, which is created and must be no other job's
  // and not the database's; if it is empty, into a directory that the database
  // has made for the job. Reads only tables of the database, and changes
  // nothing else. Sets *output, which the service's Wait returns, also if it
  // fails, unless `input` cannot be read.
  //
  // Returns InvalidArgument if `input` is of another release, or if
  // override_options lacks an object that it names; Corruption if it, or a
  // table, is damaged; Incomplete if it was canceled. Removes its tables then.
  static Status OpenAndCompact(
      const OpenAndCompactOptions& options, const std::string& name,
      const std::string& output_directory, const std::string& input,
      std::string* output,
      const CompactionServiceOptionsOverride& override_options);
  static Status OpenAndCompact(
      const std::string& name, const std::string& output_directory,
      const std::string& input, std::string* output,
      const CompactionServiceOptionsOverride& override_options);

  // Lists the column families of the database, "default" first. Changes nothing
  // and takes no lock.
  static Status ListColumnFamilies(const DBOptions& options,
                                   const std::string& name,
                                   std::vector<std::string>* families);

  DB() = default;
  virtual ~DB();  // calls Close() and ignores its Status
  DB(const DB&) = delete;
  DB& operator=(const DB&) = delete;

  // Waits for background work, then closes the log and the directory. Flushes
  // memtables only if writes were made with disableWAL (and then only without
  // DBOptions::avoid_flush_during_shutdown); otherwise the next open replays
  // them from the log. Later calls fail. Returns the error of a log write that
  // failed without a later Resume: what was not synced may still be lost.
  virtual Status Close() = 0;

  // Shows what the primary had logged or written to tables when the call began,
  // at one point in its history, to the reads of a secondary instance that
  // begin later, in all families together. Costs little if there is nothing
  // new; else reads the logs from where the last call ended, and a MANIFEST
  // that changed. Until the primary flushes them, entries of its logs are kept
  // in memory.
  //
  // Families that the primary creates are not seen. One that it drops stays as
  // it was. Errors: NotSupported if this is no secondary instance, or the
  // primary used a feature that this release lacks. TryAgain if the primary
  // replaced files faster than they could be read. Corruption if a file is
  // damaged. After an error, reads go on as before, and a later call may
  // succeed, unless the message says to open the instance anew.
  virtual Status TryCatchUpWithPrimary() = 0;

  // Opens the database that this secondary instance follows for writing, by
  // DB::Open with the options and families of this one. *handles are those of
  // the families, in the order of their creation, "default" first; `handles`
  // may be nullptr. A block cache that the options name is shared, with what it
  // has. This instance stays open for reading, until it is destroyed.
  //
  // Errors are those of DB::Open: IOError while another process has the
  // database open for writing. A file system may let it be taken away
  // (RadosOptions::take_over). InvalidArgument if the primary created families
  // since. NotSupported if this is no secondary instance.
  virtual Status Promote(std::unique_ptr<DB>* writer,
                         std::vector<ColumnFamilyHandle*>* handles) = 0;

  // Returns *this, or the DB below all StackableDBs: that of Open.
  virtual DB* GetRootDB() { return this; }

  // Returns the handle of the family that every database has; the DB owns it.
  virtual ColumnFamilyHandle* DefaultColumnFamily() const = 0;

  // Creates a family, which is durable on return. Returns InvalidArgument if
  // the name is in use.
  virtual Status CreateColumnFamily(const ColumnFamilyOptions& options,
                                    const std::string& family_name,
                                    ColumnFamilyHandle** handle) = 0;
  // Create families in order. On an error *handles holds those created.
  Status CreateColumnFamilies(
      const std::vector<ColumnFamilyDescriptor>& families,
      std::vector<ColumnFamilyHandle*>* handles);
  Status CreateColumnFamilies(const ColumnFamilyOptions& options,
                              const std::vector<std::string>& names,
                              std::vector<ColumnFamilyHandle*>* handles);
  // Drops the family and all its keys; durable on return. Open handles still
  // read it: see ColumnFamilyHandle. Returns InvalidArgument for "default" and
  // for a family already dropped.
  virtual Status DropColumnFamily(ColumnFamilyHandle* family) = 0;
  // Drops one after the other, up to the first that fails.
  Status DropColumnFamilies(const std::vector<ColumnFamilyHandle*>& families);
  // Deletes a handle. Returns InvalidArgument for DefaultColumnFamily().
  virtual Status DestroyColumnFamilyHandle(ColumnFamilyHandle* family) = 0;

  // Applies the batch atomically. If it returns OK, the batch is as durable as
  // WriteOptions requested. Otherwise the batch is not visible, but after an
  // IOError of the log it may still appear when the database is reopened.
  virtual Status Write(const WriteOptions& options, WriteBatch* batch) = 0;

  // A Write of one change: see write_batch.h. Without a family, to the default
  // one.
  Status Put(const WriteOptions& options, ColumnFamilyHandle* family,
             const Slice& key, const Slice& value);
  Status Put(const WriteOptions& options, const Slice& key, const Slice& value);
  Status Delete(const WriteOptions& options, ColumnFamilyHandle* family,
                const Slice& key);
  Status Delete(const WriteOptions& options, const Slice& key);
  // Deletes a key at a lower cost than Delete. Valid only for a key that was
  // Put once, and neither merged nor deleted by Delete, since its last
  // SingleDelete. See write_batch.h.
  Status SingleDelete(const WriteOptions& options, ColumnFamilyHandle* family,
                      const Slice& key);
  Status SingleDelete(const WriteOptions& options, const Slice& key);
  // Deletes the keys in [begin, end) by one record, however many they are.
  // Returns InvalidArgument if end < begin.
  Status DeleteRange(const WriteOptions& options, ColumnFamilyHandle* family,
                     const Slice& begin, const Slice& end);
  Status DeleteRange(const WriteOptions& options, const Slice& begin,
                     const Slice& end);
  // Adds an operand that Options::merge_operator applies to the value. The key
  // need not exist. Returns NotSupported if there is no merge operator; so does
  // Write of a batch with operands.
  Status Merge(const WriteOptions& options, ColumnFamilyHandle* family,
               const Slice& key, const Slice& operand);
  Status Merge(const WriteOptions& options, const Slice& key,
               const Slice& operand);

  // Reads the value of a key. Returns NotFound if the key does not exist. A
  // PinnableSlice may reference a resident block instead of a copy of the
  // value.
  virtual Status Get(const ReadOptions& options, ColumnFamilyHandle* family,
                     const Slice& key, PinnableSlice* value) = 0;
  Status Get(const ReadOptions& options, const Slice& key,
             PinnableSlice* value);
  Status Get(const ReadOptions& options, ColumnFamilyHandle* family,
             const Slice& key, std::string* value);
  Status Get(const ReadOptions& options, const Slice& key, std::string* value);

  // Reads every key at the same point in time. values[i] and statuses[i] are
  // the result of Get for keys[i]. The arrays have num_keys elements.
  virtual void MultiGet(const ReadOptions& options, ColumnFamilyHandle* family,
                        size_t num_keys, const Slice* keys,
                        PinnableSlice* values, Status* statuses) = 0;
  // families[i] is the column family of keys[i].
  virtual void MultiGet(const ReadOptions& options, size_t num_keys,
                        ColumnFamilyHandle** families, const Slice* keys,
                        PinnableSlice* values, Status* statuses) = 0;
  // RocksDB's parameter `sorted_input` spares it sorting the keys, which Tamis
  // need not do. Both are as fast for sorted keys.
  void MultiGet(const ReadOptions& options, ColumnFamilyHandle* family,
                size_t num_keys, const Slice* keys, PinnableSlice* values,
                Status* statuses, bool /*sorted_input*/) {
    MultiGet(options, family, num_keys, keys, values, statuses);
  }
  void MultiGet(const ReadOptions& options, size_t num_keys,
                ColumnFamilyHandle** families, const Slice* keys,
                PinnableSlice* values, Status* statuses,
                bool /*sorted_input*/) {
    MultiGet(options, num_keys, families, keys, values, statuses);
  }
  std::vector<Status> MultiGet(const ReadOptions& options,
                               const std::vector<Slice>& keys,
                               std::vector<std::string>* values);
  // families[i] is the column family of keys[i].
  virtual std::vector<Status> MultiGet(
      const ReadOptions& options,
      const std::vector<ColumnFamilyHandle*>& families,
      const std::vector<Slice>& keys, std::vector<std::string>* values) = 0;

  // Returns an iterator, which the caller deletes. Never returns nullptr:
  // errors are in status() of the iterator.
  virtual Iterator* NewIterator(const ReadOptions& options,
                                ColumnFamilyHandle* family) = 0;
  Iterator* NewIterator(const ReadOptions& options);
  // Creates one iterator per family, all at the same point in time. The caller
  // deletes them.
  virtual Status NewIterators(const ReadOptions& options,
                              const std::vector<ColumnFamilyHandle*>& families,
                              std::vector<Iterator*>* iterators) = 0;

  // Pins the current state for reads. The caller must call ReleaseSnapshot.
  // Returns nullptr after Close, and if a family has inplace_update_support.
  virtual const Snapshot* GetSnapshot() = 0;
  virtual void ReleaseSnapshot(const Snapshot* snapshot) = 0;

  // Writes the family's memtable to a table. With DBOptions::atomic_flush,
  // flushes all families.
  Status Flush(const FlushOptions& options, ColumnFamilyHandle* family);
  Status Flush(const FlushOptions& options);
  virtual Status Flush(const FlushOptions& options,
                       const std::vector<ColumnFamilyHandle*>& families) = 0;

  // Flushes, then compacts the tables that overlap [begin, end] down to the
  // deepest level that holds keys in that range. Skips levels that hold none.
  // nullptr means unbounded.
  virtual Status CompactRange(const CompactRangeOptions& options,
                              ColumnFamilyHandle* family, const Slice* begin,
                              const Slice* end) = 0;
  Status CompactRange(const CompactRangeOptions& options, const Slice* begin,
                      const Slice* end);

  // Compacts the tables with these names: see CompactionOptions.
  virtual Status CompactFiles(
      const CompactionOptions& compact_options, ColumnFamilyHandle* family,
      const std::vector<std::string>& input_file_names, int output_level,
      int output_path_id = -1,
      std::vector<std::string>* output_file_names = nullptr,
      CompactionJobInfo* compaction_job_info = nullptr) = 0;
  Status CompactFiles(const CompactionOptions& compact_options,
                      const std::vector<std::string>& input_file_names,
                      int output_level, int output_path_id = -1,
                      std::vector<std::string>* output_file_names = nullptr,
                      CompactionJobInfo* compaction_job_info = nullptr);

  // Marks the tables that overlap [begin, end] (nullptr means unbounded) above
  // the deepest level with tables. Each goes down one level when no compaction
  // is due otherwise. Returns at once; marks are not stored. Returns
  // NotSupported unless the style is kCompactionStyleLevel.
  virtual Status SuggestCompactRange(ColumnFamilyHandle* family,
                                     const Slice* begin, const Slice* end) = 0;
  // Moves level 0 to target_level by an edit. Returns InvalidArgument if two of
  // its tables overlap, or a level from 1 to that holds one or does not exist.
  virtual Status PromoteL0(ColumnFamilyHandle* family, int target_level) = 0;
  // Deletes the table of that name, such as "000012.sst", and so its entries.
  // No older table may have keys in its range, as what this table hides would
  // show again. Or deletes a log in archive/, "archive/000003.log";
  // GetUpdatesSince then finds a gap. The name may begin with a slash, as in
  // the metadata of files. Durable before it returns. Returns InvalidArgument
  // if there is no such file, if there is an older table in its range, if it is
  // in level 0 and not the oldest there, if another table of its level has
  // versions of one of its keys, or if a snapshot may read it; Busy if a
  // compaction reads it, and for a log while file deletions are disabled;
  // NotSupported for a log that is not in archive/. Deprecated in RocksDB:
  // prefer DeleteFilesInRange.
  virtual Status DeleteFile(const std::string& name) = 0;
  // Sets disable_auto_compactions to false in each. Returns the first error.
  virtual Status EnableAutoCompaction(
      const std::vector<ColumnFamilyHandle*>& families) = 0;

  // Lists the tables that overlap [begin, end] (nullptr means unbounded) and
  // rewrites each in a background job, with the filters that policy and options
  // now choose. A new table has the level, entries and bounds of the old one.
  // Data blocks are read, but copied as they are stored; the index is built
  // anew. Compactions come first, so that a busy database may take long; a
  // listed table that is compacted meanwhile gets its new filters that way.
  // Tables written later are not listed. Reads and writes go on; snapshots and
  // iterators stay valid.
  //
  // Errors: InvalidArgument if size_factor is out of range. NotSupported if
  // some tables could not be copied without a loss; it names the first, and all
  // others are rewritten. These are tables written by LevelDB or for ingestion,
  // and tables with unknown blocks, gaps between data blocks, or no property
  // that names the compression. ShutdownInProgress if the database was closed;
  // tables not yet rewritten stay as they are. Any other error ends the call
  // and, as in a compaction, stops writes until Resume. If options.wait is
  // false, errors of the jobs are only in LOG.
  virtual Status RewriteFilters(const RewriteFiltersOptions& options,
                                ColumnFamilyHandle* family, const Slice* begin,
                                const Slice* end) = 0;
  // Does the same for the default column family.
  Status RewriteFilters(const RewriteFiltersOptions& options,
                        const Slice* begin = nullptr,
                        const Slice* end = nullptr);

  // Makes tables that SstFileWriters wrote, Tamis's or RocksDB's, a part of the
  // database: much faster than writing their entries, and durable on return. So
  // are then all logged writes that returned before the call.
  // Their entries count as newer than all that the database has, and in the
  // list as newer than those of the files before. A range deletion of a file
  // deletes nothing of the same file. Copies the files, unless the options say
  // to move or link them. Each goes to the deepest level that it fits into.
  //
  // Writes wait while the call chooses levels and writes the MANIFEST, and
  // during the flushes of allow_blocking_flush. Reads go on, and see all of the
  // files or none.
  //
  // A file of puts alone that was written with BytewiseComparator(), which is
  // not the family's, is written anew if its keys ascend in the family's order.
  //
  // Errors: InvalidArgument if a file is empty, was written with another
  // comparator or for another family, or if the options rule out what it needs.
  // Corruption if a file is damaged, was not written by an SstFileWriter or was
  // changed since, as RocksDB's write_global_seqno does. After these, nothing
  // has changed. After an IOError of the MANIFEST, which stops writes until
  // Resume, the files may still appear when the database is reopened.
  Status IngestExternalFile(ColumnFamilyHandle* family,
                            const std::vector<std::string>& external_files,
                            const IngestExternalFileOptions& options);
  Status IngestExternalFile(const std::vector<std::string>& external_files,
                            const IngestExternalFileOptions& options);
  // Does the same for several families, each named once: all files become
  // visible and durable, or none.
  virtual Status IngestExternalFiles(
      const std::vector<IngestExternalFileArg>& args) = 0;

  // Waits until no flush or compaction runs or is due, so that nothing changes
  // the tables until the next write. Returns the background error if there is
  // one, which ends the wait.
  virtual Status WaitForCompact(const WaitForCompactOptions& options) = 0;

  // Lets no flush or compaction start, except those of CompactFiles and
  // PromoteL0, and waits for those that run. Writes go on until the memtables
  // are full. Each call needs a ContinueBackgroundWork; Close continues. Flush,
  // CompactRange, IngestExternalFile and Resume may wait for what starts then.
  virtual Status PauseBackgroundWork() = 0;
  // Returns InvalidArgument if background work is not paused.
  virtual Status ContinueBackgroundWork() = 0;

  // Makes CompactRange and CompactFiles fail with Incomplete
  // (IsManualCompactionPaused), also calls that run, for which it waits. Each
  // call needs an EnableManualCompaction.
  virtual void DisableManualCompaction() = 0;
  virtual void EnableManualCompaction() = 0;

  // Writes buffered log records to the file, then makes all that would write to
  // the log wait: writes, flushes of the active memtable, ingestion, imports,
  // checkpoints, GetLiveFilesStorageInfo, changes of families. Each call needs
  // an UnlockWAL; Close unlocks.
  virtual Status LockWAL() = 0;
  // Returns Aborted if the log is not locked.
  virtual Status UnlockWAL() = 0;

  // Clears a background error whose cause is gone (a disk no longer full) and
  // resumes writes. Returns OK if there was no error.
  virtual Status Resume() = 0;

  // Writes all buffered log records to the file; with `sync`, syncs it too.
  virtual Status FlushWAL(bool sync) = 0;
  Status SyncWAL() { return FlushWAL(/*sync=*/true); }

  // Sets *value to a property. Returns false if there is no such property. The
  // names are in Properties; those that begin with "rocksdb." are RocksDB's.
  virtual bool GetProperty(ColumnFamilyHandle* family, const Slice& property,
                           std::string* value) = 0;
  bool GetProperty(const Slice& property, std::string* value);
  virtual bool GetIntProperty(ColumnFamilyHandle* family, const Slice& property,
                              uint64_t* value) = 0;
  bool GetIntProperty(const Slice& property, uint64_t* value);

  // Sets *values to the parts of a property, by name, as RocksDB names them.
  // These have parts: kCFStats, kDBStats, kCFWriteStallStats,
  // kDBWriteStallStats, kAggregatedTableProperties, kFilterReport.
  virtual bool GetMapProperty(ColumnFamilyHandle* family, const Slice& property,
                              std::map<std::string, std::string>* values) = 0;
  bool GetMapProperty(const Slice& property,
                      std::map<std::string, std::string>* values);
  // Sets *value to the sum of an integer property over all families. What is of
  // the database, or of a cache that families share, counts once.
  virtual bool GetAggregatedIntProperty(const Slice& property,
                                        uint64_t* value) = 0;
  // Sets the figures of kStats and its parts, of all families, to zero.
  virtual Status ResetStats() = 0;

  // The names of properties, as RocksDB has them.
  using Properties = DBProperties;

  // Returns the path that it was opened with.
  virtual const std::string& GetName() const = 0;
  // Return the options in use, with defaults filled in, values clamped to their
  // ranges (options.h), and the changes of SetOptions and SetDBOptions.
  virtual Options GetOptions(ColumnFamilyHandle* family) const = 0;
  Options GetOptions() const;
  virtual DBOptions GetDBOptions() const = 0;
  // Returns DBOptions::env, which the program may have destroyed meanwhile.
  Env* GetEnv() const { return GetDBOptions().env; }
  // Returns the database's, which lives at least as long as the DB.
  FileSystem* GetFileSystem() const { return GetDBOptions().file_system.get(); }

  // Change options of a family while it is in use, given as text
  // (convenience.h): all, or none on an error. GetOptions then returns them,
  // and an OPTIONS file stores them; Open does not read it. Jobs under way end
  // with the old values. These may change: size and number of memtables,
  // triggers of level 0, limits of the bytes to compact, sizes of levels,
  // tables and compactions, ttl, periodic_compaction_seconds, the options of
  // universal and FIFO compaction, all of compression, prefix_extractor,
  // optimize_filters_for_hits, disable_auto_compactions, and in table_factory
  // how tables are written. Errors: InvalidArgument, which names the option,
  // for others, and for text and values that Open would reject; NotSupported
  // for objects that are not built in.
  virtual Status SetOptions(
      ColumnFamilyHandle* family,
      const std::unordered_map<std::string, std::string>& new_options) = 0;
  Status SetOptions(
      const std::unordered_map<std::string, std::string>& new_options);
  // Does so for max_background_jobs, max_subcompactions, max_total_wal_size,
  // max_manifest_file_size, compaction_readahead_size, delayed_write_rate,
  // bytes_per_sync, wal_bytes_per_sync, avoid_flush_during_shutdown,
  // stats_dump_period_sec, and max_open_files from one limit to another.
  virtual Status SetDBOptions(
      const std::unordered_map<std::string, std::string>& new_options) = 0;
  // Sets *identity to the database's id, which the file IDENTITY holds.
  virtual Status GetDbIdentity(std::string* identity) const = 0;
  // Sets *session_id to the id of this open, 20 characters, which tables that
  // it writes have as property db_session_id.
  virtual Status GetDbSessionId(std::string& session_id) const = 0;
  // Returns the number of the last write that reads see.
  virtual SequenceNumber GetLatestSequenceNumber() const = 0;

  // num_levels and level0_stop_writes_trigger of the family; nullptr means the
  // default family. A flush always writes to level 0.
  int NumberLevels(ColumnFamilyHandle* family = nullptr) const;
  int MaxMemCompactionLevel(ColumnFamilyHandle* family = nullptr) const;
  int Level0StopWriteTrigger(ColumnFamilyHandle* family = nullptr) const;

  // Set sizes[i] to the approximate bytes that ranges[i] takes in tables,
  // without its deletions in mind, or in memtables. They read the indexes of
  // tables that lie only in part in a range. Return InvalidArgument if the
  // options count nothing. An empty range has size 0.
  virtual Status GetApproximateSizes(const SizeApproximationOptions& options,
                                     ColumnFamilyHandle* family,
                                     const Range* ranges, int n,
                                     uint64_t* sizes) = 0;

  // What GetApproximateSizes counts.
  using SizeApproximationFlags = tamis::SizeApproximationFlags;
  Status GetApproximateSizes(
      ColumnFamilyHandle* family, const Range* ranges, int n, uint64_t* sizes,
      SizeApproximationFlags flags = SizeApproximationFlags::INCLUDE_FILES);
  Status GetApproximateSizes(
      const Range* ranges, int n, uint64_t* sizes,
      SizeApproximationFlags flags = SizeApproximationFlags::INCLUDE_FILES);
  // Counts the entries of the range in memtables, and the bytes of their keys
  // and values, exactly and in linear time. Does not count range deletions.
  virtual void GetApproximateMemTableStats(ColumnFamilyHandle* family,
                                           const Range& range, uint64_t* count,
                                           uint64_t* size) = 0;
  void GetApproximateMemTableStats(const Range& range, uint64_t* count,
                                   uint64_t* size);

  // Sets merge_operands[0] to [*number_of_operands - 1] to the operands of the
  // key that are not merged yet, oldest first, with the value under them as the
  // first; to the value alone if there are no operands. Needs no merge
  // operator. merge_operands is an array of expected_max_number_of_operands. If
  // there are more, sets only *number_of_operands and returns Incomplete.
  // NotFound if the key is absent. Reset the array before the database is
  // closed. REQUIRES: no pointer is nullptr, merge_operands only if the array
  // is empty
  virtual Status GetMergeOperands(
      const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
      PinnableSlice* merge_operands,
      GetMergeOperandsOptions* get_merge_operands_options,
      int* number_of_operands) = 0;

  // Returns false if the key certainly does not exist, without reading files:
  // only memtables, filters and resident blocks. If the value was found there,
  // sets *value, and *value_found to true. Both may be nullptr. Returns true on
  // an error. (In RocksDB, an error counts as a key that does not exist.)
  virtual bool KeyMayExist(const ReadOptions& options,
                           ColumnFamilyHandle* family, const Slice& key,
                           std::string* value, bool* value_found = nullptr) = 0;
  bool KeyMayExist(const ReadOptions& options, const Slice& key,
                   std::string* value, bool* value_found = nullptr);

  // Sets *props to the properties of every table, by its path.
  virtual Status GetPropertiesOfAllTables(ColumnFamilyHandle* family,
                                          TablePropertiesCollection* props) = 0;
  Status GetPropertiesOfAllTables(TablePropertiesCollection* props);
  // Adds the properties of the tables that reach into one of the ranges, limits
  // included, by their bounds.
  virtual Status GetPropertiesOfTablesInRange(
      ColumnFamilyHandle* family, const Range* ranges, size_t n,
      TablePropertiesCollection* props) = 0;
  // Describes the tables of the family by level. Leaves *metadata empty on an
  // error.
  virtual void GetColumnFamilyMetaData(ColumnFamilyHandle* family,
                                       ColumnFamilyMetaData* metadata) = 0;
  void GetColumnFamilyMetaData(ColumnFamilyMetaData* metadata);
};

}  // namespace tamis
