// SPDX-License-Identifier: Apache-2.0
#include "db/recovery.h"

#include <algorithm>
#include <utility>

#include "db/file_names.h"
#include "db/log_reader.h"
#include "db/log_writer.h"
#include "db/lost_edits.h"
#include "db/version_builder.h"
#include "db/version_edit.h"

namespace tamis {

namespace {

Result<std::unique_ptr<LogReader>> OpenManifest(const DBContext& context,
                                                const std::string& name) {
  const auto parsed = ParseFileName(name);
  const std::string path = context.directory + "/" + name;
  std::unique_ptr<SequentialFile> file;
  const Status status = context.fs()->NewSequentialFile(path, &file);
  if (status.IsPathNotFound()) {
    return Status::Corruption(CurrentFileName(context.directory),
                              "it names " + name + ", which does not exist");
  }
  if (!status.ok()) return status;
  return std::make_unique<LogReader>(
      std::move(file), path, parsed ? parsed->number : 0, LogKind::kManifest);
}

// Collects what the edits of a MANIFEST say of the default family and of the
// database, and refuses what this release cannot keep up.
class ManifestReplay {
 public:
  ManifestReplay(const DBContext& context, ColumnFamily* family)
      : context_(context),
        family_(*family),
        builder_(family->order(), &family->tables(), nullptr) {}

  Status Apply(const VersionEdit& edit) {
    TAMIS_RETURN_IF_ERROR(CheckSupported(edit));
    if (edit.log_number) log_number_ = std::max(log_number_, edit.log_number);
    if (edit.next_file_number) next_file_number_ = edit.next_file_number;
    if (edit.last_sequence) last_sequence_ = edit.last_sequence;
    if (edit.prev_log_number) prev_log_number_ = *edit.prev_log_number;
    if (edit.min_log_number_to_keep) {
      min_log_to_keep_ =
          std::max(min_log_to_keep_, *edit.min_log_number_to_keep);
    }
    if (edit.db_id) db_id_ = *edit.db_id;
    return builder_.Apply(edit);
  }

  // Groups are applied whole or, at the end of the file, not at all.
  Status Add(VersionEdit edit) {
    if (!edit.atomic_group_remaining) {
      if (!group_.empty()) return BrokenGroup();
      return Apply(edit);
    }
    const uint32_t remaining = *edit.atomic_group_remaining;
    if (!group_.empty() &&
        *group_.back().atomic_group_remaining != remaining + 1) {
      return BrokenGroup();
    }
    group_.push_back(std::move(edit));
    if (remaining != 0) return Status::OK();
    for (const VersionEdit& member : std::exchange(group_, {})) {
      TAMIS_RETURN_IF_ERROR(Apply(member));
    }
    return Status::OK();
  }

  Status InstallInto(const DirectoryListing& listing, VersionSet* versions);

  const std::string& db_id() const { return db_id_; }

 private:
  static Status BrokenGroup() {
    return Status::Corruption("corrupted atomic group",
                              "its records do not count down to 0");
  }

  Status CheckSupported(const VersionEdit& edit) const {
    if (edit.comparator &&
        *edit.comparator != context_.options.comparator->Name()) {
      return Status::InvalidArgument(
          std::string("comparator ") + context_.options.comparator->Name(),
          "the database was made with " + *edit.comparator);
    }
    if (!edit.unsupported.empty()) {
      std::string all = edit.unsupported[0];
      for (size_t i = 1; i < edit.unsupported.size(); ++i) {
        all += ", " + edit.unsupported[i];
      }
      return Status::NotSupported("the MANIFEST needs " + all);
    }
    if (edit.column_family != 0 || edit.column_family_add) {
      return Status::InvalidArgument(
          "Column families not opened",
          edit.column_family_add.value_or("id " +
                                          std::to_string(edit.column_family)));
    }
    for (const auto& [level, file] : edit.new_files) {
      if (!file.seqnos_known) {
        return Status::NotSupported(
            "table " + std::to_string(file.number) +
                " is listed without sequence numbers",
            "the directory is LevelDB's; this release opens RocksDB's");
      }
    }
    return Status::OK();
  }

  VersionPtr WithEpochs(const Version& version) const;

