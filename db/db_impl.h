// SPDX-License-Identifier: Apache-2.0
//
// DBImpl connects the parts of a database. Users access it through a DBFacade
// (db_facade.h). Each kind of call has a file: db_open.cc (what opens it),
// db_recover.cc, db_write.cc, db_read.cc, db_families.cc (create, drop),
// db_maintain.cc (flush, compact, resume, close), and those named after what
// they do. The WritePath writes and switches memtables; the Scheduler flushes
// and compacts.
//
// Long because each public call and each part of a database has its line here.
//
// docs/architecture.md has the order of all locks. mutex_ guards the state of
// the database and is not held during I/O. Reads take no lock: an epoch
// (util/cache/epoch.h) protects a family's state.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tamis/db.h"

#include "db/base/db_context.h"
#include "db/base/numbers.h"
#include "db/base/options_files.h"
#include "db/base/snapshot_list.h"
#include "db/base/stats_dump.h"
#include "db/db_access.h"
#include "db/recovery/follower.h"
#include "db/recovery/one_moment.h"
#include "db/recovery/primary_tail.h"
#include "db/recovery/table_directories.h"
#include "db/stats_report.h"
#include "db/write_path.h"
#include "util/base/mutex.h"
#include "util/base/process.h"
#include "util/base/striped_ptr.h"

namespace tamis {

class DBImpl;
struct DBIteratorInputs;
struct DirectoryListing;
struct ExternalFile;
class ReorderedFiles;
class TakenTables;
struct ManifestState;
struct RecoveredLogs;
struct TrackedKey;

// A handle has a reference to its family, which may be dropped. In a forked
// process, its destructor does nothing.
class ColumnFamilyHandleImpl : public ColumnFamilyHandle {
 public:
  ColumnFamilyHandleImpl(DBImpl* db, ColumnFamilyPtr family)
      : db_(db), family_(StripedPtr<ColumnFamily>(std::move(family))) {}
  ~ColumnFamilyHandleImpl() override;
  const std::string& GetName() const override { return family()->name(); }
  uint32_t GetID() const override { return family()->id().value(); }
  const Comparator* GetComparator() const override {
    return family()->fixed_options().comparator;
  }
  const ColumnFamilyPtr& family() const { return family_->object(); }
  // For those that take and drop one often.
  ColumnFamilyPtr ShareFamily() const { return family_->Share(); }

 private:
  DBImpl* const db_;
  ProcessOwned<StripedPtr<ColumnFamily>> family_;
};

class DBImpl {
 public:
  using OptionMap = std::unordered_map<std::string, std::string>;
  // Recover must be the next call. REQUIRES: CheckOptions returned OK for the
  // options.
  DBImpl(const DBOptions& options, const std::string& name,
         const DBAccess& access);
  ~DBImpl();
  DBImpl(const DBImpl&) = delete;
  DBImpl& operator=(const DBImpl&) = delete;

  // Implements the calls that open. After an error, only ~DBImpl may be called.
  Status Recover(const std::vector<ColumnFamilyDescriptor>& given);
  // Whether Recover, for reading only, read a point of the history, although
  // the MANIFEST has changed meanwhile.
  bool ReadAPointOfHistory() const;
  // Returns the transactions that Recover found prepared.
  PreparedSections::ById TakePrepared() { return std::exchange(prepared_, {}); }
  bool IsPrepared(const std::string& name) const {
    return versions_.prepared_logs()->IsOpen(name);
  }

  // Has listeners be told of events; `db` is what they get. Must be called
  // after Recover has succeeded.
  void BeginEvents(DB* db) noexcept;
  // Returns when listeners have been told of all events before. Must be called
  // without a lock of the database.
  void DeliverEvents() noexcept;
  // Tells listeners that the handle is being destroyed.
  void TellDeletionOf(ColumnFamilyHandle* handle) noexcept;

  // Return a new handle, which the caller owns, or nullptr if there is no such
  // family.
  ColumnFamilyHandle* NewHandle(const std::string& family_name);
  ColumnFamilyHandle* NewHandle(FamilyId id);

