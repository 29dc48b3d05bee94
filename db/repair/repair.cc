// SPDX-License-Identifier: Apache-2.0
#include "db/repair/repair.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "db/base/db_options.h"
#include "db/base/file_names.h"
#include "db/base/numbers.h"
#include "db/base/options_files.h"
#include "db/base/table_file.h"
#include "db/base/table_paths.h"
#include "db/manifest/table_path.h"
#include "db/options/options_file.h"
#include "db/recovery/create_database.h"
#include "db/recovery/recovery.h"
#include "db/recovery/table_directories.h"
#include "db/recovery/wal_directory.h"
#include "db/repair/repair_families.h"
#include "db/repair/repair_files.h"
#include "db/repair/repair_logs.h"
#include "db/repair/repair_manifest.h"
#include "db/repair/repair_tables.h"
#include "db/repair/replaced_files.h"
#include "db/version/version_builder.h"
#include "db/wal/write_batch_internal.h"
#include "table/unique_id.h"
#include "util/base/exceptions.h"
#include "util/coding/printable.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

struct Tally {
  uint64_t tables_kept = 0;      // may still be merged
  uint64_t tables_salvaged = 0;  // partly or completely lost
  uint64_t tables_merged = 0;
  uint64_t tables_missing = 0;  // but listed in the MANIFEST
  uint64_t entries_saved = 0;   // from damaged tables
  uint64_t bytes_lost = 0;      // of tables and logs
  uint64_t log_records = 0;
  uint64_t prepared_lost = 0;  // transactions: their logs are in lost/
  uint64_t files_moved = 0;
};

// Returns whether LevelDB wrote the MANIFEST. The start of a broken MANIFEST of
// RocksDB may look like LevelDB's until it lists a table.
bool IsLevelDBs(const FoundManifest& manifest) {
  if (!manifest.state.leveldb || manifest.whole) return manifest.state.leveldb;
  for (const auto& [id, family] : manifest.state.families) {
    for (const auto& files : family.files) {
      if (!files.empty() && !files[0].seqnos_known) return true;
    }
  }
  return false;
}

std::set<FileNumber> NumbersOf(const ManifestState& manifest) {
  std::set<FileNumber> numbers;
  for (const auto& [id, family] : manifest.families) {
    for (const auto& files : family.files) {
      for (const FileMetaData& file : files) numbers.insert(file.number);
    }
  }
  return numbers;
}

class Repair {
 public:
  explicit Repair(RepairRequest request);

  Status Run();

 private:
  Status RunLocked();
  Status CheckLogs();
  Status UseTableDirectories();
  Status BuildTree();
  Status TakeTables();
  Status TakeTable(RepairFamily* family, const FileMetaData& listed,
                   std::optional<Level> level);
  Status SalvageTable(RepairFamily* family, const FileMetaData& damaged,
                      std::optional<Level> level, const Status& why);
  Status ReplayLogs();
  Status Place(RepairFamily* family);
  Status WriteManifest();
  void RemoveOwn(FileNumber number);

  FileNumber NewNumber() {
    created_.insert(next_number_);
    return next_number_++;
  }

  RepairRequest request_;
  DBContext context_;
  std::unique_ptr<FileLock> lock_;
  std::unique_ptr<FileLock> wal_lock_;
  TableDirectories table_directories_{context_};
  FoundFiles found_;
  RepairFamilies families_{context_, request_, found_};
  RepairWriter writer_{context_, [this] { return NewNumber(); }};
  std::set<FileNumber> used_;     // found tables that remain
  std::set<FileNumber> created_;  // tables
  FileNumber next_number_{1};
  FileNumber manifest_number_;
  SequenceNumber last_sequence_ = 0;
  Tally tally_;
};