  const DBContext& context_;
  ColumnFamily& family_;
  VersionBuilder builder_;
  std::optional<uint64_t> log_number_;
  std::optional<uint64_t> next_file_number_;
  std::optional<SequenceNumber> last_sequence_;
  uint64_t prev_log_number_ = 0;
  uint64_t min_log_to_keep_ = 0;
  std::string db_id_;
  std::vector<VersionEdit> group_;
};

// Releases before 7.10 wrote no epochs. Where one is missing all are numbered
// anew by age: one per level from the deepest up, then one per file of level
// 0, oldest first.
VersionPtr ManifestReplay::WithEpochs(const Version& version) const {
  Version::Levels levels;
  uint64_t epoch = 1;
  for (int level = kNumLevels - 1; level >= 0; --level) {
    LevelFiles files = version.files(level);
    if (level == 0) std::reverse(files.begin(), files.end());
    for (const TableFilePtr& file : files) {
      FileMetaData meta = file->meta;
      meta.epoch_number = epoch;
      if (level == 0) ++epoch;
      levels[static_cast<size_t>(level)].push_back(
          std::make_shared<const TableFile>(std::move(meta)));
    }
    if (level > 0 && !files.empty()) ++epoch;
  }
  std::reverse(levels[0].begin(), levels[0].end());
  return std::make_shared<const Version>(family_.order(), &family_.tables(),
                                         std::move(levels));
}

bool AnyEpochMissing(const Version& version) {
  for (int level = 0; level < kNumLevels; ++level) {
    for (const TableFilePtr& file : version.files(level)) {
      if (file->meta.epoch_number == 0) return true;
    }
  }
  return false;
}

SequenceNumber LargestSequence(const Version& version) {
  SequenceNumber largest = 0;
  for (int level = 0; level < kNumLevels; ++level) {
    for (const TableFilePtr& file : version.files(level)) {
      largest = std::max(largest, file->meta.largest_seqno);
    }
  }
  return largest;
}

Status ManifestReplay::InstallInto(const DirectoryListing& listing,
                                   VersionSet* versions) {
  const char* missing = !log_number_         ? "log number"
                        : !next_file_number_ ? "next file number"
                        : !last_sequence_    ? "last sequence"
                                             : nullptr;
  if (missing != nullptr) {
    return Status::Corruption(std::string("no record gives the ") + missing);
  }
  auto built = builder_.Build();
  if (!built.ok()) return built.status();
  VersionPtr version = std::move(built).value();
  if (AnyEpochMissing(*version)) version = WithEpochs(*version);

  family_.InstallVersion(version);
  family_.set_log_number(*log_number_);
  versions->set_min_log_number_to_keep(min_log_to_keep_);
  // Below a table's sequence it would hide the newest versions.
  versions->PublishSequence(
      std::max(*last_sequence_, LargestSequence(*version)));
  versions->RaiseFileNumberAbove(*next_file_number_);
  versions->RaiseFileNumberAbove(*log_number_);
  versions->RaiseFileNumberAbove(prev_log_number_);
  versions->RaiseFileNumberAbove(listing.largest_number);
  return Status::OK();
}

// "<manifest>: at offset N: <what>", with the code kept.
Status InManifest(const std::string& name, uint64_t offset,
                  const Status& status) {
  const std::string where =
      name + ": record at offset " + std::to_string(offset);
  switch (status.code()) {
    case Status::kInvalidArgument:
      return Status::InvalidArgument(where, status.message());
    case Status::kNotSupported:
      return Status::NotSupported(where, status.message());
    case Status::kIOError:
      return status;
    default:
      return Status::Corruption(where, status.message());
  }
}

// The table is there, in the exact size that the MANIFEST gives.
Status CheckSize(const DBContext& context, const std::string& manifest,
                 const FileMetaData& meta) {
  const std::string path = TableFileName(context.directory, meta.number);
  uint64_t size = 0;
  Status status = context.fs()->GetFileSize(path, &size);
  if (status.IsPathNotFound()) {
    const Status other = context.fs()->GetFileSize(
        LevelDBTableFileName(context.directory, meta.number), &size);
    status = other.IsPathNotFound()
                 ? Status::Corruption(path, manifest + " lists it with " +
                                                std::to_string(meta.size) +
                                                " bytes, but it is missing")
                 : other;
  }
  TAMIS_RETURN_IF_ERROR(status);
  if (size != meta.size) {
    return Status::Corruption(
        path, "expected " + std::to_string(meta.size) + " bytes (" + manifest +
                  "), the file has " + std::to_string(size) + " bytes");
  }
  return Status::OK();
}

// Every table can be read by this release: what cannot is to be refused before
// anything in the directory is changed. Where only so many may be open, only
// so many are opened: opening takes far longer than asking for a size.
Status CheckTables(const DBContext& context, const std::string& manifest,
                   const ColumnFamily& family) {
  const VersionPtr version = family.version();
  size_t to_open = context.open_tables != nullptr ? context.open_tables->limit()
                                                  : version->NumFiles();
  for (int level = 0; level < kNumLevels; ++level) {
    for (const TableFilePtr& file : version->files(level)) {
      TAMIS_RETURN_IF_ERROR(CheckSize(context, manifest, file->meta));
      if (to_open == 0) continue;
      --to_open;
      TAMIS_RETURN_IF_ERROR(family.tables().Reader(*file).status());
    }
  }
  return Status::OK();
}

}  // namespace

Status CreateDatabase(const DBContext& context) {
  constexpr uint64_t kFirstManifest = 1;
  VersionEdit edit;
  edit.comparator = context.options.comparator->Name();
  edit.log_number = 0;
  edit.prev_log_number = 0;
  edit.next_file_number = kFirstManifest + 1;
  edit.last_sequence = 0;
  std::string record;
  edit.EncodeTo(&record);

  TAMIS_RETURN_IF_ERROR(
      SetIdentityFile(context.fs(), context.directory, context.db_id));
  std::unique_ptr<WritableFile> file;
  TAMIS_RETURN_IF_ERROR(context.fs()->NewWritableFile(
      DescriptorFileName(context.directory, kFirstManifest), &file));
  LogWriter log(std::move(file), kFirstManifest);
  TAMIS_RETURN_IF_ERROR(log.AddRecord(record));
  TAMIS_RETURN_IF_ERROR(log.Sync());
  TAMIS_RETURN_IF_ERROR(log.Close());
  TAMIS_RETURN_IF_ERROR(context.fs()->SyncDirectory(context.directory));
  return SetCurrentFile(context.fs(), context.directory, kFirstManifest);
}

Result<DirectoryListing> ListDirectory(const DBContext& context) {
  std::vector<std::string> names;
  TAMIS_RETURN_IF_ERROR(context.fs()->GetChildren(context.directory, &names));
  DirectoryListing listing;
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (!file) continue;
    switch (file->type) {
      case FileType::kLog:
        listing.logs.push_back(file->number);
        break;
      case FileType::kTable:
        listing.tables.push_back(file->number);
        break;
      case FileType::kDescriptor:
        listing.manifests.push_back(file->number);
        break;
      case FileType::kCurrent:
        listing.has_current = true;
        continue;
      case FileType::kInfoLog:
      case FileType::kIdentity:
      case FileType::kLock:
        continue;  // their numbers, if any, are not from the counter
      default:
        break;
    }
    listing.largest_number = std::max(listing.largest_number, file->number);
  }
  std::sort(listing.logs.begin(), listing.logs.end());
  std::sort(listing.tables.begin(), listing.tables.end());
  std::sort(listing.manifests.begin(), listing.manifests.end());
  return listing;
}