  // Implement the calls of Checkpoint.
  Status CreateCheckpoint(const std::string& path, uint64_t log_size_for_flush,
                          SequenceNumber* sequence_number);
  Status ExportColumnFamily(ColumnFamilyHandle* handle, const std::string& path,
                            ExportImportFilesMetaData* metadata);

  // A DBFacade calls these for users. See db.h.
  Status Close();
  bool GetFollowerLag(uint64_t* micros) const;
  Status CheckSecondary() const;
  Status TryCatchUpWithPrimary();
  Status Promote(std::unique_ptr<DB>* writer,
                 std::vector<ColumnFamilyHandle*>* handles);
  ColumnFamilyHandle* DefaultColumnFamily() const {
    return default_handle_.get();
  }
  Status CreateColumnFamily(const ColumnFamilyOptions& options,
                            const std::string& family_name,
                            ColumnFamilyHandle** handle);
  Status DropColumnFamily(ColumnFamilyHandle* handle);
  Status DestroyColumnFamilyHandle(ColumnFamilyHandle* handle);
  // `condition` and `marks`: see WriteQueue::Writer.
  Status Write(const WriteOptions& options, WriteBatch* batch,
               WriteCondition* condition = nullptr,
               const LogMarks* marks = nullptr);
  Status WriteIfUnchanged(const WriteOptions& options, WriteBatch* batch,
                          std::span<const TrackedKey> keys);
  Status CheckUnchanged(std::span<const TrackedKey> keys) const;
  Status Get(const ReadOptions& options, ColumnFamilyHandle* handle,
             const Slice& key, PinnableSlice* value);
  void MultiGet(const ReadOptions& options, ColumnFamilyHandle* handle,
                size_t num_keys, const Slice* keys, PinnableSlice* values,
                Status* statuses);
  void MultiGet(const ReadOptions& options, size_t num_keys,
                ColumnFamilyHandle* const* families, const Slice* keys,
                PinnableSlice* values, Status* statuses);
  Iterator* NewIterator(const ReadOptions& options, ColumnFamilyHandle* handle);
  Status NewIterators(const ReadOptions& options,
                      const std::vector<ColumnFamilyHandle*>& handles,
                      std::vector<Iterator*>* iterators);
  const Snapshot* GetSnapshot();
  void ReleaseSnapshot(const Snapshot* snapshot);
  Status Flush(const FlushOptions& options,
               const std::vector<ColumnFamilyHandle*>& families);
  Status CompactRange(const CompactRangeOptions& options,
                      ColumnFamilyHandle* handle, const Slice* begin,
                      const Slice* end);
  Status CompactFiles(const CompactionOptions& options,
                      ColumnFamilyHandle* handle,
                      const std::vector<std::string>& names, int output_level,
                      int output_path_id, std::vector<std::string>* outputs,
                      CompactionJobInfo* info);
  Status SuggestCompactRange(ColumnFamilyHandle* handle, const Slice* begin,
                             const Slice* end);
  Status PromoteL0(ColumnFamilyHandle* handle, int target_level);
  Status EnableAutoCompaction(const std::vector<ColumnFamilyHandle*>& handles);
  Status RewriteFilters(const RewriteFiltersOptions& options,
                        ColumnFamilyHandle* handle, const Slice* begin,
                        const Slice* end);
  Status IngestExternalFiles(const std::vector<IngestExternalFileArg>& args)
      EXCLUDES(mutex_);
  Status DeleteFile(const std::string& name);
  // Implements DeleteFilesInRanges of convenience.h.
  Status DeleteFilesInRanges(ColumnFamilyHandle* handle, const RangePtr* ranges,
                             size_t n, bool include_end);
  Status WaitForCompact(const WaitForCompactOptions& options);
  Status PauseBackgroundWork();
  Status ContinueBackgroundWork();
  Status CancelAllBackgroundWork(bool wait);
  Status DisableManualCompaction();
  Status EnableManualCompaction();
  Status LockWAL();
  Status UnlockWAL();
  Status SetOptions(ColumnFamilyHandle* handle, const OptionMap& options);
  Status SetDBOptions(const OptionMap& options);
  Status Resume();
  Status FlushWAL(bool sync);
  bool GetProperty(ColumnFamilyHandle* handle, const Slice& property,
                   std::string* value);
  bool GetIntProperty(ColumnFamilyHandle* handle, const Slice& property,
                      uint64_t* value);
  bool GetMapProperty(ColumnFamilyHandle* handle, const Slice& property,
                      std::map<std::string, std::string>* values);
  bool GetAggregatedIntProperty(const Slice& property, uint64_t* value);
  Status ResetStats();
  const DBContext& context() const { return context_; }
  const std::string& GetName() const { return context_.directory; }
  Options GetOptions(ColumnFamilyHandle* handle) const;
  // Without the shared job runner: a copy would keep it alive, and a database
  // opened with the copy would not add the threads that it needs.
  DBOptions GetDBOptions() const;
  Status GetDbIdentity(std::string* identity) const;
  Status GetDbSessionId(std::string* session_id) const;
  SequenceNumber GetLatestSequenceNumber() const {
    return versions_.last_sequence();
  }
  void GetLiveFilesMetaData(std::vector<LiveFileMetaData>* files);
  Status GetPropertiesOfAllTables(ColumnFamilyHandle* handle,
                                  TablePropertiesCollection* props);
  Status GetPropertiesOfTablesInRange(ColumnFamilyHandle* handle,
                                      const Range* ranges, size_t n,
                                      TablePropertiesCollection* props);
  Status GetColumnFamilyMetaData(ColumnFamilyHandle* handle,
                                 ColumnFamilyMetaData* metadata);
  Status VerifyChecksum();
  Status GetLiveFilesStorageInfo(const LiveFilesStorageInfoOptions& options,
                                 std::vector<LiveFileStorageInfo>* files);
  Status CreateColumnFamilyWithImport(
      const ColumnFamilyOptions& options, const std::string& family_name,
      const ImportColumnFamilyOptions& import_options,
      const ExportImportFilesMetaData& metadata, ColumnFamilyHandle** handle);
  Status VerifyFileChecksums(const ReadOptions& options);
  Status GetLiveFilesChecksumInfo(FileChecksumList* list);
  Status DisableFileDeletions();
  Status EnableFileDeletions();
  Status GetLiveFiles(std::vector<std::string>* files, uint64_t* manifest_bytes,
                      bool flush_memtable);
  Status GetSortedWalFiles(VectorLogPtr* files);
  Status GetCurrentWalFile(std::unique_ptr<LogFile>* file);
  Status GetUpdatesSince(SequenceNumber sequence,
                         std::unique_ptr<TransactionLogIterator>* iter);
  Status GetApproximateSizes(const SizeApproximationOptions& options,
                             ColumnFamilyHandle* handle, const Range* ranges,
                             int n, uint64_t* sizes);
  Status GetApproximateMemTableStats(ColumnFamilyHandle* handle,
                                     const Range& range, uint64_t* count,
                                     uint64_t* size);
  Status GetMergeOperands(const ReadOptions& options,
                          ColumnFamilyHandle* handle, const Slice& key,
                          std::span<PinnableSlice> operands, int* count);
  bool KeyMayExist(const ReadOptions& options, ColumnFamilyHandle* handle,
                   const Slice& key, std::string* value, bool* value_found);

