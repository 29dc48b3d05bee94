// SPDX-License-Identifier: Apache-2.0
//
// Long because every call of a database passes here.
#include "db/db_facade.h"

#include <algorithm>

#include "db/base/error_iterator.h"
#include "db/db_iterator.h"
#include "util/base/exceptions.h"

namespace tamis {

template <typename Call>
Status DBFacade::Guarded(const Call& call) const {
  if (!impl_.get_deleter().owner.IsCurrent()) [[unlikely]] {
    return OfOtherProcess(impl_->GetName(), impl_.get_deleter().owner);
  }
  return CatchExceptions(call);
}

template <typename Call>
Status DBFacade::GuardedAndTold(const Call& call) const {
  return Guarded([&] {
    const Status status = CatchExceptions(call);
    impl_->DeliverEvents();
    return status;
  });
}

Status DBFacade::CreateCheckpoint(const std::string& path,
                                  uint64_t log_size_for_flush,
                                  SequenceNumber* sequence_number) {
  return Guarded([&] {
    return impl_->CreateCheckpoint(path, log_size_for_flush, sequence_number);
  });
}

Status DBFacade::WriteIfUnchanged(const WriteOptions& options,
                                  WriteBatch* batch,
                                  std::span<const TrackedKey> keys) {
  return Guarded([&] { return impl_->WriteIfUnchanged(options, batch, keys); });
}

Status DBFacade::CheckUnchanged(std::span<const TrackedKey> keys) {
  return Guarded([&] { return impl_->CheckUnchanged(keys); });
}

Status DBFacade::WriteMarked(const WriteOptions& options, WriteBatch* batch,
                             const LogMarks& marks) {
  return Guarded([&] { return impl_->Write(options, batch, nullptr, &marks); });
}

void DBFacade::CancelAllBackgroundWork(bool wait) {
  GuardedAndTold([&] {
    return impl_->CancelAllBackgroundWork(wait);
  }).PermitUncheckedError();
}

Status DBFacade::DeleteFilesInRanges(ColumnFamilyHandle* family,
                                     const RangePtr* ranges, size_t n,
                                     bool include_end) {
  return Guarded([&] {
    return impl_->DeleteFilesInRanges(family, ranges, n, include_end);
  });
}

Status DBFacade::Close() {
  return Guarded([&] { return impl_->Close(); });
}

Status DBFacade::Promote(std::unique_ptr<DB>* writer,
                         std::vector<ColumnFamilyHandle*>* handles) {
  return Guarded([&] { return impl_->Promote(writer, handles); });
}

Status DBFacade::TryCatchUpWithPrimary() {
  return Guarded([&] { return impl_->TryCatchUpWithPrimary(); });
}

ColumnFamilyHandle* DBFacade::DefaultColumnFamily() const {
  return impl_->DefaultColumnFamily();
}

Status DBFacade::CreateColumnFamily(const ColumnFamilyOptions& options,
                                    const std::string& family_name,
                                    ColumnFamilyHandle** handle) {
  *handle = nullptr;
  return Guarded(
      [&] { return impl_->CreateColumnFamily(options, family_name, handle); });
}

Status DBFacade::DropColumnFamily(ColumnFamilyHandle* family) {
  return Guarded([&] { return impl_->DropColumnFamily(family); });
}

Status DBFacade::DestroyColumnFamilyHandle(ColumnFamilyHandle* family) {
  return Guarded([&] { return impl_->DestroyColumnFamilyHandle(family); });
}

Status DBFacade::Write(const WriteOptions& options, WriteBatch* batch) {
  return Guarded([&] { return impl_->Write(options, batch); });
}

Status DBFacade::Get(const ReadOptions& options, ColumnFamilyHandle* family,
                     const Slice& key, PinnableSlice* value) {
  return Guarded([&] { return impl_->Get(options, family, key, value); });
}

void DBFacade::MultiGet(const ReadOptions& options, ColumnFamilyHandle* family,
                        size_t num_keys, const Slice* keys,
                        PinnableSlice* values, Status* statuses) {
  const Status status = Guarded([&] {
    impl_->MultiGet(options, family, num_keys, keys, values, statuses);
    return Status::OK();
  });
  if (status.ok()) return;
  for (size_t i = 0; i < num_keys; ++i) {
    values[i].Reset();
    statuses[i] = status;
  }
}

void DBFacade::MultiGet(const ReadOptions& options, size_t num_keys,
                        ColumnFamilyHandle** families, const Slice* keys,
                        PinnableSlice* values, Status* statuses) {
  const Status status = Guarded([&] {
    impl_->MultiGet(options, num_keys, families, keys, values, statuses);
    return Status::OK();
  });
  if (status.ok()) return;
  for (size_t i = 0; i < num_keys; ++i) {
    values[i].Reset();
    statuses[i] = status;
  }
}

std::vector<Status> DBFacade::MultiGet(
    const ReadOptions& options,
    const std::vector<ColumnFamilyHandle*>& families,
    const std::vector<Slice>& keys, std::vector<std::string>* values) {
  // The only allocation whose failure cannot be returned as a Status.
  std::vector<Status> statuses(keys.size());
  const Status status = Guarded([&] {
    values->assign(keys.size(), std::string());
    if (families.size() != keys.size()) {
      statuses.assign(
          keys.size(),
          Status::InvalidArgument("MultiGet",
                                  "expected as many column families as keys"));
      return Status::OK();
    }
    std::vector<PinnableSlice> found(keys.size());
    impl_->MultiGet(options, keys.size(), families.data(), keys.data(),
                    found.data(), statuses.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      if (statuses[i].ok())
        (*values)[i].assign(found[i].data(), found[i].size());
    }
    return Status::OK();
  });
  if (!status.ok()) {
    statuses.assign(keys.size(), status);
    values->clear();
  }
  return statuses;
}

Iterator* DBFacade::NewIterator(const ReadOptions& options,
                                ColumnFamilyHandle* family) {
  Iterator* iterator = nullptr;
  const Status status = Guarded([&] {
    iterator = impl_->NewIterator(options, family);
    return Status::OK();
  });
  return iterator != nullptr ? iterator : NewErrorIterator(status).release();
}

Status DBFacade::NewIterators(const ReadOptions& options,
                              const std::vector<ColumnFamilyHandle*>& families,
                              std::vector<Iterator*>* iterators) {
  iterators->clear();
  const Status status = Guarded(
      [&] { return impl_->NewIterators(options, families, iterators); });
  if (!status.ok()) {
    for (Iterator* iterator : *iterators) delete iterator;
    iterators->clear();
  }
  return status;
}

const Snapshot* DBFacade::GetSnapshot() {
  const Snapshot* snapshot = nullptr;
  Guarded([&] {
    snapshot = impl_->GetSnapshot();
    return Status::OK();
  }).PermitUncheckedError();
  return snapshot;
}

void DBFacade::ReleaseSnapshot(const Snapshot* snapshot) {
  Guarded([&] {
    impl_->ReleaseSnapshot(snapshot);
    return Status::OK();
  }).PermitUncheckedError();
}

Status DBFacade::Flush(const FlushOptions& options,
                       const std::vector<ColumnFamilyHandle*>& families) {
  const auto flush = [&] { return impl_->Flush(options, families); };
  return options.wait ? GuardedAndTold(flush) : Guarded(flush);
}

Status DBFacade::CompactRange(const CompactRangeOptions& options,
                              ColumnFamilyHandle* family, const Slice* begin,
                              const Slice* end) {
  return GuardedAndTold(
      [&] { return impl_->CompactRange(options, family, begin, end); });
}

Status DBFacade::CompactFiles(const CompactionOptions& compact_options,
                              ColumnFamilyHandle* family,
                              const std::vector<std::string>& input_file_names,
                              int output_level, int output_path_id,
                              std::vector<std::string>* output_file_names,
                              CompactionJobInfo* compaction_job_info) {
  return GuardedAndTold([&] {
    return impl_->CompactFiles(compact_options, family, input_file_names,
                               output_level, output_path_id, output_file_names,
                               compaction_job_info);
  });
}

Status DBFacade::SuggestCompactRange(ColumnFamilyHandle* family,
                                     const Slice* begin, const Slice* end) {
  return Guarded(
      [&] { return impl_->SuggestCompactRange(family, begin, end); });
}

Status DBFacade::DeleteFile(const std::string& name) {
  return Guarded([&] { return impl_->DeleteFile(name); });
}

Status DBFacade::PromoteL0(ColumnFamilyHandle* family, int target_level) {
  return Guarded([&] { return impl_->PromoteL0(family, target_level); });
}

Status DBFacade::EnableAutoCompaction(
    const std::vector<ColumnFamilyHandle*>& families) {
  return Guarded([&] { return impl_->EnableAutoCompaction(families); });
}

Status DBFacade::RewriteFilters(const RewriteFiltersOptions& options,
                                ColumnFamilyHandle* family, const Slice* begin,
                                const Slice* end) {
  return GuardedAndTold(
      [&] { return impl_->RewriteFilters(options, family, begin, end); });
}

Status DBFacade::IngestExternalFiles(
    const std::vector<IngestExternalFileArg>& args) {
  return GuardedAndTold([&] { return impl_->IngestExternalFiles(args); });
}

Status DBFacade::WaitForCompact(const WaitForCompactOptions& options) {
  return GuardedAndTold([&] { return impl_->WaitForCompact(options); });
}

Status DBFacade::PauseBackgroundWork() {
  return Guarded([&] { return impl_->PauseBackgroundWork(); });
}

Status DBFacade::ContinueBackgroundWork() {
  return Guarded([&] { return impl_->ContinueBackgroundWork(); });
}

void DBFacade::DisableManualCompaction() {
  Guarded([&] {
    return impl_->DisableManualCompaction();
  }).PermitUncheckedError();
}

void DBFacade::EnableManualCompaction() {
  Guarded([&] {
    return impl_->EnableManualCompaction();
  }).PermitUncheckedError();
}

Status DBFacade::LockWAL() {
  return Guarded([&] { return impl_->LockWAL(); });
}

Status DBFacade::UnlockWAL() {
  return Guarded([&] { return impl_->UnlockWAL(); });
}

Status DBFacade::SetOptions(
    ColumnFamilyHandle* family,
    const std::unordered_map<std::string, std::string>& new_options) {
  return Guarded([&] { return impl_->SetOptions(family, new_options); });
}

Status DBFacade::SetDBOptions(
    const std::unordered_map<std::string, std::string>& new_options) {
  return Guarded([&] { return impl_->SetDBOptions(new_options); });
}

Status DBFacade::Resume() {
  return Guarded([&] { return impl_->Resume(); });
}

Status DBFacade::FlushWAL(bool sync) {
  return Guarded([&] { return impl_->FlushWAL(sync); });
}

bool DBFacade::GetProperty(ColumnFamilyHandle* family, const Slice& property,
                           std::string* value) {
  bool known = false;
  const Status status = Guarded([&] {
    known = impl_->GetProperty(family, property, value);
    return Status::OK();
  });
  return status.ok() && known;
}

bool DBFacade::GetIntProperty(ColumnFamilyHandle* family, const Slice& property,
                              uint64_t* value) {
  bool known = false;
  const Status status = Guarded([&] {
    known = impl_->GetIntProperty(family, property, value);
    return Status::OK();
  });
  return status.ok() && known;
}

bool DBFacade::GetMapProperty(ColumnFamilyHandle* family, const Slice& property,
                              std::map<std::string, std::string>* values) {
  bool known = false;
  values->clear();
  const Status status = Guarded([&] {
    known = impl_->GetMapProperty(family, property, values);
    return Status::OK();
  });
  return status.ok() && known;
}

Status DBFacade::ResetStats() {
  return Guarded([&] { return impl_->ResetStats(); });
}

bool DBFacade::GetAggregatedIntProperty(const Slice& property,
                                        uint64_t* value) {
  bool known = false;
  const Status status = Guarded([&] {
    known = impl_->GetAggregatedIntProperty(property, value);
    return Status::OK();
  });
  return status.ok() && known;
}

const std::string& DBFacade::GetName() const { return impl_->GetName(); }

Options DBFacade::GetOptions(ColumnFamilyHandle* family) const {
  return impl_->GetOptions(family);
}

DBOptions DBFacade::GetDBOptions() const { return impl_->GetDBOptions(); }

Status DBFacade::GetDbIdentity(std::string* identity) const {
  return Guarded([&] { return impl_->GetDbIdentity(identity); });
}

Status DBFacade::GetDbSessionId(std::string& session_id) const {
  return Guarded([&] { return impl_->GetDbSessionId(&session_id); });
}

SequenceNumber DBFacade::GetLatestSequenceNumber() const {
  return impl_->GetLatestSequenceNumber();
}

Status DBFacade::GetApproximateSizes(const SizeApproximationOptions& options,
                                     ColumnFamilyHandle* family,
                                     const Range* ranges, int n,
                                     uint64_t* sizes) {
  return Guarded([&] {
    return impl_->GetApproximateSizes(options, family, ranges, n, sizes);
  });
}

void DBFacade::GetApproximateMemTableStats(ColumnFamilyHandle* family,
                                           const Range& range, uint64_t* count,
                                           uint64_t* size) {
  *count = *size = 0;
  Guarded([&] {
    return impl_->GetApproximateMemTableStats(family, range, count, size);
  }).PermitUncheckedError();
}

Status DBFacade::GetMergeOperands(
    const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
    PinnableSlice* merge_operands,
    GetMergeOperandsOptions* get_merge_operands_options,
    int* number_of_operands) {
  return Guarded([&] {
    const int most =
        get_merge_operands_options->expected_max_number_of_operands;
    return impl_->GetMergeOperands(
        options, family, key,
        {merge_operands, static_cast<size_t>(std::max(0, most))},
        number_of_operands);
  });
}

bool DBFacade::KeyMayExist(const ReadOptions& options,
                           ColumnFamilyHandle* family, const Slice& key,
                           std::string* value, bool* value_found) {
  bool may_exist = true;
  bool found = false;
  Guarded([&] {
    may_exist = impl_->KeyMayExist(options, family, key, value, &found);
    return Status::OK();
  }).PermitUncheckedError();
  if (value_found != nullptr) *value_found = found;
  return may_exist;
}

void DBFacade::GetLiveFilesMetaData(std::vector<LiveFileMetaData>* files) {
  files->clear();
  const Status status = Guarded([&] {
    impl_->GetLiveFilesMetaData(files);
    return Status::OK();
  });
  if (!status.ok()) files->clear();
}

Status DBFacade::GetPropertiesOfAllTables(ColumnFamilyHandle* family,
                                          TablePropertiesCollection* props) {
  return Guarded(
      [&] { return impl_->GetPropertiesOfAllTables(family, props); });
}

Status DBFacade::GetPropertiesOfTablesInRange(
    ColumnFamilyHandle* family, const Range* ranges, size_t n,
    TablePropertiesCollection* props) {
  return Guarded([&] {
    return impl_->GetPropertiesOfTablesInRange(family, ranges, n, props);
  });
}

void DBFacade::GetColumnFamilyMetaData(ColumnFamilyHandle* family,
                                       ColumnFamilyMetaData* metadata) {
  const Status status =
      Guarded([&] { return impl_->GetColumnFamilyMetaData(family, metadata); });
  if (!status.ok()) *metadata = {};
}

Status DBFacade::VerifyChecksum() {
  return Guarded([&] { return impl_->VerifyChecksum(); });
}

Status DBFacade::VerifyFileChecksums(const ReadOptions& options) {
  return Guarded([&] { return impl_->VerifyFileChecksums(options); });
}

Status DBFacade::GetLiveFilesChecksumInfo(FileChecksumList* checksum_list) {
  return Guarded(
      [&] { return impl_->GetLiveFilesChecksumInfo(checksum_list); });
}

Status DBFacade::DisableFileDeletions() {
  return Guarded([&] { return impl_->DisableFileDeletions(); });
}

Status DBFacade::EnableFileDeletions() {
  return Guarded([&] { return impl_->EnableFileDeletions(); });
}

Status DBFacade::GetLiveFiles(std::vector<std::string>& files,
                              uint64_t* manifest_bytes, bool flush_memtable) {
  return Guarded([&] {
    return impl_->GetLiveFiles(&files, manifest_bytes, flush_memtable);
  });
}

Status DBFacade::GetLiveFilesStorageInfo(
    const LiveFilesStorageInfoOptions& options,
    std::vector<LiveFileStorageInfo>* files) {
  return Guarded(
      [&] { return impl_->GetLiveFilesStorageInfo(options, files); });
}

Status DBFacade::CreateColumnFamilyWithImport(
    const ColumnFamilyOptions& options, const std::string& family_name,
    const ImportColumnFamilyOptions& import_options,
    const ExportImportFilesMetaData& metadata, ColumnFamilyHandle** handle) {
  *handle = nullptr;
  return Guarded([&] {
    return impl_->CreateColumnFamilyWithImport(
        options, family_name, import_options, metadata, handle);
  });
}

Status DBFacade::ExportColumnFamily(ColumnFamilyHandle* family,
                                    const std::string& path,
                                    ExportImportFilesMetaData* metadata) {
  return Guarded(
      [&] { return impl_->ExportColumnFamily(family, path, metadata); });
}

Status DBFacade::GetSortedWalFiles(VectorLogPtr& files) {
  return Guarded([&] { return impl_->GetSortedWalFiles(&files); });
}

Status DBFacade::GetCurrentWalFile(std::unique_ptr<LogFile>* current_log_file) {
  current_log_file->reset();
  return Guarded([&] { return impl_->GetCurrentWalFile(current_log_file); });
}

Status DBFacade::GetUpdatesSince(
    SequenceNumber seq_number, std::unique_ptr<TransactionLogIterator>* iter,
    const TransactionLogIterator::ReadOptions& /*read_options*/) {
  iter->reset();
  return Guarded([&] { return impl_->GetUpdatesSince(seq_number, iter); });
}

}  // namespace tamis
