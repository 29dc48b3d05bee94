// SPDX-License-Identifier: Apache-2.0
//
// A DB is an ordered, durable map from keys to values in a directory of its
// own, which RocksDB and its tools can open too.
//
// Threads: any thread may call anything at any time.
// Lifetime: iterators, snapshots and pinned values are released before the DB
// is closed or deleted. Only one DB, in this process or another, has a
// directory open for writing.
//
// Processes: a DB, and every object obtained from it, belongs to the process
// that opened it. In a process forked from that one, every call that reads or
// changes the database fails with NotSupported (or returns false, nullptr or
// nothing), and destructors leave files, locks, mappings and threads alone.
// DefaultColumnFamily, GetName and GetLatestSequenceNumber still answer. The
// child may exit in any way, and may open databases of its own. The same holds
// for a Cache and for a JobRunner with threads: DB::Open refuses them in a
// forked process. vfork and posix_spawn need no care.
//
// Exceptions: a call that returns a Status throws none (see status.h). When one
// was thrown inside a write or a background job, writes fail with its Status
// until Resume. If it was a failed allocation, a later write may also resume by
// itself, as after an I/O error. Functions that return containers or strings
// may throw std::bad_alloc. Exceptions of a JobRunner or a Clock are not
// caught.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tamis/iterator.h"
#include "tamis/metadata.h"
#include "tamis/options.h"
#include "tamis/slice.h"
#include "tamis/snapshot.h"
#include "tamis/status.h"
#include "tamis/table_properties.h"
#include "tamis/types.h"
#include "tamis/write_batch.h"

namespace tamis {

extern const std::string kDefaultColumnFamilyName;  // "default"

// Names a column family of an open database. Whoever got it deletes it, by
// DestroyColumnFamilyHandle or `delete`, before the database is closed; but
// DefaultColumnFamily() is the database's. A dropped family can be read, but
// not written, through its handles, and its files go with the last of them.
class ColumnFamilyHandle {
 public:
  virtual ~ColumnFamilyHandle();
  virtual const std::string& GetName() const = 0;
  virtual uint32_t GetID() const = 0;
  virtual const Comparator* GetComparator() const = 0;
};

struct ColumnFamilyDescriptor {
  ColumnFamilyDescriptor() : name(kDefaultColumnFamilyName) {}
  ColumnFamilyDescriptor(std::string family_name,
                         const ColumnFamilyOptions& family_options)
      : name(std::move(family_name)), options(family_options) {}

  std::string name;
  ColumnFamilyOptions options;
};

class DB {
 public:
  // Opens the database in directory `name`; what a crash left is recovered.
  //   InvalidArgument: options that do not fit each other or the database
  //   IOError / Busy:  the directory, or another has it open
  //   Corruption:      names file, offset and cause; nothing was deleted
  //   NotSupported:    names what the directory needs and this release lacks
  //                    (an InvalidArgument lists families it holds besides
  //                    "default")
  static Status Open(const Options& options, const std::string& name, DB** db);
  static Status Open(const Options& options, const std::string& name,
                     std::unique_ptr<DB>* db);

  // With column families: all that the database holds are named, "default"
  // among them. handles[i] is for families[i]; on an error there are none.
  static Status Open(const DBOptions& options, const std::string& name,
                     const std::vector<ColumnFamilyDescriptor>& families,
                     std::vector<ColumnFamilyHandle*>* handles, DB** db);
  static Status Open(const DBOptions& options, const std::string& name,
                     const std::vector<ColumnFamilyDescriptor>& families,
                     std::vector<ColumnFamilyHandle*>* handles,
                     std::unique_ptr<DB>* db);

  // As it stands now, without a lock: nothing in the directory is changed, not
  // even LOG, and another process may be writing it. The database then shows
  // one moment of that writer's history, with every write that was logged and
  // acknowledged before the call; a record that is being stored is not damage.
  // TryAgain: the writer replaced tables faster than they could be opened.
  // What the logs hold is kept in memory. Families that are not named are left
  // out, but "default" is needed. Whatever would write is NotSupported. With
  // error_if_wal_file_exists a log that holds anything is an error.
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

  // The names of the families of the database, "default" first. Nothing is
  // changed, no lock taken.
  static Status ListColumnFamilies(const DBOptions& options,
                                   const std::string& name,
                                   std::vector<std::string>* families);

  DB() = default;
  virtual ~DB();  // Close(), its Status unseen
  DB(const DB&) = delete;
  DB& operator=(const DB&) = delete;