  // Deletes files that only a closed iterator or handle still referenced, or
  // has a job delete them.
  void PurgeAfterRead(bool by_job = false) EXCLUDES(mutex_);

 private:
  using Families = WritePath::Families;

  // db_directory.cc
  Status PrepareDirectory();
  struct UnlistedFiles;
  void AddReplacedManifests(std::vector<std::string>* paths) EXCLUDES(mutex_);
  Status SetAsideTable(const std::string& directory, const std::string& name,
                       const ParsedFileName& file, UnlistedFiles* unlisted);
  Status SetAsideUnlistedIn(const std::string& directory,
                            const std::vector<std::string>& names,
                            UnlistedFiles* unlisted);
  Status UseTableDirectoriesOf(const ColumnFamilyDescriptor& family);
  Status SetAsideUnlistedFiles(const std::vector<std::string>& names,
                               bool manifest_was_torn,
                               const std::vector<FileNumber>& lost_logs);

  // db_recover.cc
  Status CreateIfNew(const std::vector<ColumnFamilyDescriptor>& families,
                     DirectoryListing* listing);
  void BeginEventLog(const DirectoryListing& listing,
                     const std::vector<ColumnFamilyDescriptor>& families);
  Status RecoverState(const DirectoryListing& listing,
                      const ManifestState& manifest,
                      const std::vector<ColumnFamilyDescriptor>& families);
  Status CompleteOpen(const DirectoryListing& listing,
                      const ManifestState& manifest,
                      const std::string& recorded_wal_dir,
                      const std::vector<ColumnFamilyDescriptor>& families,
                      RecoveredLogs* logs);
  Status BeginWriting(const ManifestState& manifest, RecoveredLogs* logs)
      EXCLUDES(mutex_);
  static void BeginMemTables(SequenceNumber earliest, FileNumber log_number,
                             RecoveredLogs* logs);
  Status KeepPrepared(FileNumber log_number, PreparedSections::ById* sections);
  Status BeginManifest(FileNumber log_number, RecoveredLogs* logs)
      REQUIRES(mutex_);

