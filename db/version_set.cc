// SPDX-License-Identifier: Apache-2.0
#include "db/version_set.h"

#include <utility>
#include <vector>

#include "db/file_names.h"
#include "db/version_builder.h"

namespace tamis {

namespace {

std::string Encode(const VersionEdit& edit) {
  std::string bytes;
  edit.EncodeTo(&bytes);
  return bytes;
}

// What other readers of the directory rely on; see FORMAT.md, "counters". A
// violation is our own.
void CheckCounters(const VersionEdit& edit) {
  TAMIS_CHECK(edit.next_file_number && edit.last_sequence);
  for (const auto& [level, file] : edit.new_files) {
    TAMIS_CHECK(file.number < *edit.next_file_number);
    TAMIS_CHECK(file.largest_seqno <= *edit.last_sequence);
    TAMIS_CHECK(file.epoch_number != 0);
    TAMIS_CHECK(file.size > 0);
  }
  if (edit.log_number) {
    TAMIS_CHECK(*edit.log_number < *edit.next_file_number);
  }
}

}  // namespace

void VersionSet::StampCounters(VersionEdit* edit) const {
  edit->prev_log_number = 0;
  edit->next_file_number = next_file_number_;
  edit->last_sequence = last_sequence();
}

void VersionSet::BeginManifestWrite() {
  mutex_.Wait(context_.runner(), writing_done_, [this] { return !writing_; });
  writing_ = true;
}

void VersionSet::EndManifestWrite() {
  writing_ = false;
  writing_done_.notify_all();
}

std::string VersionSet::EncodeSnapshot(const ColumnFamily& family,
                                       const Version& version,
                                       const VersionEdit& last) {
  VersionEdit snapshot;
  StampCounters(&snapshot);
  snapshot.log_number = last.log_number.value_or(family.log_number());
  snapshot.min_log_number_to_keep =
      last.min_log_number_to_keep.value_or(min_log_number_to_keep_);
  for (int level = 0; level < kNumLevels; ++level) {
    for (const TableFilePtr& file : version.files(level)) {
      snapshot.new_files.emplace_back(level, file->meta);
    }
  }
  return Encode(snapshot);
}

Status VersionSet::StartManifest(uint64_t number, const std::string& snapshot) {
  const std::string path = DescriptorFileName(context_.directory, number);
  std::unique_ptr<WritableFile> file;
  TAMIS_RETURN_IF_ERROR(context_.fs()->NewWritableFile(path, &file));
  auto log = std::make_unique<LogWriter>(std::move(file), number);

  VersionEdit identity;
  identity.comparator = context_.options.comparator->Name();
  if (!manifest_db_id_.empty()) identity.db_id = context_.db_id;
  TAMIS_RETURN_IF_ERROR(log->AddRecord(Encode(identity)));
  TAMIS_RETURN_IF_ERROR(log->AddRecord(snapshot));
  TAMIS_RETURN_IF_ERROR(log->Sync());
  TAMIS_RETURN_IF_ERROR(context_.fs()->SyncDirectory(context_.directory));
  TAMIS_RETURN_IF_ERROR(
      SetCurrentFile(context_.fs(), context_.directory, number));
  manifest_ = std::move(log);
  return Status::OK();
}

Status VersionSet::WriteEdit(const VersionEdit& edit,
                             const ColumnFamily& family,
                             const Version& version) {
  if (manifest_ != nullptr) {
    const std::string record = Encode(edit);
    MutexUnlock unlock(&mutex_);
    TAMIS_RETURN_IF_ERROR(manifest_->AddRecord(record));
    return manifest_->Sync();
  }
  // Until CURRENT surely names the new MANIFEST, manifest_number_ is the older
  // one, and purge spares both.
  const uint64_t number = NewFileNumber();
  const std::string snapshot = EncodeSnapshot(family, version, edit);
  Status status;
  {
    MutexUnlock unlock(&mutex_);
    status = StartManifest(number, snapshot);
  }
  if (status.ok()) manifest_number_ = number;
  return status;
}

Status VersionSet::LogAndApply(ColumnFamily* family, VersionEdit* edit,
                               size_t flushed) {
  mutex_.AssertHeld();
  BeginManifestWrite();
  VersionBuilder builder(family->order(), &family->tables(),
                         family->version().get());
  Status status = builder.Apply(*edit);
  auto next = status.ok() ? builder.Build() : Result<VersionPtr>(status);
  if (!next.ok()) {
    EndManifestWrite();
    return next.status();
  }
  StampCounters(edit);
  CheckCounters(*edit);

  status = WriteEdit(*edit, *family, **next);
  if (status.ok()) {
    if (edit->log_number) family->set_log_number(*edit->log_number);
    if (edit->min_log_number_to_keep) {
      set_min_log_number_to_keep(*edit->min_log_number_to_keep);
    }
    family->InstallVersion(std::move(next).value(), flushed);
  } else {
    AbandonManifest();
  }
  EndManifestWrite();
  return status;
}

}  // namespace tamis