  // Waits for background work, closes the log and the directory. Memtables
  // stay in the log, which the next open replays. Later calls fail. After a
  // log write that failed and no Resume: that error, since writes that were
  // not synced may yet be lost to a power cut.
  virtual Status Close() = 0;

  virtual ColumnFamilyHandle* DefaultColumnFamily() const = 0;

  // InvalidArgument: there is one of that name. Durable when it returns.
  virtual Status CreateColumnFamily(const ColumnFamilyOptions& options,
                                    const std::string& family_name,
                                    ColumnFamilyHandle** handle) = 0;
  // In this order; on an error *handles has those that were made.
  Status CreateColumnFamilies(
      const std::vector<ColumnFamilyDescriptor>& families,
      std::vector<ColumnFamilyHandle*>* handles);
  Status CreateColumnFamilies(const ColumnFamilyOptions& options,
                              const std::vector<std::string>& names,
                              std::vector<ColumnFamilyHandle*>* handles);
  // Everything in it is gone when this returns, durably; see
  // ColumnFamilyHandle. InvalidArgument for "default" and for one that was
  // dropped before.
  virtual Status DropColumnFamily(ColumnFamilyHandle* family) = 0;
  Status DropColumnFamilies(const std::vector<ColumnFamilyHandle*>& families);
  // InvalidArgument for the default family's.
  virtual Status DestroyColumnFamilyHandle(ColumnFamilyHandle* family) = 0;

  // Applies the batch as one. OK: as durable as WriteOptions asked. Any other
  // Status: the change is not visible; after an IOError of the log it may yet
  // appear when the database is opened again.
  virtual Status Write(const WriteOptions& options, WriteBatch* batch) = 0;

  Status Put(const WriteOptions& options, ColumnFamilyHandle* family,
             const Slice& key, const Slice& value);
  Status Put(const WriteOptions& options, const Slice& key, const Slice& value);
  Status Delete(const WriteOptions& options, ColumnFamilyHandle* family,
                const Slice& key);
  Status Delete(const WriteOptions& options, const Slice& key);
  // As Delete, but only of a key that was Put once, and neither merged nor
  // deleted by Delete, since it was last SingleDeleted; takes less room. See
  // write_batch.h.
  Status SingleDelete(const WriteOptions& options, ColumnFamilyHandle* family,
                      const Slice& key);
  Status SingleDelete(const WriteOptions& options, const Slice& key);
  // Deletes [begin, end) in one change, whatever it holds. InvalidArgument when
  // end stands before begin.
  Status DeleteRange(const WriteOptions& options, ColumnFamilyHandle* family,
                     const Slice& begin, const Slice& end);
  Status DeleteRange(const WriteOptions& options, const Slice& begin,
                     const Slice& end);
  // The value changes as Options::merge_operator says; InvalidArgument without
  // one. The key need not be there.
  Status Merge(const WriteOptions& options, ColumnFamilyHandle* family,
               const Slice& key, const Slice& operand);
  Status Merge(const WriteOptions& options, const Slice& key,
               const Slice& operand);

  // NotFound when the key is not there. A value in a PinnableSlice may stay
  // pinned in a resident block instead of being copied.
  virtual Status Get(const ReadOptions& options, ColumnFamilyHandle* family,
                     const Slice& key, PinnableSlice* value) = 0;
  Status Get(const ReadOptions& options, const Slice& key,
             PinnableSlice* value);
  Status Get(const ReadOptions& options, ColumnFamilyHandle* family,
             const Slice& key, std::string* value);
  Status Get(const ReadOptions& options, const Slice& key, std::string* value);

  // Get of each key, all at one moment: statuses[i] and values[i] are the
  // answer for keys[i]. The arrays have num_keys elements.
  virtual void MultiGet(const ReadOptions& options, ColumnFamilyHandle* family,
                        size_t num_keys, const Slice* keys,
                        PinnableSlice* values, Status* statuses) = 0;
  std::vector<Status> MultiGet(const ReadOptions& options,
                               const std::vector<Slice>& keys,
                               std::vector<std::string>* values);
  // families[i] is that of keys[i].
  virtual std::vector<Status> MultiGet(
      const ReadOptions& options,
      const std::vector<ColumnFamilyHandle*>& families,
      const std::vector<Slice>& keys, std::vector<std::string>* values) = 0;

  // The caller deletes it. Never nullptr: an error shows in its status().
  virtual Iterator* NewIterator(const ReadOptions& options,
                                ColumnFamilyHandle* family) = 0;
  Iterator* NewIterator(const ReadOptions& options);
  // One for each family, all at one moment.
  virtual Status NewIterators(const ReadOptions& options,
                              const std::vector<ColumnFamilyHandle*>& families,
                              std::vector<Iterator*>* iterators) = 0;