  // db_families.cc
  const ColumnFamilyPtr& FamilyOf(const ColumnFamilyHandle* handle) const;
  // Returns the same, counted where few others are.
  ColumnFamilyPtr ShareFamilyOf(const ColumnFamilyHandle* handle) const;
  Families FamiliesOf(const std::vector<ColumnFamilyHandle*>& handles) const;
  Status CheckFamilyIdLeft() const REQUIRES(mutex_);
  Status AddFamily(const ColumnFamilyDescriptor& descriptor) REQUIRES(mutex_);
  // The parts of two calls that lead the write queue.
  Status CreateFamilyLed(const ColumnFamilyOptions& options,
                         const std::string& family_name,
                         ColumnFamilyPtr* family) REQUIRES(mutex_);
  Status DropFamilyLed(const ColumnFamilyPtr& family) REQUIRES(mutex_);

  void OptionsWereChanged() REQUIRES(mutex_);  // db_set_options.cc

  // db_options_file.cc
  // What changed in the text. RocksDB's tools depend on the families.
  enum class OptionsChange : uint8_t { kValues, kFamilies };
  // A checkpoint has its logs in its own directory.
  enum class OptionsOf : uint8_t { kDatabase, kCheckpoint };
  std::string OptionsText(OptionsOf whose = OptionsOf::kDatabase) const
      REQUIRES(mutex_);
  // Returns the wal_dir that the newest OPTIONS file names, or an empty string.
  Result<std::string> RecordedWalDir(const DirectoryListing& listing)
      EXCLUDES(options_file_mutex_);
  // Whether that file has another wal_dir or other families than the database.
  bool OptionsFileIsStale() EXCLUDES(mutex_, options_file_mutex_);
  void SetAsideOptionsFiles() REQUIRES(options_file_mutex_);
  Status WriteOptionsFile(OptionsChange change)
      EXCLUDES(mutex_, options_file_mutex_);
  // Writes an OPTIONS file, if its text has changed; an error is also in LOG.
  // Unlocks the mutex meanwhile.
  Status StoreOptions(OptionsChange change) REQUIRES(mutex_);