Repair::Repair(RepairRequest request) : request_(std::move(request)) {
  request_.options = CompleteOptions(request_.options);
  const auto complete = [this](const ColumnFamilyOptions& options) {
    return CompleteOptions(WithDatabaseDefaults(options, request_.options));
  };
  request_.unknown_family = complete(request_.unknown_family);
  for (ColumnFamilyDescriptor& family : request_.families) {
    family.options = complete(family.options);
  }
  context_.directory = WithoutTrailingSlashes(request_.directory);
  context_.options = request_.options;
  context_.wal_dir =
      SeparateDirectory(context_.directory, request_.options.wal_dir);
  std::vector<ColumnFamilyDescriptor> families = request_.families;
  families.emplace_back("", request_.unknown_family);
  context_.table_directories =
      SeparateTableDirectories(context_.directory, context_.options, families);
  // A table must not look damaged because it cannot be read directly.
  context_.options.allow_mmap_reads = false;
  context_.options.use_direct_reads = false;
  context_.options.use_direct_io_for_flush_and_compaction = false;
}

Status Repair::Run() {
  TAMIS_RETURN_IF_ERROR(
      context_.fs()->LockFile(LockFileName(context_.directory), &lock_));
  TAMIS_RETURN_IF_ERROR(PrepareWalDirectory(context_, &wal_lock_));
  context_.event_log =
      std::make_unique<EventLog>(request_.options, context_.directory);
  context_.session_id = NewSessionId();
  context_.event_log->Event("repair_start")
      .Add("directory", Slice(context_.directory));
  const Status status = RunLocked();
  context_.event_log->Event("repair_end")
      .Add("status", status)
      .Add("tables_kept", tally_.tables_kept)
      .Add("tables_salvaged", tally_.tables_salvaged)
      .Add("tables_merged", tally_.tables_merged)
      .Add("tables_missing", tally_.tables_missing)
      .Add("entries_saved", tally_.entries_saved)
      .Add("log_records", tally_.log_records)
      .Add("bytes_lost", tally_.bytes_lost)
      .Add("prepared_lost", tally_.prepared_lost)
      .Add("files_moved", tally_.files_moved);
  return status;
}

Status Repair::RunLocked() {
  auto found = FindFiles(context_);
  if (!found.ok()) return found.status();
  found_ = std::move(found).value();
  auto manifest = FindManifest(context_, found_);
  if (!manifest.ok()) return manifest.status();
  if (IsLevelDBs(*manifest) && !request_.options.upgrade_leveldb) {
    return Status::NotSupported(
        context_.directory,
        "it is a LevelDB database: set DBOptions::upgrade_leveldb to repair it "
        "as a RocksDB database, which LevelDB cannot open");
  }
  next_number_ =
      std::max(found_.largest_number.Next(), manifest->state.next_file_number);
  TAMIS_RETURN_IF_ERROR(CheckNumbersLeft(context_.directory, next_number_));
  TAMIS_RETURN_IF_ERROR(
      ChooseCopies(context_,
                   ListedInPaths(context_.directory, context_.options,
                                 request_.families, manifest->state),
                   NumbersOf(manifest->state), manifest->whole, &found_));
  TAMIS_RETURN_IF_ERROR(families_.Find(std::move(manifest).value()));
  TAMIS_RETURN_IF_ERROR(LoadIdentity(&context_));
  const std::string& listed = families_.manifest().db_id;
  if (!listed.empty()) context_.db_id = listed;
  TAMIS_RETURN_IF_ERROR(CheckLogs());
  TAMIS_RETURN_IF_ERROR(UseTableDirectories());
  const Status status = BuildTree();
  if (!status.ok()) {
    // No MANIFEST lists the new tables.
    for (const FileNumber number : created_) RemoveOwn(number);
    return status;
  }
  TAMIS_RETURN_IF_ERROR(NameRepairedManifest(context_, manifest_number_));
  // Before logs are moved, whose owner it tells.
  TAMIS_RETURN_IF_ERROR(StoreIdentity(&context_, /*sync=*/true));
  TAMIS_RETURN_IF_ERROR(ClaimWalDirectory(context_));
  std::set<std::string> names;
  for (const auto& [id, family] : families_.all()) {
    names.insert(family.family->name());
  }
  const auto moved = SetAsideReplaced(context_, found_, used_, names);
  if (!moved.ok()) return moved.status();
  tally_.files_moved = *moved;
  return SetCurrentFile(context_.fs(), context_.directory, manifest_number_);
}

