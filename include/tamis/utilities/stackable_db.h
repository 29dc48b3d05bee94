// SPDX-License-Identifier: Apache-2.0
//
// A StackableDB is a DB that passes each call to another DB, which it owns. It
// is the base of classes that change some of the calls: DB's Put, Delete,
// SingleDelete, DeleteRange and Merge make a batch and call Write, so that a
// class that overrides Write changes all of them.
//
//   call ──▶ StackableDB ──▶ ... ──▶ GetRootDB(), which DB::Open returned
//
// Column family handles, snapshots and iterators are those of the root.
//
// Threads: any thread may call any method at any time.
// Lifetime: see db.h. Deleting a StackableDB deletes the DB below it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tamis/db.h"
#include "tamis/export.h"

namespace tamis {

class TAMIS_EXPORT StackableDB : public DB {
 public:
  // Takes over `db`, on which no other StackableDB may stand. REQUIRES: not
  // nullptr.
  explicit StackableDB(DB* db) : db_(db), shared_(db) {}
  // Shares `db`, which is destroyed with its last owner.
  explicit StackableDB(std::shared_ptr<DB> db)
      : db_(db.get()), shared_(std::move(db)) {}
  ~StackableDB() override;

  // Returns the DB below. It stays the property of *this.
  virtual DB* GetBaseDB() { return db_; }
  DB* GetRootDB() override { return db_->GetRootDB(); }

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
  Status CompactFiles(
      const CompactionOptions& compact_options, ColumnFamilyHandle* family,
      const std::vector<std::string>& input_file_names, int output_level,
      int output_path_id = -1,
      std::vector<std::string>* output_file_names = nullptr,
      CompactionJobInfo* compaction_job_info = nullptr) override;
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
                   bool* value_found = nullptr) override;
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
                      bool flush_memtable = true) override;
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
      const TransactionLogIterator::ReadOptions& read_options = {}) override;

 protected:
  // The database below.
  DB* const db_;

 private:
  const std::shared_ptr<DB> shared_;
};

}  // namespace tamis