  // db_read.cc
  // Searches the memtables and the tables of the state. REQUIRES: at most
  // Version::kReadsMax reads; the caller is within a Guard of the family's
  // epochs.
  template <size_t kReads>
  void Search(const ReadState& state, const ReadOptions& options,
              std::span<PointRead* const, kReads> reads) const;
  // Merges the operands of a read after its Search, and returns its Status. The
  // caller should not be within a Guard: a slow operator would delay freeing.
  Status Finish(PointRead* read) const;
  // Counts a Get, of which `bytes` is the size of the value.
  void CountGet(const Status& status, uint64_t bytes) const;
  // A key of a MultiGet, and where its result goes.
  struct ReadRequest {
    Slice key;
    PinnableSlice* value;
    Status* status;
  };
  // Counts a MultiGet of these requests, which are answered.
  void CountMultiGet(std::span<const ReadRequest> requests) const;
  // Reads any number of keys of one family at the same sequence number. If the
  // caller has no reference to the state, `guard` keeps it valid, and the call
  // leaves the Guard after the last search. Adds the sizes of the values to
  // *value_bytes, and aborts the reads after the one with which it exceeds
  // value_size_soft_limit.
  void ReadAll(const ColumnFamily& family, const ReadState& state,
               SequenceNumber sequence, const ReadOptions& options,
               std::span<const ReadRequest> requests, EpochDomain::Guard* guard,
               uint64_t* value_bytes) const;
  static void Abort(std::span<const ReadRequest> requests);
  // Returns the sequence number of the snapshot, or the last one.
  SequenceNumber SequenceOf(const ReadOptions& options) const;
  // Returns the family's current state, and sets *sequence to a sequence number
  // at which it can be read. REQUIRES: called within a Guard of the family's
  // epochs, which protects the state.
  const ReadState& CurrentStateAt(const ReadOptions& options,
                                  const ColumnFamily& family,
                                  SequenceNumber* sequence) const;
  // Returns a reference to the same state, which needs no Guard.
  ReadStatePtr AcquireStateAt(const ReadOptions& options,
                              const ColumnFamily& family,
                              SequenceNumber* sequence) const;
  using ReadStates = std::map<const ColumnFamily*, ReadStatePtr>;
  // Stores a state for each family in *states. Returns a sequence number at
  // which all of them can be read.
  SequenceNumber AcquireReadStates(const ReadOptions& options,
                                   const Families& families,
                                   ReadStates* states) const;
  Status CheckScan(const ReadOptions& options) const;
  // Makes an iterator's inputs show the current sequence number. Returns false,
  // and changes nothing, if that takes new inputs.
  bool CatchUp(DBIteratorInputs* in) const;
  // Return the inputs of an iterator: over the current state, or the snapshot
  // of the options; over that state.
  DBIteratorInputs CurrentInputs(const ReadOptions& options,
                                 ColumnFamilyPtr family);
  DBIteratorInputs InputsOver(const ReadOptions& options,
                              ColumnFamilyPtr family, ReadStatePtr state,
                              SequenceNumber sequence);

  class UnchangedCondition;  // db_conditional_write.cc

  // db_write.cc
  // Returns ShutdownInProgress if the database is closed.
  Status CheckOpen() const;
  // Also returns an error, or waits, as FileLock::ReadCheck does.
  Status CheckReadable() const;
  // Called when the lock is lost. Every call returns `why` from now on, and
  // nothing is written or deleted any more.
  void Fence(const Status& why) noexcept EXCLUDES(mutex_);
  // Waits as WriteOptions::rate_limiter_priority describes.
  Status AwaitRateLimiter(const WriteOptions& options, uint64_t bytes) const;
  // Also returns NotSupported if it is open for reading only.
  Status CheckMayWrite() const;

  struct CheckpointParts;  // checkpoint.cc
  Status FlushBeforeCheckpoint(uint64_t log_size_for_flush,
                               SequenceNumber* flushed) REQUIRES(mutex_);
  CheckpointParts TakeCheckpointParts() REQUIRES(mutex_);
  Status WriteCheckpoint(const CheckpointParts& parts,
                         const std::string& directory) const EXCLUDES(mutex_);
  Status PublishCheckpoint(const std::string& scratch,
                           const std::string& directory) const EXCLUDES(mutex_);
  Status LinkOrCopyTable(const FileMetaData& meta,
                         const std::string& directory) const EXCLUDES(mutex_);
  Status ScratchFor(const std::string& directory, std::string* scratch) const;
  Status WriteExport(const Version& version, const std::string& scratch,
                     const std::string& directory,
                     ExportImportFilesMetaData* metadata) const
      EXCLUDES(mutex_);