// Logs elsewhere may hold writes that the repair must not miss.
Status Repair::CheckLogs() {
  const auto listing = ListDirectory(context_);
  if (!listing.ok()) return listing.status();
  std::string recorded;
  if (!found_.options.empty()) {
    const auto text =
        ReadStoredOptions(context_.fs(), context_.directory + "/" +
                                             found_.options.rbegin()->second);
    if (!text.ok()) return text.status();
    recorded = WalDirOf(*text);
  }
  return CheckWalDirectory(
      context_,
      families_.manifest_is_whole() ? families_.manifest() : ManifestState(),
      *listing, recorded);
}

// Without a whole MANIFEST, all tables found count as listed.
Status Repair::UseTableDirectories() {
  if (context_.table_directories.empty()) return Status::OK();
  ListedTables listed;
  if (families_.manifest_is_whole()) {
    listed = ListedInPaths(context_.directory, context_.options,
                           request_.families, families_.manifest());
  } else {
    for (const auto& [number, table] : found_.tables) {
      if (table.directory != nullptr) listed[*table.directory].insert(number);
    }
  }
  // Before there is a table whose owner it tells.
  TAMIS_RETURN_IF_ERROR(StoreIdentity(&context_, /*sync=*/true));
  return table_directories_.Use(context_.table_directories, listed);
}

Status Repair::BuildTree() {
  TAMIS_RETURN_IF_ERROR(TakeTables());
  TAMIS_RETURN_IF_ERROR(ReplayLogs());
  for (auto& [id, family] : families_.all()) {
    TAMIS_RETURN_IF_ERROR(Place(&family));
  }
  return WriteManifest();
}

Status Repair::TakeTables() {
  for (const auto& [id, plain] : families_.manifest().families) {
    const auto family = families_.all().find(id);
    if (family == families_.all().end()) continue;
    for (const Level level : kLevels) {
      for (const FileMetaData& file : plain.files[level]) {
        if (found_.tables.contains(file.number)) {
          TAMIS_RETURN_IF_ERROR(TakeTable(&family->second, file, level));
          continue;
        }
        if (file.path_id >= family->second.family->tables().paths().size()) {
          return Status::InvalidArgument(
              TableFileName(context_.directory, file.number),
              "it is missing" + HintOfPath(file));
        }
        ++tally_.tables_missing;
        context_.event_log->Event("repair_table_missing")
            .Add("file", file.number.value())
            .Add("level", static_cast<uint64_t>(level.value()))
            .Add("bytes", file.size);
      }
    }
  }
  if (families_.manifest_is_whole()) return Status::OK();
  for (const auto& [number, owner] : families_.owners()) {
    RepairFamily* const family = families_.FamilyOf(owner);
    if (family == nullptr) continue;
    TAMIS_RETURN_IF_ERROR(TakeTable(
        family, MetaOf(number, found_.tables.at(number)), std::nullopt));
  }
  return Status::OK();
}

// Returns whether the contents found can belong to the listed table. If not,
// another table has its name, and the listed level does not apply.
bool IsOfListed(const KeyOrder& order, const FileMetaData& listed,
                const FileMetaData& found) {
  const bool has_bounds = listed.smallest.size() >= kInternalKeyTailBytes &&
                          listed.largest.size() >= kInternalKeyTailBytes;
  return has_bounds && order.Compare(listed.smallest, found.smallest) <= 0 &&
         order.Compare(found.largest, listed.largest) <= 0 &&
         (!listed.seqnos_known ||
          (listed.smallest_seqno <= found.smallest_seqno &&
           found.largest_seqno <= listed.largest_seqno));
}

