// SPDX-License-Identifier: Apache-2.0
//
// CreateColumnFamilyWithImport makes a family of tables that a checkpoint
// exported:
//
//   check them ─▶ link or copy, sync ─▶ sync the directory ─▶ [ raise the
//   sequence numbers ─▶ sync the log ─▶ MANIFEST: the family and its tables, as
//   one ─▶ visible ] ─▶ remove old names
//
// The call leads the write queue in brackets. All writes have lower sequence
// numbers than the imported tables, or higher ones than the database had before
// them: none falls between.
#include <algorithm>
#include <utility>

#include "db/base/db_options.h"
#include "db/base/table_paths.h"
#include "db/db_impl.h"
#include "db/external_file.h"
#include "db/manifest/table_extent.h"
#include "db/manifest/table_path.h"
#include "db/manifest/taken_tables.h"
#include "db/recovery/recovery.h"
#include "db/version/version_builder.h"
#include "table/unique_id.h"
#include "util/coding/printable.h"
#include "util/io/file_io.h"

namespace tamis {

struct DBImpl::Import {
  const ColumnFamilyOptions& options;
  const std::string& name;
  bool move_files;
  std::vector<ExternalFile> files = {};
  std::vector<Level> levels = {};  // of the files

  SequenceNumber LastSequence() const {
    SequenceNumber last = 0;
    for (const ExternalFile& file : files) {
      last = std::max(last, file.meta.largest_seqno);
    }
    return last;
  }
};

namespace {

// Of imported tables. It leaves 2^55 to the database.
constexpr SequenceNumber kSequenceMax = kMaxSequenceNumber / 2;

std::string PathOf(const LiveFileMetaData& file) {
  const std::string& directory =
      file.db_path.empty() ? file.directory : file.db_path;
  const std::string& name =
      file.name.empty() ? file.relative_filename : file.name;
  return directory + (name.starts_with('/') ? "" : "/") + name;
}

Status CheckListed(const std::string& path, const LiveFileMetaData& file,
                   int num_levels) {
  if (file.level < 0 || file.level >= num_levels) {
    return Status::InvalidArgument(
        path, "it is of level " + std::to_string(file.level) +
                  ", and Options::num_levels is " + std::to_string(num_levels));
  }
  if (file.smallest_seqno > file.largest_seqno ||
      file.largest_seqno > kSequenceMax) {
    return Status::InvalidArgument(
        path, "its sequence numbers are said to go from " +
                  std::to_string(file.smallest_seqno) + " to " +
                  std::to_string(file.largest_seqno));
  }
  return Status::OK();
}

// Returns whether the sequence number can be one of the table.
Status CheckListedSequence(const std::string& path, const FileMetaData& meta,
                           SequenceNumber sequence) {
  if (meta.smallest_seqno <= sequence && sequence <= meta.largest_seqno) {
    return Status::OK();
  }
  return Status::Corruption(
      path, "it has sequence number " + std::to_string(sequence) +
                ", but is said to have those from " +
                std::to_string(meta.smallest_seqno) + " to " +
                std::to_string(meta.largest_seqno));
}

// Returns the part of the tombstone between the listed user keys. RocksDB cuts
// a tombstone by the bounds of its table alone; each table of a level may store
// all of it.
RangeTombstone Clipped(const KeyOrder& order, RangeTombstone tombstone,
                       const LiveFileMetaData& file) {
  if (order.CompareUserKeys(tombstone.begin, file.smallestkey) < 0) {
    tombstone.begin = file.smallestkey;
  }
  if (order.CompareUserKeys(tombstone.end, file.largestkey) > 0) {
    tombstone.end = file.largestkey;
  }
  return tombstone;
}

// Sets the key bounds to those of the list. It has internal keys, or user keys
// from which the table's entries and tombstones tell them.
Status SetBounds(const std::string& path, const KeyOrder& order,
                 const LiveFileMetaData& file, const TableReader& reader,
                 FileMetaData* meta) {
  TableExtent extent(order);
  const auto it = reader.NewIterator(ReadContext::PastTheCache());
  for (const bool last : {false, true}) {
    if (last) {
      it->SeekToLast();
    } else {
      it->SeekToFirst();
    }
    TAMIS_RETURN_IF_ERROR(it->status());
    if (!it->Valid()) continue;
    ParsedInternalKey key;
    if (!ParseInternalKey(it->key(), &key)) {
      return Status::Corruption(path, "an entry is of no known type");
    }
    TAMIS_RETURN_IF_ERROR(CheckListedSequence(path, *meta, key.sequence));
    extent.AddEntry(it->key());
  }
  ParsedInternalKey key;
  const bool has_bounds = ParseInternalKey(file.smallest, &key) &&
                          ParseInternalKey(file.largest, &key);
  if (has_bounds && !extent.empty() &&
      (order.Compare(extent.smallest(), file.smallest) < 0 ||
       order.Compare(extent.largest(), file.largest) > 0)) {
    return Status::Corruption(path, "it has entries beyond the listed bounds");
  }
  const auto tombstones = reader.ReadRangeTombstones();
  if (!tombstones.ok()) return tombstones.status();
  for (const RangeTombstone& tombstone : *tombstones) {
    TAMIS_RETURN_IF_ERROR(CheckListedSequence(path, *meta, tombstone.sequence));
    if (!has_bounds && file.largestkey.empty()) {
      return Status::InvalidArgument(
          path, "it has range deletions, but the list has no bounds of it");
    }
    extent.AddTombstone(has_bounds ? tombstone
                                   : Clipped(order, tombstone, file));
  }
  if (extent.empty()) {
    return Status::InvalidArgument(path, "it contains no entries");
  }
  meta->smallest = has_bounds ? file.smallest : extent.smallest();
  meta->largest = has_bounds ? file.largest : extent.largest();
  return Status::OK();
}

Result<ExternalFile> ReadImportedFile(const DBContext& context,
                                      const ColumnFamilyOptions& options,
                                      const LiveFileMetaData& file) {
  ExternalFile external;
  external.path = PathOf(file);
  external.source = external.path;
  const std::string& path = external.path;
  TAMIS_RETURN_IF_ERROR(CheckListed(
      path, file,
      CompleteOptions(WithDatabaseDefaults(options, context.options))
          .num_levels));
  FileMetaData& meta = external.meta;
  TAMIS_RETURN_IF_ERROR(context.fs()->GetFileSize(path, &meta.size));
  if (file.size != 0 && file.size != meta.size) {
    return Status::Corruption(path, "it has " + std::to_string(meta.size) +
                                        " bytes, expected " +
                                        std::to_string(file.size));
  }
  meta.smallest_seqno = file.smallest_seqno;
  meta.largest_seqno = file.largest_seqno;
  meta.epoch_number = EpochNumber(file.epoch_number);
  meta.file_creation_time = file.file_creation_time;
  meta.oldest_ancestor_time = file.oldest_ancester_time;
  if (!file.file_checksum.empty()) {
    external.given = {file.file_checksum, file.file_checksum_func_name};
  }
  TableContext table{KeyOrder(options.comparator)};
  table.file_name = path;
  if (options.table_factory != nullptr) {
    table.max_decompressed_block_bytes =
        options.table_factory->block_based_options()
            .max_decompressed_block_bytes;
  }
  table.skip_filters = true;
  table.largest_seqno = meta.largest_seqno;
  std::unique_ptr<RandomAccessFile> in;
  TAMIS_RETURN_IF_ERROR(file_io::Open(
      context.fs(), path, FileOptionsForOnePass(context.options), &in));
  const auto reader = TableReader::Open(std::move(in), meta.size, table);
  if (!reader.ok()) return reader.status();
  TAMIS_RETURN_IF_ERROR(SetBounds(path, table.order, file, **reader, &meta));
  TAMIS_RETURN_IF_ERROR((*reader)->VerifyChecksums());
  external.properties = (*reader)->properties();
  meta.num_entries = external.properties->num_entries;
  meta.unique_id = TableUniqueId(*external.properties);
  return external;
}

}  // namespace

// Makes copies or links durable, under the numbers of the files.
Status DBImpl::TakeImport(Import* import, TakenTables* names) {
  const ColumnFamilyOptions options =
      WithDatabaseDefaults(import->options, context_.options);
  TAMIS_RETURN_IF_ERROR(UseTableDirectoriesOf({import->name, options}));
  const TablePaths paths(context_.directory, options.cf_paths);
  for (ExternalFile& file : import->files) {
    file.meta.directory = paths.directory(0);
    bool linked = false;
    TAMIS_RETURN_IF_ERROR(names->LinkOrCopy(file.source, file.meta,
                                            import->move_files,
                                            /*may_copy=*/true, &linked));
    const auto& factory = context_.options.file_checksum_gen_factory;
    if (factory == nullptr) {
      file.meta.checksum = file.given;
      continue;
    }
    // Only a checksum of the database's own function can be compared.
    auto verified = SetFileChecksum(context_, /*verify=*/true, &file);
    if (verified.IsInvalidArgument()) {
      file.given = {};
      verified = SetFileChecksum(context_, /*verify=*/true, &file);
    }
    TAMIS_RETURN_IF_ERROR(verified);
  }
  return file_io::SyncDirectory(
      context_.fs(), TableDirectory(context_, import->files.front().meta));
}

// Returns the family with its tables, which is not yet one of the database.
Result<ColumnFamilyPtr> DBImpl::FamilyOfImport(const Import& import) {
  auto family = std::make_shared<ColumnFamily>(
      context_, versions_.families().max_id().Next(), import.name,
      CompleteOptions(WithDatabaseDefaults(import.options, context_.options)));
  family->set_log_number(wal_.number());
  const SequenceNumber last =
      std::max(import.LastSequence(), write_path_.last_allocated());
  family->SwitchMemTable(family->NewMemTable(last + 1, wal_.number()));
  const bool any_unknown = std::any_of(
      import.files.begin(), import.files.end(), [](const ExternalFile& file) {
        return file.meta.epoch_number == kUnknownEpoch;
      });
  VersionEdit edit;
  for (size_t i = 0; i < import.files.size(); ++i) {
    FileMetaData meta = import.files[i].meta;
    if (any_unknown) meta.epoch_number = kUnknownEpoch;
    edit.new_files.emplace_back(import.levels[i], std::move(meta));
  }
  VersionBuilder builder(family->order(), &family->tables(), nullptr);
  TAMIS_RETURN_IF_ERROR(builder.Apply(edit));
  auto version = builder.Build();
  if (!version.ok()) return version.status();
  VersionPtr known = WithKnownEpochs(*family, std::move(version).value());
  family->RaiseEpochAbove(known->LargestEpoch());
  family->InstallVersion(std::move(known));
  return ColumnFamilyPtr(std::move(family));
}

Status DBImpl::ImportFamilyLed(const Import& import, TakenTables* names,
                               ColumnFamilyPtr* family) {
  WriteBarrier barrier(&write_path_.queue(), context_.runner());
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  TAMIS_RETURN_IF_ERROR(write_path_.ResumeIfDue());
  if (versions_.families().Find(import.name) != nullptr) {
    return Status::InvalidArgument("Column family already exists",
                                   Printable(import.name));
  }
  TAMIS_RETURN_IF_ERROR(CheckFamilyIdLeft());
  auto made = FamilyOfImport(import);
  if (!made.ok()) return made.status();
  const SequenceNumber last = import.LastSequence();
  if (last > write_path_.last_allocated()) {
    TAMIS_RETURN_IF_ERROR(
        write_path_.AllocateSequences(last - write_path_.last_allocated())
            .status());
  }
  // A power failure must not leave the family without the writes before it.
  TAMIS_RETURN_IF_ERROR(FlushLogLed(/*sync=*/true));
  // Whether an edit that failed is on the device is unknown, so the files
  // remain; if no MANIFEST lists them, the next open removes them.
  names->Keep();
  const Status status =
      versions_.AddFamily(*made, write_path_.last_allocated());
  context_.event_log->Event("family_imported")
      .Add("family", Slice(import.name))
      .Add("id", (*made)->id().value())
      .Add("tables", import.files.size())
      .Add("status", status);
  if (!status.ok()) {
    errors_.Set("import_family", status);
    return status;
  }
  versions_.PublishSequence(write_path_.last_allocated());
  LogFamilyOptions(context_.event_log.get(), import.name,
                   WithDatabaseDefaults(import.options, context_.options));
  write_path_.FamiliesChanged();
  scheduler_.MaybeSchedule();
  scheduler_.changed().notify_all();
  *family = std::move(made).value();
  return Status::OK();
}

Status DBImpl::CreateColumnFamilyWithImport(
    const ColumnFamilyOptions& options, const std::string& family_name,
    const ImportColumnFamilyOptions& import_options,
    const ExportImportFilesMetaData& metadata, ColumnFamilyHandle** handle) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  TAMIS_RETURN_IF_ERROR(
      CheckFamilyOptions(WithDatabaseDefaults(options, context_.options)));
  if (metadata.files.empty()) {
    return Status::InvalidArgument("CreateColumnFamilyWithImport",
                                   "the list of files is empty");
  }
  if (metadata.db_comparator_name != options.comparator->Name()) {
    return Status::InvalidArgument("CreateColumnFamilyWithImport",
                                   "the files are in the order of comparator " +
                                       Printable(metadata.db_comparator_name) +
                                       ", not of " +
                                       options.comparator->Name());
  }
  Import import{options, family_name, import_options.move_files};
  for (const LiveFileMetaData& listed : metadata.files) {
    auto file = ReadImportedFile(context_, options, listed);
    if (!file.ok()) return file.status();
    import.files.push_back(std::move(file).value());
    import.levels.push_back(Level(listed.level));
  }
  std::vector<ExternalFile*> files;
  for (ExternalFile& file : import.files) files.push_back(&file);
  InDirectory in_directory(this);
  TAMIS_RETURN_IF_ERROR(in_directory.Begin(files));
  TakenTables names(context_);
  TAMIS_RETURN_IF_ERROR(TakeImport(&import, &names));
  {
    MutexLock lock(&mutex_);
    ColumnFamilyPtr family;
    TAMIS_RETURN_IF_ERROR(ImportFamilyLed(import, &names, &family));
    StoreOptions(OptionsChange::kFamilies).PermitUncheckedError();
    *handle = new ColumnFamilyHandleImpl(this, std::move(family));
  }
  if (import.move_files) {
    for (const ExternalFile& file : import.files) RemoveMovedFile(file);
  }
  return Status::OK();
}

}  // namespace tamis
