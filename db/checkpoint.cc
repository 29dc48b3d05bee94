// SPDX-License-Identifier: Apache-2.0
//
// A checkpoint is a consistent copy of the database. The list of its parts is
// taken within a write barrier. They are copied later: the files no longer
// change, or only their first bytes count.
//
//   tables    hard links (or copies)       logs      copied up to their length
//   MANIFEST  written anew, then CURRENT   IDENTITY  none: the copy is another
//   OPTIONS   written anew, without wal_dir: the logs are here
#include "tamis/utilities/checkpoint.h"

#include <utility>

#include "db/base/file_names.h"
#include "db/base/numbers.h"
#include "db/db_facade.h"
#include "db/manifest/manifest_writer.h"
#include "db/manifest/table_path.h"
#include "util/base/exceptions.h"
#include "util/coding/printable.h"
#include "util/io/copy_file.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

// Removes a directory and the files in it, if it exists.
Status RemoveTree(FileSystem* fs, const std::string& directory) {
  std::vector<std::string> names;
  const Status listed = fs->GetChildren(directory, &names);
  if (listed.IsPathNotFound()) return Status::OK();
  if (!listed.ok()) return listed;
  for (const std::string& name : names) {
    TAMIS_RETURN_IF_ERROR(fs->RemoveFile(directory + "/" + name));
  }
  return fs->RemoveDir(directory);
}

// Removes the files of an interrupted checkpoint. Returns InvalidArgument if
// the directory has a file that no checkpoint writes, so that it is not one.
Status RemoveLeftOver(FileSystem* fs, const std::string& scratch) {
  bool link = false;
  TAMIS_RETURN_IF_ERROR(fs->IsSymbolicLink(scratch, &link));
  if (link) {
    return Status::InvalidArgument(
        scratch,
        "this name is needed for an unfinished checkpoint, but it is a "
        "symbolic link; move it away");
  }
  std::vector<std::string> names;
  const Status listed = fs->GetChildren(scratch, &names);
  if (listed.IsPathNotFound()) return Status::OK();
  if (!listed.ok()) return listed;
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    const FileKind type = file ? file->type : FileKind::kUnknown;
    if (type != FileKind::kTable && type != FileKind::kLog &&
        type != FileKind::kDescriptor && type != FileKind::kCurrent &&
        type != FileKind::kTemp && type != FileKind::kOptions) {
      return Status::InvalidArgument(
          scratch,
          "this name is needed for an unfinished checkpoint, but it contains " +
              Printable(name) +
              ", which belongs to no checkpoint; move it away");
    }
  }
  return RemoveTree(fs, scratch);
}

class CheckpointImpl : public Checkpoint {
 public:
  explicit CheckpointImpl(DBFacade* db) : db_(*db) {}
  Status CreateCheckpoint(const std::string& directory,
                          uint64_t log_size_for_flush,
                          SequenceNumber* sequence_number) override {
    return db_.CreateCheckpoint(directory, log_size_for_flush, sequence_number);
  }
  Status ExportColumnFamily(ColumnFamilyHandle* family,
                            const std::string& directory,
                            ExportImportFilesMetaData** metadata) override {
    *metadata = nullptr;
    return CatchExceptions([&] {
      auto made = std::make_unique<ExportImportFilesMetaData>();
      TAMIS_RETURN_IF_ERROR(
          db_.ExportColumnFamily(family, directory, made.get()));
      *metadata = made.release();
      return Status::OK();
    });
  }

 private:
  DBFacade& db_;
};

}  // namespace

Checkpoint::~Checkpoint() = default;

Status Checkpoint::Create(DB* db, std::unique_ptr<Checkpoint>* checkpoint) {
  checkpoint->reset();
  DBFacade* const facade = DBFacade::Of(db);
  if (facade == nullptr) {
    return Status::NotSupported("Checkpoint::Create",
                                "the database was not opened by DB::Open");
  }
  return CatchExceptions([&] {
    *checkpoint = std::make_unique<CheckpointImpl>(facade);
    return Status::OK();
  });
}

Status Checkpoint::Create(DB* db, Checkpoint** checkpoint) {
  std::unique_ptr<Checkpoint> owned;
  const Status status = Create(db, &owned);
  *checkpoint = owned.release();
  return status;
}

// The parts of a checkpoint; pins the tables.
struct DBImpl::CheckpointParts {
  ColumnFamilySet::ViewPtr families;  // outlive their tables
  std::vector<TableFilePtr> tables;
  std::vector<WriteAheadLog::LogFile> logs;
  std::vector<std::string> manifest;  // records
  FileNumber manifest_number;
  std::string options;  // the text of OPTIONS
  SequenceNumber sequence = 0;
};