Status Repair::TakeTable(RepairFamily* family, const FileMetaData& listed,
                         std::optional<Level> level) {
  FileMetaData meta = listed;
  const FoundTable& found = found_.tables.at(listed.number);
  const uint64_t size = found.size;
  meta.size = std::min(meta.size, size);
  meta.directory = found.directory;
  const auto path = family->family->tables().paths().Find(found.directory);
  if (!path) {
    return Status::InvalidArgument(
        TablePath(context_, meta),
        "its directory is none of those of column family " +
            Printable(family->family->name()) +
            ": add it to the end of DBOptions::db_paths, or of cf_paths of the "
            "family, or move the table to one of them");
  }
  meta.path_id = *path;
  const auto scan = ScanTable(*family->family, meta, SequenceGap());
  if (!scan.ok()) return scan.status();
  if (!scan->status.ok() || size != listed.size) {
    return SalvageTable(family, meta, level, scan->status);
  }
  used_.insert(listed.number);
  ++tally_.tables_kept;
  const bool same = IsOfListed(family->family->order(), listed, scan->meta);
  family->tables.push_back(
      {.meta = same && listed.seqnos_known ? meta : scan->meta,
       .level = same ? level : std::nullopt});
  return Status::OK();
}

Status Repair::SalvageTable(RepairFamily* family, const FileMetaData& damaged,
                            std::optional<Level> level, const Status& why) {
  auto salvaged =
      writer_.Salvage(*family->family, damaged, level.value_or(kLevelZero));
  if (!salvaged.ok()) return salvaged.status();
  ++tally_.tables_salvaged;
  tally_.entries_saved += salvaged->facts.entries;
  tally_.bytes_lost += salvaged->facts.bytes_lost;
  context_.event_log->Event("repair_table_salvaged")
      .Add("file", damaged.number.value())
      .Add("status", why)
      .Add("entries", salvaged->facts.entries)
      .Add("blocks", salvaged->facts.blocks)
      .Add("blocks_lost", salvaged->facts.blocks_lost)
      .Add("bytes_lost", salvaged->facts.bytes_lost)
      .Add("index_lost", uint64_t{salvaged->facts.index_lost})
      .Add("tombstones_lost", uint64_t{salvaged->facts.tombstones_lost})
      .Add("into", salvaged->tables.empty()
                       ? uint64_t{0}
                       : salvaged->tables[0].number.value());
  for (FileMetaData& meta : salvaged->tables) {
    const bool same = IsOfListed(family->family->order(), damaged, meta);
    family->tables.push_back(
        {.meta = std::move(meta), .level = same ? level : std::nullopt});
  }
  return Status::OK();
}

Status Repair::ReplayLogs() {
  RepairLogs logs(
      context_,
      [this](FamilyId id, FileNumber number) {
        return families_.FamilyOfChange(id, number);
      },
      [this](const ColumnFamily& family, std::unique_ptr<MemTable> memtable) {
        auto tables = writer_.Write(family, *memtable);
        if (!tables.ok()) return tables.status();
        for (FileMetaData& meta : *tables) {
          families_.all()
              .at(family.id())
              .tables.push_back(
                  {.meta = std::move(meta), .level = std::nullopt});
        }
        return Status::OK();
      });
  for (const FileNumber number : found_.logs) {
    if (!families_.NeedsLog(number)) continue;
    const auto log = logs.Replay(number);
    if (!log.ok()) return log.status();
    tally_.log_records += log->records;
    tally_.bytes_lost += log->bytes_lost;
    context_.event_log->Event("repair_log")
        .Add("file", number.value())
        .Add("records", log->records)
        .Add("changes", log->changes)
        .Add("damages", log->damages)
        .Add("bytes_lost", log->bytes_lost)
        .Add("status", log->first_damage);
  }
  for (const auto& [id, changes] : logs.prepared()) {
    ++tally_.prepared_lost;
    context_.event_log->Event("repair_prepared_lost")
        .Add("id", Slice(Printable(id)))
        .Add("changes", uint64_t{WriteBatchInternal::Count(changes)});
  }
  last_sequence_ = logs.last_sequence();
  return logs.Finish();
}

