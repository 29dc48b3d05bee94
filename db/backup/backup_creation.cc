// SPDX-License-Identifier: Apache-2.0
#include "db/backup/backup_creation.h"

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "tamis/clock.h"
#include "tamis/db.h"

#include "db/base/file_names.h"
#include "table/table_salvage.h"
#include "util/base/exceptions.h"
#include "util/coding/printable.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

// Keeps the files of the database as long as it lives.
class FileDeletionsDisabled {
 public:
  explicit FileDeletionsDisabled(DB* db) : db_(*db) {}
  ~FileDeletionsDisabled() {
    if (!disabled_) return;
    IgnoreExceptions([&] { db_.EnableFileDeletions().PermitUncheckedError(); });
  }
  FileDeletionsDisabled(const FileDeletionsDisabled&) = delete;
  FileDeletionsDisabled& operator=(const FileDeletionsDisabled&) = delete;

  Status Disable() {
    Status status = db_.DisableFileDeletions();
    disabled_ = status.ok();
    return status;
  }

 private:
  DB& db_;
  bool disabled_ = false;
};

// Returns the session that wrote the table, or an empty string.
Result<std::string> SessionOf(FileSystem* fs, const std::string& path) {
  uint64_t size = 0;
  TAMIS_RETURN_IF_ERROR(fs->GetFileSize(path, &size));
  std::unique_ptr<RandomAccessFile> file;
  TAMIS_RETURN_IF_ERROR(file_io::Open(fs, path, &file));
  const KeyOrder order(BytewiseComparator());
  TableContext context(order);
  context.file_name = path;
  const auto properties =
      TableSalvage::ReadProperties(std::move(file), size, context);
  if (!properties.ok()) return properties.status();
  return (*properties)->db_session_id;
}

std::string SourcePath(const LiveFileStorageInfo& file) {
  return file.directory + "/" + file.relative_filename;
}

}  // namespace

Result<BackupMeta> BackupCreation::Run(DB* db, BackupID id, bool flush) {
  const Options options = db->GetOptions();
  db_fs_ = options.file_system;
  checksums_ = options.file_checksum_gen_factory;

  FileDeletionsDisabled kept(db);
  TAMIS_RETURN_IF_ERROR(kept.Disable());
  BackupMeta meta;
  meta.sequence_number = db->GetLatestSequenceNumber();
  LiveFilesStorageInfoOptions list;
  list.include_checksum_info = true;
  list.wal_size_for_flush = flush ? 0 : std::numeric_limits<uint64_t>::max();
  std::vector<LiveFileStorageInfo> files;
  TAMIS_RETURN_IF_ERROR(db->GetLiveFilesStorageInfo(list, &files));
  meta.timestamp = static_cast<int64_t>(options.clock->NowMicros() / 1'000'000);
  if (!options_.backup_log_files) {
    std::erase_if(files, [](const LiveFileStorageInfo& file) {
      return file.file_type == kWalFile;
    });
  }

  TAMIS_RETURN_IF_ERROR(directory_.fs()->CreateDirIfMissing(
      directory_.PathOf(BackupDirectory::PrivateFolder(id))));
  meta.files.resize(files.size());
  TAMIS_RETURN_IF_ERROR(copier_.Run(files.size(), [&](size_t i) {
    return Take(files[i], id, &meta.files[i]);
  }));
  if (options_.sync) TAMIS_RETURN_IF_ERROR(Sync(id));
  return meta;
}

Status BackupCreation::Sync(BackupID id) const {
  std::vector<std::string> folders = {BackupDirectory::PrivateFolder(id),
                                      "private"};
  if (options_.share_table_files) {
    folders.emplace_back(options_.share_files_with_checksum ? "shared_checksum"
                                                            : "shared");
  }
  for (const std::string& folder : folders) {
    TAMIS_RETURN_IF_ERROR(
        file_io::SyncDirectory(directory_.fs(), directory_.PathOf(folder)));
  }
  return Status::OK();
}

Status BackupCreation::Take(const LiveFileStorageInfo& from, BackupID id,
                            BackupFile* file) {
  const bool table = from.file_type == kTableFile;
  if (table && options_.share_table_files) {
    std::string path;
    std::optional<uint32_t> crc32c;
    TAMIS_RETURN_IF_ERROR(NameShared(from, &path, &crc32c));
    return TakeShared(from, path, crc32c, file);
  }
  // Tables of LevelDB get RocksDB's name.
  file->path = BackupDirectory::PrivateFolder(id) +
               (table ? TableFileName("", FileNumber(from.file_number))
                      : "/" + from.relative_filename);
  return Copy(from, file->path, file);
}