bool IsInterruptedCreation(const DBContext& context,
                           const DirectoryListing& listing) {
  if (listing.has_current || !listing.logs.empty() || !listing.tables.empty()) {
    return false;
  }
  // At most the first MANIFEST, of which no byte speaks of a table: it is
  // small, and every record in it decodes.
  if (listing.manifests.empty()) return true;
  if (listing.manifests != std::vector<uint64_t>{1}) return false;
  auto reader = OpenManifest(context, "MANIFEST-000001");
  if (!reader.ok()) return false;
  std::string record;
  LogReader::Outcome outcome;
  while ((outcome = (*reader)->ReadRecord(&record)) ==
         LogReader::Outcome::kRecord) {
    const auto edit = VersionEdit::Decode(record);
    if (!edit.ok() || !edit->new_files.empty()) return false;
  }
  return outcome != LogReader::Outcome::kCorrupt;
}

Result<RecoveredManifest> ReplayManifest(const DBContext& context,
                                         const DirectoryListing& listing,
                                         VersionSet* versions) {
  auto current = ReadCurrentFile(context.fs(), context.directory);
  if (!current.ok()) return current.status();
  auto reader = OpenManifest(context, *current);
  if (!reader.ok()) return reader.status();

  const std::string path = context.directory + "/" + *current;
  ManifestReplay replay(context, &versions->default_family());
  std::string record;
  LogReader::Outcome outcome;
  while ((outcome = (*reader)->ReadRecord(&record)) ==
         LogReader::Outcome::kRecord) {
    auto edit = VersionEdit::Decode(record);
    const Status status =
        edit.ok() ? replay.Add(std::move(edit).value()) : edit.status();
    if (!status.ok()) {
      return InManifest(path, (*reader)->record_offset(), status);
    }
  }
  if (outcome == LogReader::Outcome::kCorrupt) return (*reader)->status();
  RecoveredManifest recovered;
  recovered.torn_tail = outcome == LogReader::Outcome::kTornTail;
  if (recovered.torn_tail) {
    context.event_log->Event("manifest_torn_tail")
        .Add("file", Slice(*current))
        .Add("offset", (*reader)->record_offset())
        .Add("bytes", (*reader)->bytes_dropped());
  }
  recovered.db_id = replay.db_id();
  const Status status = replay.InstallInto(listing, versions);
  if (!status.ok()) {
    return InManifest(path, (*reader)->record_offset(), status);
  }
  const ColumnFamily& family = versions->default_family();
  TAMIS_RETURN_IF_ERROR(CheckTables(context, path, family));
  TAMIS_RETURN_IF_ERROR(
      CheckForLostEdits(context, listing, *versions, family, path));
  return recovered;
}

}  // namespace tamis