  // db_live_files.cc
  Status ListLiveFiles(const LiveFilesStorageInfoOptions& options,
                       std::vector<LiveFileStorageInfo>* all) REQUIRES(mutex_);

  struct Import;  // db_import.cc
  Status ImportFamilyLed(const Import& import, TakenTables* names,
                         ColumnFamilyPtr* family) REQUIRES(mutex_);
  Status TakeImport(Import* import, TakenTables* names) EXCLUDES(mutex_);
  Result<ColumnFamilyPtr> FamilyOfImport(const Import& import) REQUIRES(mutex_);

  // db_ingest.cc
  // Files on their way into the directory: Close waits until it no longer has
  // names of theirs that may be removed.
  class InDirectory {
   public:
    explicit InDirectory(DBImpl* db) : db_(*db) {}
    ~InDirectory();
    InDirectory(const InDirectory&) = delete;
    InDirectory& operator=(const InDirectory&) = delete;
    // Gives each file a number.
    Status Begin(const std::vector<ExternalFile*>& files);

   private:
    DBImpl& db_;
    bool begun_ = false;
  };
  struct Ingestion;
  using Ingestions = std::vector<Ingestion>;
  Result<Ingestions> ReadExternalFiles(
      const std::vector<IngestExternalFileArg>& args, ReorderedFiles* reordered)
      EXCLUDES(mutex_);
  FileNumber NewFileNumber() EXCLUDES(mutex_);
  Status TakeFiles(Ingestions* all, TakenTables* names) const EXCLUDES(mutex_);
  Status Ingest(Ingestions* all, TakenTables* names) REQUIRES(mutex_);
  Families DueBeforeIngestion(const Ingestions& all) const REQUIRES(mutex_);
  Status RequestFlushesForMerges(const Ingestions& all) REQUIRES(mutex_);
  Status CheckFlushAllowed(const Ingestions& all, const Families& due) const;
  static Status CheckMayGoBehind(const Ingestion& one);
  Status PlaceBehind(const Version& version, Ingestion* one);
  Status PlaceFiles(Ingestions* all) REQUIRES(mutex_);
  Status DecideNumbers(Ingestions* all) REQUIRES(mutex_);
  void CountIngestion(const Ingestion& one);
  Status InstallFiles(Ingestions* all, TakenTables* names) REQUIRES(mutex_);
  Status ApplyIngestion(const std::vector<FamilyEdit>& edits,
                        TakenTables* names) REQUIRES(mutex_);
  void RemoveMovedFile(const ExternalFile& file) const noexcept
      EXCLUDES(mutex_);
  void LogIngestion(const Ingestions& all, const Status& status) const;
  void TellIngestion(const Ingestions& all) const;

  // db_stats.cc. Return false if `name` is not a property of figures.
  bool GetStatsText(ColumnFamily* family, const std::string& name,
                    std::string* value) EXCLUDES(mutex_);
  bool GetStatsMap(const ColumnFamily& family, const std::string& name,
                   StatsMap* values) EXCLUDES(mutex_);
  PerLevel<LevelFacts> LevelFactsOf(const ColumnFamily& family) const
      REQUIRES(mutex_);
  FamilyReport ReportOf(const ColumnFamily& family) const REQUIRES(mutex_);
  // Return the text, and begin a new interval.
  std::string NextFamilyStats(ColumnFamily* family) REQUIRES(mutex_);
  std::string NextWriteStats() REQUIRES(mutex_);
  std::string NextStats(ColumnFamily* family) REQUIRES(mutex_);
  // Returns the text of kDBStats and of kCFStats of all families.
  std::string StatsForLog() EXCLUDES(mutex_);
  Since<WriteCounts> WritesSinceReset() const REQUIRES(mutex_);

