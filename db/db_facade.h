// SPDX-License-Identifier: Apache-2.0
//
// A DBFacade is the DB that users get. It is a thin wrapper of DBImpl, through
// which every public call passes. It adds two things to DBImpl:
//
//   process      In a process forked after the open, calls fail with
//                NotSupported, and the destructor leaks the DBImpl: files,
//                lock, threads and mutexes belong to the owner process.
//                DefaultColumnFamily, GetName and GetLatestSequenceNumber only
//                read memory, and still work.
//   exceptions   An exception from a callback or an allocation becomes a Status
//                (util/base/exceptions.h).
//
// A call that returns no Status returns false, nullptr or nothing instead of
// the error; an iterator has it in status().
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tamis/db.h"

#include "db/db_impl.h"
#include "util/base/process.h"

namespace tamis {

class DBFacade final : public DB {
 public:
  explicit DBFacade(std::unique_ptr<DBImpl> impl) : impl_(impl.release()) {
    impl_->BeginEvents(this);
  }

  // Returns the root of `db` as a DBFacade, or nullptr if it is another kind of
  // DB.
  static DBFacade* Of(DB* db) {
    return dynamic_cast<DBFacade*>(db->GetRootDB());
  }

  const DBContext& context() const { return impl_->context(); }

  // Return DBImpl::NewHandle. May throw.
  ColumnFamilyHandle* NewHandle(const std::string& family_name) {
    return impl_->NewHandle(family_name);
  }
  ColumnFamilyHandle* NewHandle(FamilyId id) { return impl_->NewHandle(id); }

  // Implements Checkpoint::CreateCheckpoint.
  Status CreateCheckpoint(const std::string& path, uint64_t log_size_for_flush,
                          SequenceNumber* sequence_number);

  // Implements Checkpoint::ExportColumnFamily.
  Status ExportColumnFamily(ColumnFamilyHandle* family, const std::string& path,
                            ExportImportFilesMetaData* metadata);

  // Write the batch, or return OK, if no key has changed since its sequence
  // number; otherwise return Busy. REQUIRES: the caller has a snapshot that is
  // not newer than any of those numbers.
  Status WriteIfUnchanged(const WriteOptions& options, WriteBatch* batch,
                          std::span<const TrackedKey> keys);
  Status CheckUnchanged(std::span<const TrackedKey> keys);

  // Writes the batch, which logs have between the marks.
  Status WriteMarked(const WriteOptions& options, WriteBatch* batch,
                     const LogMarks& marks);
  PreparedSections::ById TakePrepared() { return impl_->TakePrepared(); }
  // Returns whether the logs have a transaction of that name that is prepared.
  bool IsPrepared(const std::string& name) const {
    return impl_->IsPrepared(name);
  }

  // Implement the functions of convenience.h.
  void CancelAllBackgroundWork(bool wait);
  Status DeleteFilesInRanges(ColumnFamilyHandle* family, const RangePtr* ranges,
                             size_t n, bool include_end);