Status BackupCreation::NameShared(const LiveFileStorageInfo& from,
                                  std::string* path,
                                  std::optional<uint32_t>* crc32c) {
  const FileNumber number(from.file_number);
  if (!options_.share_files_with_checksum) {
    *path = TableFileName("shared", number);
    return Status::OK();
  }
  const uint32_t naming = options_.share_files_with_checksum_naming;
  std::string session;
  if ((naming & BackupEngineOptions::kMaskNoNamingFlags) ==
      BackupEngineOptions::kUseDbSessionId) {
    auto found = SessionOf(db_fs_.get(), SourcePath(from));
    if (!found.ok()) return found.status();
    session = std::move(found).value();
  }
  const std::string size = "_" + std::to_string(from.size);
  std::string unique;
  if (session.empty()) {
    crc32c->emplace();
    TAMIS_RETURN_IF_ERROR(copier_.Read(
        {db_fs_.get(), SourcePath(from), from.size}, &crc32c->value()));
    unique = "_" + std::to_string(**crc32c) + size;
  } else {
    unique = "_s" + session;
    if ((naming & BackupEngineOptions::kFlagIncludeFileSize) != 0) {
      unique += size;
    }
  }
  *path = TableFileName("shared_checksum", number);
  path->insert(path->rfind('.'), unique);
  return Status::OK();
}

std::optional<uint32_t> BackupCreation::KnownCrc32c(
    const std::string& path) const {
  const auto known = known_.find(path);
  return known != known_.end() ? known->second : std::nullopt;
}

Status BackupCreation::TakeShared(const LiveFileStorageInfo& from,
                                  const std::string& path,
                                  std::optional<uint32_t> crc32c,
                                  BackupFile* file) {
  FileSystem* const fs = directory_.fs();
  const std::string there = directory_.PathOf(path);
  file->path = path;
  file->size = from.size;
  uint64_t size = 0;
  const Status found = fs->GetFileSize(there, &size);
  if (!found.ok() && !found.IsPathNotFound()) return found;
  if (found.ok() && size == from.size) {
    std::optional<uint32_t> known = KnownCrc32c(path);
    // The name says what the contents are, if it is by more than the number.
    const bool same = known && options_.share_files_with_checksum &&
                      (!crc32c || *crc32c == *known);
    if (!same && !crc32c) {
      crc32c.emplace();
      TAMIS_RETURN_IF_ERROR(
          copier_.Read({db_fs_.get(), SourcePath(from), from.size}, &*crc32c));
    }
    if (!known) {
      known.emplace();
      TAMIS_RETURN_IF_ERROR(copier_.Read({fs, there, size}, &*known));
    }
    file->crc32c = known;
    if (same || *crc32c == *known) return Status::OK();
  }
  if (found.ok() && !options_.share_files_with_checksum) {
    return Status::Corruption(
        there, "another table than " + SourcePath(from) +
                   " has this name; set share_files_with_checksum");
  }
  // It is missing, or damaged.
  const size_t slash = path.find('/') + 1;
  std::string scratch = path;
  scratch.insert(slash, ".");
  scratch += ".tmp";
  TAMIS_RETURN_IF_ERROR(Copy(from, scratch, file));
  return fs->RenameFile(directory_.PathOf(scratch), there);
}

Status BackupCreation::Copy(const LiveFileStorageInfo& from,
                            const std::string& to, BackupFile* file) {
  file->size = from.size;
  file->crc32c.emplace();
  const std::string path = directory_.PathOf(to);
  if (!from.replacement_contents.empty()) {
    return copier_.Write(from.replacement_contents, directory_.fs(), path,
                         &*file->crc32c);
  }
  const std::string source = SourcePath(from);
  std::unique_ptr<FileChecksumMaker> checksum;
  const std::string& function = from.file_checksum_func_name;
  if (!function.empty() && function != kUnknownFileChecksumFuncName) {
    auto made = FileChecksumMaker::Make(checksums_.get(), source, function);
    if (made.ok()) checksum = std::move(made).value();
  }
  // A log may still have zeros behind its records, which nothing needs.
  const bool trim = from.trim_to_size || from.file_type == kWalFile;
  TAMIS_RETURN_IF_ERROR(copier_.Copy({db_fs_.get(), source, from.size, trim},
                                     directory_.fs(), path, checksum.get(),
                                     &*file->crc32c));
  if (checksum == nullptr) return Status::OK();
  const auto computed = checksum->Finish();
  if (!computed.ok()) return computed.status();
  if (computed->value == from.file_checksum) return Status::OK();
  return Status::Corruption(
      source, "its " + function + " is " + PrintableHex(computed->value) +
                  ", the MANIFEST has " + PrintableHex(from.file_checksum));
}

}  // namespace tamis