  // db_metadata.cc
  static void DescribeTable(const std::string& directory, const TableFile& file,
                            SstFileMetaData* out);
  // Adds up the properties of the tables of the level, or of all levels.
  Status SumTableProperties(ColumnFamilyHandle* handle,
                            std::optional<Level> level, TableProperties* sum);
  Status GetPropertiesOfTables(
      ColumnFamilyHandle* handle,
      const std::function<bool(const KeyOrder&, const FileMetaData&)>& wanted,
      TablePropertiesCollection* props);

  void EndWalLock() REQUIRES(mutex_);  // db_background.cc

  // db_wal.cc
  Result<std::vector<WriteAheadLog::LogFile>> FlushAndListLogs()
      REQUIRES(mutex_);
  Status AddKeptLogs(FileNumber first, VectorLogPtr* files) const
      EXCLUDES(mutex_);

  template <typename Choose>
  Status DropTables(const ColumnFamilyPtr& family, const Choose& choose)
      REQUIRES(mutex_);  // db_delete_files.cc

  // db_maintain.cc
  // Passes buffered records of the log to the file; with `sync`, syncs it. An
  // error becomes the background error. REQUIRES: the caller leads the write
  // queue.
  Status FlushLogLed(bool sync) REQUIRES(mutex_);
  void ResumeByTimer() noexcept EXCLUDES(mutex_);

  const DBAccess access_;
  bool has_first_log_ = false;  // the oldest one that the MANIFEST needs
  UnloggedHistory history_;     // of the MANIFEST that Recover read
  PreparedSections::ById prepared_;
  DBContext context_;
  Mutex checkpoint_mutex_;
  Mutex options_file_mutex_;
  // Every write stores to the mutex's cache line. Reads load nothing from that
  // line.
  alignas(64) Mutex mutex_;
  std::unique_ptr<FileLock> lock_file_;
  std::function<Status()> lock_read_check_;  // of lock_file_
  std::unique_ptr<FileLock> wal_lock_file_;  // nullptr without a wal_dir
  TableDirectories table_directories_{context_};
  VersionSet versions_;
  SnapshotList snapshots_ GUARDED_BY(mutex_);
  Reported<WriteCounts> reported_writes_ GUARDED_BY(mutex_){
      context_.clock()->NowNanos()};
  WriteCounts writes_before_reset_ GUARDED_BY(mutex_);
  // Ingestions that may still remove names from the directory. Edits under way
  // that change what earlier sequence numbers show: no snapshot is taken until
  // their end.
  int ingestions_ GUARDED_BY(mutex_) = 0;
  int options_stores_ GUARDED_BY(mutex_) = 0;  // under way
  int snapshot_holds_ GUARDED_BY(mutex_) = 0;
  StatsDump stats_dump_;
  AutoResume auto_resume_;
  ErrorHandler errors_;
  WalArchive wal_archive_;
  ObsoleteFiles obsolete_;
  OptionsFiles options_files_ GUARDED_BY(options_file_mutex_);
  WriteAheadLog wal_;
  Scheduler scheduler_;
  WritePath write_path_;
  // LockWAL: excludes writes while it exists, and the calls that need an
  // UnlockWAL.
  std::optional<WriteBarrier> wal_lock_ GUARDED_BY(mutex_);
  int wal_locks_ GUARDED_BY(mutex_) = 0;
  bool locking_wal_ GUARDED_BY(mutex_) = false;
  std::unique_ptr<ColumnFamilyHandleImpl> default_handle_;
  std::unique_ptr<PrimaryTail> primary_;  // only of a secondary instance
  std::unique_ptr<Follower> follower_;    // only of one that follows

  enum class State : uint8_t { kClosed, kOpen, kFenced };
  std::atomic<State> state_{State::kClosed};  // until Recover has succeeded
  // Why another owner has the database. Set before the state is kFenced.
  Status fence_;
};

}  // namespace tamis
