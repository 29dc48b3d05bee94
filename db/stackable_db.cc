// SPDX-License-Identifier: Apache-2.0
#include "tamis/utilities/stackable_db.h"

namespace tamis {

StackableDB::~StackableDB() = default;

Status StackableDB::Close() { return db_->Close(); }

Status StackableDB::Promote(std::unique_ptr<DB>* writer,
                            std::vector<ColumnFamilyHandle*>* handles) {
  return db_->Promote(writer, handles);
}

Status StackableDB::TryCatchUpWithPrimary() {
  return db_->TryCatchUpWithPrimary();
}

ColumnFamilyHandle* StackableDB::DefaultColumnFamily() const {
  return db_->DefaultColumnFamily();
}

Status StackableDB::CreateColumnFamily(const ColumnFamilyOptions& options,
                                       const std::string& family_name,
                                       ColumnFamilyHandle** handle) {
  return db_->CreateColumnFamily(options, family_name, handle);
}

Status StackableDB::DropColumnFamily(ColumnFamilyHandle* family) {
  return db_->DropColumnFamily(family);
}

Status StackableDB::DestroyColumnFamilyHandle(ColumnFamilyHandle* family) {
  return db_->DestroyColumnFamilyHandle(family);
}

Status StackableDB::Write(const WriteOptions& options, WriteBatch* batch) {
  return db_->Write(options, batch);
}

Status StackableDB::Get(const ReadOptions& options, ColumnFamilyHandle* family,
                        const Slice& key, PinnableSlice* value) {
  return db_->Get(options, family, key, value);
}

void StackableDB::MultiGet(const ReadOptions& options,
                           ColumnFamilyHandle* family, size_t num_keys,
                           const Slice* keys, PinnableSlice* values,
                           Status* statuses) {
  db_->MultiGet(options, family, num_keys, keys, values, statuses);
}

void StackableDB::MultiGet(const ReadOptions& options, size_t num_keys,
                           ColumnFamilyHandle** families, const Slice* keys,
                           PinnableSlice* values, Status* statuses) {
  db_->MultiGet(options, num_keys, families, keys, values, statuses);
}

std::vector<Status> StackableDB::MultiGet(
    const ReadOptions& options,
    const std::vector<ColumnFamilyHandle*>& families,
    const std::vector<Slice>& keys, std::vector<std::string>* values) {
  return db_->MultiGet(options, families, keys, values);
}

Iterator* StackableDB::NewIterator(const ReadOptions& options,
                                   ColumnFamilyHandle* family) {
  return db_->NewIterator(options, family);
}

Status StackableDB::NewIterators(
    const ReadOptions& options,
    const std::vector<ColumnFamilyHandle*>& families,
    std::vector<Iterator*>* iterators) {
  return db_->NewIterators(options, families, iterators);
}

const Snapshot* StackableDB::GetSnapshot() { return db_->GetSnapshot(); }

void StackableDB::ReleaseSnapshot(const Snapshot* snapshot) {
  db_->ReleaseSnapshot(snapshot);
}

Status StackableDB::Flush(const FlushOptions& options,
                          const std::vector<ColumnFamilyHandle*>& families) {
  return db_->Flush(options, families);
}

Status StackableDB::CompactRange(const CompactRangeOptions& options,
                                 ColumnFamilyHandle* family, const Slice* begin,
                                 const Slice* end) {
  return db_->CompactRange(options, family, begin, end);
}

Status StackableDB::CompactFiles(
    const CompactionOptions& compact_options, ColumnFamilyHandle* family,
    const std::vector<std::string>& input_file_names, int output_level,
    int output_path_id, std::vector<std::string>* output_file_names,
    CompactionJobInfo* compaction_job_info) {
  return db_->CompactFiles(compact_options, family, input_file_names,
                           output_level, output_path_id, output_file_names,
                           compaction_job_info);
}

Status StackableDB::SuggestCompactRange(ColumnFamilyHandle* family,
                                        const Slice* begin, const Slice* end) {
  return db_->SuggestCompactRange(family, begin, end);
}

Status StackableDB::DeleteFile(const std::string& name) {
  return db_->DeleteFile(name);
}

Status StackableDB::PromoteL0(ColumnFamilyHandle* family, int target_level) {
  return db_->PromoteL0(family, target_level);
}

Status StackableDB::EnableAutoCompaction(
    const std::vector<ColumnFamilyHandle*>& families) {
  return db_->EnableAutoCompaction(families);
}

Status StackableDB::RewriteFilters(const RewriteFiltersOptions& options,
                                   ColumnFamilyHandle* family,
                                   const Slice* begin, const Slice* end) {
  return db_->RewriteFilters(options, family, begin, end);
}

Status StackableDB::IngestExternalFiles(
    const std::vector<IngestExternalFileArg>& args) {
  return db_->IngestExternalFiles(args);
}

Status StackableDB::WaitForCompact(const WaitForCompactOptions& options) {
  return db_->WaitForCompact(options);
}

Status StackableDB::PauseBackgroundWork() { return db_->PauseBackgroundWork(); }

Status StackableDB::ContinueBackgroundWork() {
  return db_->ContinueBackgroundWork();
}

void StackableDB::DisableManualCompaction() { db_->DisableManualCompaction(); }

void StackableDB::EnableManualCompaction() { db_->EnableManualCompaction(); }

Status StackableDB::LockWAL() { return db_->LockWAL(); }

Status StackableDB::UnlockWAL() { return db_->UnlockWAL(); }

Status StackableDB::SetOptions(
    ColumnFamilyHandle* family,
    const std::unordered_map<std::string, std::string>& new_options) {
  return db_->SetOptions(family, new_options);
}

Status StackableDB::SetDBOptions(
    const std::unordered_map<std::string, std::string>& new_options) {
  return db_->SetDBOptions(new_options);
}

Status StackableDB::Resume() { return db_->Resume(); }

Status StackableDB::FlushWAL(bool sync) { return db_->FlushWAL(sync); }

bool StackableDB::GetProperty(ColumnFamilyHandle* family, const Slice& property,
                              std::string* value) {
  return db_->GetProperty(family, property, value);
}

bool StackableDB::GetIntProperty(ColumnFamilyHandle* family,
                                 const Slice& property, uint64_t* value) {
  return db_->GetIntProperty(family, property, value);
}

Status StackableDB::ResetStats() { return db_->ResetStats(); }

bool StackableDB::GetMapProperty(ColumnFamilyHandle* family,
                                 const Slice& property,
                                 std::map<std::string, std::string>* values) {
  return db_->GetMapProperty(family, property, values);
}

bool StackableDB::GetAggregatedIntProperty(const Slice& property,
                                           uint64_t* value) {
  return db_->GetAggregatedIntProperty(property, value);
}

const std::string& StackableDB::GetName() const { return db_->GetName(); }

Options StackableDB::GetOptions(ColumnFamilyHandle* family) const {
  return db_->GetOptions(family);
}

DBOptions StackableDB::GetDBOptions() const { return db_->GetDBOptions(); }

Status StackableDB::GetDbIdentity(std::string* identity) const {
  return db_->GetDbIdentity(identity);
}

Status StackableDB::GetDbSessionId(std::string& session_id) const {
  return db_->GetDbSessionId(session_id);
}

SequenceNumber StackableDB::GetLatestSequenceNumber() const {
  return db_->GetLatestSequenceNumber();
}

Status StackableDB::GetApproximateSizes(const SizeApproximationOptions& options,
                                        ColumnFamilyHandle* family,
                                        const Range* ranges, int n,
                                        uint64_t* sizes) {
  return db_->GetApproximateSizes(options, family, ranges, n, sizes);
}

void StackableDB::GetApproximateMemTableStats(ColumnFamilyHandle* family,
                                              const Range& range,
                                              uint64_t* count, uint64_t* size) {
  db_->GetApproximateMemTableStats(family, range, count, size);
}

Status StackableDB::GetMergeOperands(
    const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
    PinnableSlice* merge_operands,
    GetMergeOperandsOptions* get_merge_operands_options,
    int* number_of_operands) {
  return db_->GetMergeOperands(options, family, key, merge_operands,
                               get_merge_operands_options, number_of_operands);
}

bool StackableDB::KeyMayExist(const ReadOptions& options,
                              ColumnFamilyHandle* family, const Slice& key,
                              std::string* value, bool* value_found) {
  return db_->KeyMayExist(options, family, key, value, value_found);
}

void StackableDB::GetLiveFilesMetaData(std::vector<LiveFileMetaData>* files) {
  db_->GetLiveFilesMetaData(files);
}

Status StackableDB::GetPropertiesOfAllTables(ColumnFamilyHandle* family,
                                             TablePropertiesCollection* props) {
  return db_->GetPropertiesOfAllTables(family, props);
}

Status StackableDB::GetPropertiesOfTablesInRange(
    ColumnFamilyHandle* family, const Range* ranges, size_t n,
    TablePropertiesCollection* props) {
  return db_->GetPropertiesOfTablesInRange(family, ranges, n, props);
}

void StackableDB::GetColumnFamilyMetaData(ColumnFamilyHandle* family,
                                          ColumnFamilyMetaData* metadata) {
  db_->GetColumnFamilyMetaData(family, metadata);
}

Status StackableDB::VerifyChecksum() { return db_->VerifyChecksum(); }

Status StackableDB::VerifyFileChecksums(const ReadOptions& options) {
  return db_->VerifyFileChecksums(options);
}

Status StackableDB::GetLiveFilesChecksumInfo(FileChecksumList* checksum_list) {
  return db_->GetLiveFilesChecksumInfo(checksum_list);
}

Status StackableDB::DisableFileDeletions() {
  return db_->DisableFileDeletions();
}

Status StackableDB::EnableFileDeletions() { return db_->EnableFileDeletions(); }

Status StackableDB::GetLiveFiles(std::vector<std::string>& files,
                                 uint64_t* manifest_bytes,
                                 bool flush_memtable) {
  return db_->GetLiveFiles(files, manifest_bytes, flush_memtable);
}

Status StackableDB::GetLiveFilesStorageInfo(
    const LiveFilesStorageInfoOptions& options,
    std::vector<LiveFileStorageInfo>* files) {
  return db_->GetLiveFilesStorageInfo(options, files);
}

Status StackableDB::CreateColumnFamilyWithImport(
    const ColumnFamilyOptions& options, const std::string& family_name,
    const ImportColumnFamilyOptions& import_options,
    const ExportImportFilesMetaData& metadata, ColumnFamilyHandle** handle) {
  return db_->CreateColumnFamilyWithImport(options, family_name, import_options,
                                           metadata, handle);
}

Status StackableDB::GetSortedWalFiles(VectorLogPtr& files) {
  return db_->GetSortedWalFiles(files);
}

Status StackableDB::GetCurrentWalFile(
    std::unique_ptr<LogFile>* current_log_file) {
  return db_->GetCurrentWalFile(current_log_file);
}

Status StackableDB::GetUpdatesSince(
    SequenceNumber seq_number, std::unique_ptr<TransactionLogIterator>* iter,
    const TransactionLogIterator::ReadOptions& read_options) {
  return db_->GetUpdatesSince(seq_number, iter, read_options);
}

}  // namespace tamis