  // A moment to read at; given back by ReleaseSnapshot.
  virtual const Snapshot* GetSnapshot() = 0;
  virtual void ReleaseSnapshot(const Snapshot* snapshot) = 0;

  // Writes the family's memtable to a table; with DBOptions::atomic_flush
  // those of all families.
  Status Flush(const FlushOptions& options, ColumnFamilyHandle* family);
  Status Flush(const FlushOptions& options);
  virtual Status Flush(const FlushOptions& options,
                       const std::vector<ColumnFamilyHandle*>& families) = 0;

  // Flushes, then compacts all that overlaps [begin, end] down to the deepest
  // level that holds any of it. Levels that hold none of it are passed over.
  // nullptr: unbounded.
  virtual Status CompactRange(const CompactRangeOptions& options,
                              ColumnFamilyHandle* family, const Slice* begin,
                              const Slice* end) = 0;
  Status CompactRange(const CompactRangeOptions& options, const Slice* begin,
                      const Slice* end);

  // Goes on after a background error whose cause is gone (a full disk that is
  // full no more). OK when there was none.
  virtual Status Resume() = 0;

  // Every log record written so far is flushed, and synced if asked.
  virtual Status FlushWAL(bool sync) = 0;
  Status SyncWAL() { return FlushWAL(/*sync=*/true); }

  // Names are RocksDB's: see Properties below. False: no such property.
  virtual bool GetProperty(ColumnFamilyHandle* family, const Slice& property,
                           std::string* value) = 0;
  bool GetProperty(const Slice& property, std::string* value);
  virtual bool GetIntProperty(ColumnFamilyHandle* family, const Slice& property,
                              uint64_t* value) = 0;
  bool GetIntProperty(const Slice& property, uint64_t* value);

  struct Properties {
    // "rocksdb.num-files-at-level<N>": files at level N.
    static const std::string kNumFilesAtLevelPrefix;
    // Tables: a line each.
    static const std::string kSSTables;
    // Levels: files and bytes, a line each; then background state.
    static const std::string kStats;
    static const std::string kLevelStats;
    // "0" or "1": whether a background error stops writes; which, in words.
    static const std::string kBackgroundErrors;
    static const std::string kBackgroundError;
    // Numbers.
    static const std::string kNumImmutableMemTable;
    static const std::string kMemTableFlushPending;
    static const std::string kNumRunningFlushes;
    static const std::string kCompactionPending;
    static const std::string kNumRunningCompactions;
    static const std::string kCurSizeActiveMemTable;
    static const std::string kCurSizeAllMemTables;
    static const std::string kNumEntriesActiveMemTable;
    static const std::string kEstimateNumKeys;
    static const std::string kNumSnapshots;
    static const std::string kNumLiveVersions;
    static const std::string kTotalSstFilesSize;
    static const std::string kLiveSstFilesSize;
    static const std::string kBlockCacheCapacity;
    static const std::string kBlockCacheUsage;
    static const std::string kBlockCachePinnedUsage;
    static const std::string kEstimateTableReadersMem;
  };

  virtual const std::string& GetName() const = 0;
  // The contents of IDENTITY.
  virtual Status GetDbIdentity(std::string* identity) const = 0;
  virtual SequenceNumber GetLatestSequenceNumber() const = 0;

  virtual void GetLiveFilesMetaData(std::vector<LiveFileMetaData>* files) = 0;
  virtual Status GetPropertiesOfAllTables(ColumnFamilyHandle* family,
                                          TablePropertiesCollection* props) = 0;
  Status GetPropertiesOfAllTables(TablePropertiesCollection* props);
};

// Removes the database's files, those in its directory lost/ included, and the
// directory if nothing else is in it. There is no way back. OK where there is
// no directory. InvalidArgument: it holds no database, and nothing was removed.
Status DestroyDB(const std::string& name, const Options& options);

// For a directory that does not open any more: makes a database of whatever
// tables and logs in it still read, each entry at its sequence number, in the
// families that the tables name. What cannot be read, and what is replaced, is
// moved to the directory lost/, never deleted. An entry that was deleted may
// come back where the deletion is lost. Families whose options are not given
// take `unknown_family` (those of `options`).
Status RepairDB(const std::string& name, const Options& options);
Status RepairDB(const std::string& name, const DBOptions& options,
                const std::vector<ColumnFamilyDescriptor>& families);
Status RepairDB(const std::string& name, const DBOptions& options,
                const std::vector<ColumnFamilyDescriptor>& families,
                const ColumnFamilyOptions& unknown_family);

}  // namespace tamis