// REQUIRES: the caller leads the write queue.
DBImpl::CheckpointParts DBImpl::TakeCheckpointParts() {
  CheckpointParts parts;
  parts.families = versions_.families().view();
  parts.manifest_number = versions_.NewFileNumber();
  parts.manifest = versions_.SnapshotForCopy();
  parts.options = OptionsText(OptionsOf::kCheckpoint);
  for (const ColumnFamilyPtr& family : *parts.families) {
    ForEachFile(*family->version(), [&](Level, const TableFilePtr& file) {
      parts.tables.push_back(file);
    });
  }
  parts.logs = wal_.FilesFrom(versions_.min_log_number_to_keep());
  return parts;
}

Status DBImpl::LinkOrCopyTable(const FileMetaData& meta,
                               const std::string& directory) const {
  FileSystem* const fs = context_.fs();
  std::string from = TablePath(context_, meta);
  std::string to = TableFileName(directory, meta.number);
  if (fs->FileExists(from).IsPathNotFound()) {
    from = TableAliasPath(context_, meta);
    to = LevelDBTableFileName(directory, meta.number);
  }
  const Status linked = fs->LinkFile(from, to);
  return linked.IsNotSupported()
             ? CopyFile(fs, from, to, meta.size, FileRole::kTable)
             : linked;
}

Status DBImpl::WriteCheckpoint(const CheckpointParts& parts,
                               const std::string& directory) const {
  FileSystem* const fs = context_.fs();
  TAMIS_RETURN_IF_ERROR(fs->CreateDirIfMissing(directory));
  for (const TableFilePtr& table : parts.tables) {
    TAMIS_RETURN_IF_ERROR(LinkOrCopyTable(table->meta, directory));
  }
  for (const WriteAheadLog::LogFile& log : parts.logs) {
    TAMIS_RETURN_IF_ERROR(CopyFile(
        fs, LogFileName(context_.log_directory(), log.number),
        LogFileName(directory, log.number), log.bytes, FileRole::kLog));
  }
  // The new MANIFEST's sync of the directory makes this name durable, too.
  TAMIS_RETURN_IF_ERROR(WriteStringToFile(
      fs, parts.options, OptionsFileName(directory, parts.manifest_number),
      /*sync=*/true));
  auto manifest =
      StartManifest(fs, directory, parts.manifest_number, parts.manifest);
  if (!manifest.ok()) return manifest.status();
  return (*manifest)->Close();
}

// The last step: gives the checkpoint its final name. If that cannot be made
// durable, it is first renamed back durably, and only then removed, so that a
// power failure leaves no incomplete directory under the final name.
Status DBImpl::PublishCheckpoint(const std::string& scratch,
                                 const std::string& directory) const {
  FileSystem* const fs = context_.fs();
  const std::string parent = ParentDirectory(directory);
  Status status = fs->RenameFile(scratch, directory);
  if (status.ok()) {
    status = file_io::SyncDirectory(fs, parent);
    if (status.ok()) return status;
    const bool undone = fs->RenameFile(directory, scratch).ok() &&
                        file_io::SyncDirectory(fs, parent).ok();
    if (!undone) return status;
  }
  RemoveTree(fs, scratch).PermitUncheckedError();
  return status;
}

// Sets *scratch to the name of the unfinished directory, which does not exist
// then. Returns InvalidArgument if the directory exists.
Status DBImpl::ScratchFor(const std::string& directory,
                          std::string* scratch) const {
  if (directory.empty()) {
    return Status::InvalidArgument("Checkpoint", "the directory name is empty");
  }
  const Status there = context_.fs()->FileExists(directory);
  if (there.ok()) {
    return Status::InvalidArgument(
        directory, "it exists already; a checkpoint creates its directory");
  }
  if (!there.IsPathNotFound()) return there;
  *scratch = directory + ".tmp";
  return RemoveLeftOver(context_.fs(), *scratch);
}