  Status Close() override;
  Status TryCatchUpWithPrimary() override;
  Status Promote(std::unique_ptr<DB>* writer,
                 std::vector<ColumnFamilyHandle*>* handles) override;
  ColumnFamilyHandle* DefaultColumnFamily() const override;
  Status CreateColumnFamily(const ColumnFamilyOptions& options,
                            const std::string& family_name,
                            ColumnFamilyHandle** handle) override;
  Status DropColumnFamily(ColumnFamilyHandle* family) override;
  Status DestroyColumnFamilyHandle(ColumnFamilyHandle* family) override;
  Status Write(const WriteOptions& options, WriteBatch* batch) override;
  using DB::Get;
  Status Get(const ReadOptions& options, ColumnFamilyHandle* family,
             const Slice& key, PinnableSlice* value) override;
  using DB::MultiGet;
  void MultiGet(const ReadOptions& options, ColumnFamilyHandle* family,
                size_t num_keys, const Slice* keys, PinnableSlice* values,
                Status* statuses) override;
  void MultiGet(const ReadOptions& options, size_t num_keys,
                ColumnFamilyHandle** families, const Slice* keys,
                PinnableSlice* values, Status* statuses) override;
  std::vector<Status> MultiGet(const ReadOptions& options,
                               const std::vector<ColumnFamilyHandle*>& families,
                               const std::vector<Slice>& keys,
                               std::vector<std::string>* values) override;
  using DB::NewIterator;
  Iterator* NewIterator(const ReadOptions& options,
                        ColumnFamilyHandle* family) override;
  Status NewIterators(const ReadOptions& options,
                      const std::vector<ColumnFamilyHandle*>& families,
                      std::vector<Iterator*>* iterators) override;
  const Snapshot* GetSnapshot() override;
  void ReleaseSnapshot(const Snapshot* snapshot) override;
  using DB::Flush;
  Status Flush(const FlushOptions& options,
               const std::vector<ColumnFamilyHandle*>& families) override;
  using DB::CompactRange;
  Status CompactRange(const CompactRangeOptions& options,
                      ColumnFamilyHandle* family, const Slice* begin,
                      const Slice* end) override;
  using DB::CompactFiles;
  Status CompactFiles(const CompactionOptions& compact_options,
                      ColumnFamilyHandle* family,
                      const std::vector<std::string>& input_file_names,
                      int output_level, int output_path_id,
                      std::vector<std::string>* output_file_names,
                      CompactionJobInfo* compaction_job_info) override;
  Status SuggestCompactRange(ColumnFamilyHandle* family, const Slice* begin,
                             const Slice* end) override;
  Status PromoteL0(ColumnFamilyHandle* family, int target_level) override;
  Status DeleteFile(const std::string& name) override;
  Status EnableAutoCompaction(
      const std::vector<ColumnFamilyHandle*>& families) override;
  using DB::RewriteFilters;
  Status RewriteFilters(const RewriteFiltersOptions& options,
                        ColumnFamilyHandle* family, const Slice* begin,
                        const Slice* end) override;
  using DB::IngestExternalFile;
  Status IngestExternalFiles(
      const std::vector<IngestExternalFileArg>& args) override;
  Status WaitForCompact(const WaitForCompactOptions& options) override;
  Status PauseBackgroundWork() override;
  Status ContinueBackgroundWork() override;
  void DisableManualCompaction() override;
  void EnableManualCompaction() override;
  Status LockWAL() override;
  Status UnlockWAL() override;
  using DB::SetOptions;
  Status SetOptions(
      ColumnFamilyHandle* family,
      const std::unordered_map<std::string, std::string>& new_options) override;
  Status SetDBOptions(
      const std::unordered_map<std::string, std::string>& new_options) override;
  Status Resume() override;
  Status FlushWAL(bool sync) override;
  using DB::GetProperty;
  bool GetProperty(ColumnFamilyHandle* family, const Slice& property,
                   std::string* value) override;
  using DB::GetIntProperty;
  bool GetIntProperty(ColumnFamilyHandle* family, const Slice& property,
                      uint64_t* value) override;
  Status ResetStats() override;
  using DB::GetMapProperty;
  bool GetMapProperty(ColumnFamilyHandle* family, const Slice& property,
                      std::map<std::string, std::string>* values) override;
  bool GetAggregatedIntProperty(const Slice& property,
                                uint64_t* value) override;
  const std::string& GetName() const override;
  using DB::GetOptions;
  Options GetOptions(ColumnFamilyHandle* family) const override;
  DBOptions GetDBOptions() const override;
  Status GetDbIdentity(std::string* identity) const override;
  Status GetDbSessionId(std::string& session_id) const override;
  SequenceNumber GetLatestSequenceNumber() const override;
  using DB::GetApproximateSizes;
  Status GetApproximateSizes(const SizeApproximationOptions& options,
                             ColumnFamilyHandle* family, const Range* ranges,
                             int n, uint64_t* sizes) override;
  using DB::GetApproximateMemTableStats;
  void GetApproximateMemTableStats(ColumnFamilyHandle* family,
                                   const Range& range, uint64_t* count,
                                   uint64_t* size) override;
  Status GetMergeOperands(const ReadOptions& options,
                          ColumnFamilyHandle* family, const Slice& key,
                          PinnableSlice* merge_operands,
                          GetMergeOperandsOptions* get_merge_operands_options,
                          int* number_of_operands) override;
  using DB::KeyMayExist;
  bool KeyMayExist(const ReadOptions& options, ColumnFamilyHandle* family,
                   const Slice& key, std::string* value,
                   bool* value_found) override;
  void GetLiveFilesMetaData(std::vector<LiveFileMetaData>* files) override;
  using DB::GetPropertiesOfAllTables;
  Status GetPropertiesOfAllTables(ColumnFamilyHandle* family,
                                  TablePropertiesCollection* props) override;
  Status GetPropertiesOfTablesInRange(
      ColumnFamilyHandle* family, const Range* ranges, size_t n,
      TablePropertiesCollection* props) override;
  using DB::GetColumnFamilyMetaData;
  void GetColumnFamilyMetaData(ColumnFamilyHandle* family,
                               ColumnFamilyMetaData* metadata) override;
  Status VerifyChecksum() override;
  Status VerifyFileChecksums(const ReadOptions& options) override;
  Status GetLiveFilesChecksumInfo(FileChecksumList* checksum_list) override;
  Status DisableFileDeletions() override;
  Status EnableFileDeletions() override;
  Status GetLiveFiles(std::vector<std::string>& files, uint64_t* manifest_bytes,
                      bool flush_memtable) override;
  Status GetLiveFilesStorageInfo(
      const LiveFilesStorageInfoOptions& options,
      std::vector<LiveFileStorageInfo>* files) override;
  Status CreateColumnFamilyWithImport(
      const ColumnFamilyOptions& options, const std::string& family_name,
      const ImportColumnFamilyOptions& import_options,
      const ExportImportFilesMetaData& metadata,
      ColumnFamilyHandle** handle) override;
  Status GetSortedWalFiles(VectorLogPtr& files) override;
  Status GetCurrentWalFile(std::unique_ptr<LogFile>* current_log_file) override;
  Status GetUpdatesSince(
      SequenceNumber seq_number, std::unique_ptr<TransactionLogIterator>* iter,
      const TransactionLogIterator::ReadOptions& read_options) override;

 private:
  // Returns call()'s Status. Returns NotSupported in a forked process, and a
  // Status instead of an exception.
  template <typename Call>
  Status Guarded(const Call& call) const;
  // As Guarded. Then listeners are told of what happened meanwhile.
  template <typename Call>
  Status GuardedAndTold(const Call& call) const;

  const std::unique_ptr<DBImpl, DeleteInOwnerProcess> impl_;
};

}  // namespace tamis