Status Repair::Place(RepairFamily* family) {
  const KeyOrder& order = family->family->order();
  std::vector<RepairTable> placed;
  for (const RepairRun& run : PlanRepair(order, family->tables)) {
    if (run.tables.size() == 1) {
      placed.push_back(std::move(family->tables[run.tables[0]]));
      placed.back().level = run.level;
      continue;
    }
    std::vector<FileMetaData> inputs;
    for (const size_t i : run.tables) inputs.push_back(family->tables[i].meta);
    auto outputs = writer_.Merge(*family->family, inputs, run.level);
    if (!outputs.ok()) return outputs.status();
    auto line = context_.event_log->Event("repair_merge");
    line.Add("level", static_cast<uint64_t>(run.level.value()))
        .Add("tables", uint64_t{inputs.size()})
        .Add("into", uint64_t{outputs->size()});
    tally_.tables_merged += inputs.size();
    for (const FileMetaData& input : inputs) {
      used_.erase(input.number);
      if (created_.contains(input.number)) RemoveOwn(input.number);
    }
    for (FileMetaData& meta : *outputs) {
      placed.push_back({.meta = std::move(meta), .level = run.level});
    }
  }
  family->tables = std::move(placed);
  NumberEpochs(&family->tables);
  VersionEdit edit;
  for (const RepairTable& table : family->tables) {
    edit.new_files.emplace_back(table.level.value(), table.meta);
    last_sequence_ = std::max(last_sequence_, table.meta.largest_seqno);
  }
  VersionBuilder builder(order, &family->family->tables(), nullptr);
  TAMIS_RETURN_IF_ERROR(builder.Apply(edit));
  return builder.Build().status();
}

Status Repair::WriteManifest() {
  last_sequence_ = std::max(last_sequence_, families_.manifest().last_sequence);
  RepairCounters counters;
  counters.log_number = next_number_++;
  counters.manifest_number = manifest_number_ = next_number_++;
  counters.next_file_number = next_number_;
  counters.last_sequence = last_sequence_;
  counters.max_column_family = std::max(families_.manifest().max_column_family,
                                        families_.all().rbegin()->first);
  return WriteRepairedManifest(context_, families_.all(), counters,
                               !families_.manifest().db_id.empty());
}

void Repair::RemoveOwn(FileNumber number) {
  const auto remove = [&](const std::string& directory) {
    RemoveTableFile(context_, TableFileName(directory, number))
        .PermitUncheckedError();
  };
  remove(context_.directory);
  for (const std::string& directory : context_.table_directories) {
    remove(directory);
  }
}

}  // namespace

Status RepairDirectory(RepairRequest request) {
  return CatchExceptions([&] {
    TAMIS_RETURN_IF_ERROR(CheckDBOptions(request.options));
    const auto check = [&request](const ColumnFamilyOptions& options) {
      return CheckFamilyOptions(WithDatabaseDefaults(options, request.options));
    };
    TAMIS_RETURN_IF_ERROR(check(request.unknown_family));
    for (const ColumnFamilyDescriptor& family : request.families) {
      TAMIS_RETURN_IF_ERROR(check(family.options));
    }
    return Repair(std::move(request)).Run();
  });
}

Status RepairDB(const std::string& name, const Options& options) {
  return RepairDB(name, options, {}, options);
}

Status RepairDB(const std::string& name, const DBOptions& options,
                const std::vector<ColumnFamilyDescriptor>& families) {
  return RepairDB(name, options, families, ColumnFamilyOptions());
}

Status RepairDB(const std::string& name, const DBOptions& options,
                const std::vector<ColumnFamilyDescriptor>& families,
                const ColumnFamilyOptions& unknown_family) {
  return CatchExceptions([&] {
    return RepairDirectory({.directory = name,
                            .options = options,
                            .families = families,
                            .unknown_family = unknown_family});
  });
}

}  // namespace tamis