Status DBImpl::CreateCheckpoint(const std::string& path,
                                uint64_t log_size_for_flush,
                                SequenceNumber* sequence_number) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  FileSystem* const fs = context_.fs();
  const std::string directory = WithoutTrailingSlashes(path);
  // Two concurrent checkpoints might share a scratch directory.
  MutexLock one_at_a_time(&checkpoint_mutex_);
  std::string scratch;
  TAMIS_RETURN_IF_ERROR(ScratchFor(directory, &scratch));

  context_.event_log->Event("checkpoint_start")
      .Add("directory", Slice(directory));
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  SequenceNumber flushed = 0;
  TAMIS_RETURN_IF_ERROR(FlushBeforeCheckpoint(log_size_for_flush, &flushed));
  CheckpointParts parts;
  std::optional<ObsoleteFiles::Hold> hold;
  {
    WriteBarrier barrier(&write_path_.queue(), context_.runner());
    TAMIS_RETURN_IF_ERROR(write_path_.ResumeIfDue());
    if (context_.options.manual_wal_flush) {
      TAMIS_RETURN_IF_ERROR(FlushLogLed(/*sync=*/false));  // its file is copied
    }
    parts = TakeCheckpointParts();
    // Later entries may be in no log.
    parts.sequence =
        write_path_.has_unlogged() ? flushed : versions_.last_sequence();
    hold.emplace(&obsolete_);
  }
  Status status;
  {
    MutexUnlock unlock(&mutex_);
    status = WriteCheckpoint(parts, scratch);
    if (status.ok()) {
      status = PublishCheckpoint(scratch, directory);
    } else {
      RemoveTree(fs, scratch).PermitUncheckedError();
    }
  }
  hold.reset();
  if (sequence_number != nullptr) *sequence_number = parts.sequence;
  context_.event_log->Event("checkpoint_end")
      .Add("tables", parts.tables.size())
      .Add("logs", parts.logs.size())
      .Add("sequence", parts.sequence)
      .Add("status", status);
  parts.tables.clear();
  parts.families.reset();
  scheduler_.PurgeObsoleteFiles();
  return status;
}

// Copies the tables, and describes them as they are in `directory`.
Status DBImpl::WriteExport(const Version& version, const std::string& scratch,
                           const std::string& directory,
                           ExportImportFilesMetaData* metadata) const {
  FileSystem* const fs = context_.fs();
  TAMIS_RETURN_IF_ERROR(fs->CreateDirIfMissing(scratch));
  Status status;
  ForEachFile(version, [&](Level level, const TableFilePtr& file) {
    if (!status.ok()) return;
    const FileMetaData& meta = file->meta;
    status = LinkOrCopyTable(meta, scratch);
    LiveFileMetaData& out = metadata->files.emplace_back();
    DescribeTable(directory, *file, &out);
    out.level = level.value();
    out.smallest = meta.smallest;
    out.largest = meta.largest;
    if (fs->FileExists(TableFileName(scratch, meta.number)).IsPathNotFound()) {
      out.name = LevelDBTableFileName("", meta.number);
      out.relative_filename = out.name.substr(1);
    }
  });
  return status.ok() ? file_io::SyncDirectory(fs, scratch) : status;
}

Status DBImpl::ExportColumnFamily(ColumnFamilyHandle* handle,
                                  const std::string& path,
                                  ExportImportFilesMetaData* metadata) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  const ColumnFamilyPtr family = FamilyOf(handle);
  const std::string directory = WithoutTrailingSlashes(path);
  MutexLock one_at_a_time(&checkpoint_mutex_);
  std::string scratch;
  TAMIS_RETURN_IF_ERROR(ScratchFor(directory, &scratch));
  metadata->db_comparator_name = family->fixed_options().comparator->Name();
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  TAMIS_RETURN_IF_ERROR(
      write_path_.Flush({family}, /*wait=*/true, FlushReason::kGetLiveFiles));
  if (family->dropped()) return Status::ColumnFamilyDropped(family->name());
  VersionPtr version = family->version();
  std::optional<ObsoleteFiles::Hold> hold(&obsolete_);
  Status status;
  {
    MutexUnlock unlock(&mutex_);
    status = WriteExport(*version, scratch, directory, metadata);
    if (status.ok()) {
      status = PublishCheckpoint(scratch, directory);
    } else {
      RemoveTree(context_.fs(), scratch).PermitUncheckedError();
    }
  }
  hold.reset();
  for (LiveFileMetaData& file : metadata->files) {
    file.column_family_name = family->name();
  }
  context_.event_log->Event("family_exported")
      .Add("family", Slice(family->name()))
      .Add("directory", Slice(directory))
      .Add("tables", metadata->files.size())
      .Add("status", status);
  version.reset();
  scheduler_.PurgeObsoleteFiles();
  return status;
}

// Flushes all families if the logs exceed log_size_for_flush or a write was not
// logged. Sets *flushed to a sequence number up to which all entries are then
// in tables or logs.
Status DBImpl::FlushBeforeCheckpoint(uint64_t log_size_for_flush,
                                     SequenceNumber* flushed) {
  const Families all = *versions_.families().view();
  {
    WriteBarrier barrier(&write_path_.queue(), context_.runner());
    TAMIS_RETURN_IF_ERROR(write_path_.ResumeIfDue());
    *flushed = versions_.last_sequence();
    if (!write_path_.has_unlogged() &&
        wal_.TotalBytes() <= log_size_for_flush) {
      return Status::OK();
    }
    TAMIS_RETURN_IF_ERROR(
        write_path_.SwitchUnflushed(all, FlushReason::kGetLiveFiles));
  }
  return write_path_.WaitForFlushes(all);
}

}  // namespace tamis
