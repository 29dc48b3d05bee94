// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/recovery.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "db/base/db_options.h"
#include "db/base/numbers.h"
#include "db/manifest/table_path.h"
#include "db/manifest/version_edit.h"
#include "db/recovery/leveldb_directory.h"
#include "db/recovery/lost_edits.h"
#include "db/version/version_builder.h"
#include "util/coding/printable.h"
#include "util/io/descriptor_limit.h"
#include "util/jobs/parallel_for.h"
#include "util/jobs/thread_job_runner.h"

namespace tamis {

std::string HintOfPath(const FileMetaData& listed) {
  if (listed.path_id == 0) return "";
  return "; the MANIFEST says that it is in db_paths[" +
         std::to_string(listed.path_id) +
         "]: set DBOptions::db_paths, or cf_paths of the family, to the "
         "directories with which the table was written, or move the tables of "
         "all of them into the database's directory";
}

namespace {

// Epoch numbers from here to 2^64-2 are replaced when a database is opened, so
// that flushes never reach the largest one, 2^64-1, which is Corruption.
constexpr EpochNumber kKeptEpochMax{uint64_t{1} << 63};

// Returns the version with new epoch numbers by age: one per level from the
// deepest up, then one per level-0 file, oldest first. RocksDB before 7.10
// wrote none.
VersionPtr WithEpochs(const ColumnFamily& family, const Version& version) {
  Version::Levels levels;
  EpochNumber epoch{1};
  for (const Level level : kLevelsDeepestFirst) {
    LevelFiles files = version.files(level);
    if (level == kLevelZero) std::reverse(files.begin(), files.end());
    for (const TableFilePtr& file : files) {
      FileMetaData meta = file->meta;
      meta.epoch_number = epoch;
      if (level == kLevelZero) epoch++;
      levels[level].push_back(
          std::make_shared<const TableFile>(std::move(meta)));
    }
    if (level > kLevelZero && !files.empty()) epoch++;
  }
  std::reverse(levels[kLevelZero].begin(), levels[kLevelZero].end());
  return std::make_shared<const Version>(family.order(), &family.tables(),
                                         std::move(levels));
}

bool AnyEpochMissing(const Version& version) {
  bool missing = false;
  ForEachFile(version, [&](Level, const TableFilePtr& file) {
    missing = missing || file->meta.epoch_number == kUnknownEpoch;
  });
  return missing;
}

// Returns Corruption if the table is missing or has another size than in the
// MANIFEST.
Status CheckSize(const DBContext& context, const std::string& manifest,
                 const FileMetaData& meta) {
  const std::string path = TablePath(context, meta);
  uint64_t size = 0;
  Status status = context.fs()->GetFileSize(path, &size);
  if (status.IsPathNotFound()) {
    const Status other =
        context.fs()->GetFileSize(TableAliasPath(context, meta), &size);
    status =
        other.IsPathNotFound()
            ? Status::Corruption(
                  path, manifest + " lists it at " + std::to_string(meta.size) +
                            " bytes, but it is missing" + HintOfPath(meta))
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

// Returns how many tables of a family an open opens and so checks. A writer in
// another process may remove the tables of an open for reading, which therefore
// opens as many as max_open_files allows. Others are opened when first needed.
size_t TablesToOpen(const DBContext& context, const Version& version) {
  constexpr size_t kFirst = 16;
  const size_t most = context.read_only ? version.NumFiles() : kFirst;
  return context.open_tables == nullptr
             ? most
             : std::min(context.open_tables->limit.load(), most);
}

// Returns the threads that open tables, or nullptr if that is left to the
// caller's: for a few tables, and with a deterministic runner, whose database
// has one thread.
std::shared_ptr<JobRunner> OpeningThreads(const DBContext& context,
                                          size_t tables) {
  constexpr size_t kTablesPerThread = 16;
  const size_t threads =
      std::min(tables / kTablesPerThread,
               static_cast<size_t>(
                   std::max(1, context.options.max_file_opening_threads)));
  if (threads <= 1 || dynamic_cast<const DeterministicJobRunner*>(
                          context.runner()) != nullptr) {
    return nullptr;
  }
  return NewHelperThreads(threads - 1);
}

// Checks the size of every table, and that this release can read the first
// ones, before anything in the directory changes.
Status CheckTables(const DBContext& context, const std::string& manifest,
                   const ColumnFamily& family, const Version& version) {
  std::vector<const TableFile*> files;
  ForEachFile(version, [&files](Level, const TableFilePtr& file) {
    files.push_back(file.get());
  });
  const size_t to_open = TablesToOpen(context, version);
  const std::shared_ptr<JobRunner> threads = OpeningThreads(context, to_open);
  return ParallelFor(threads.get(), files.size(), [&](size_t i) {
    TAMIS_RETURN_IF_ERROR(CheckSize(context, manifest, files[i]->meta));
    return i < to_open ? family.tables().Reader(*files[i]).status()
                       : Status::OK();
  });
}

// Returns IOError if all tables are to be open at once, but the system allows
// fewer descriptors: reads would fail, and so would other parts of the process.
Status CheckDescriptors(const DBContext& context,
                        const std::vector<ColumnFamilyPtr>& families) {
  if (context.open_tables != nullptr ||
      std::string_view(context.fs()->Name()) != NewPosixFileSystem()->Name()) {
    return Status::OK();
  }
  size_t tables = 0;
  for (const ColumnFamilyPtr& family : families) {
    tables += family->version()->NumFiles();
  }
  const uint64_t limit = DescriptorLimit();
  // Logs, tables being written and the rest of the process need some, too.
  const uint64_t reserve = limit / 8;
  if (tables <= limit - reserve) return Status::OK();
  return Status::IOError(
      context.directory,
      "it has " + std::to_string(tables) +
          " tables, and the process may open " + std::to_string(limit) +
          " files, of which " + std::to_string(reserve) +
          " are kept for others: set DBOptions::max_open_files, or raise that "
          "limit");
}

std::string InFamily(const std::string& name) {
  return name == kDefaultColumnFamilyName
             ? ""
             : ", column family " + Printable(name);
}

Status CheckFamily(const std::string& path, const ManifestFamily& listed,
                   const ColumnFamilyOptions& options) {
  if (!listed.unsupported.empty()) {
    return Status::NotSupported(path, listed.unsupported);
  }
  if (!listed.comparator.empty() &&
      listed.comparator != options.comparator->Name()) {
    // RocksDB's text.
    return Status::InvalidArgument(options.comparator->Name(),
                                   "does not match existing comparator " +
                                       Printable(listed.comparator) +
                                       InFamily(listed.name));
  }
  return Status::OK();
}

// Compactions of the options' levels would not reach the tables of others.
Status CheckLevels(const std::string& path, const ManifestFamily& listed,
                   const ColumnFamilyOptions& options) {
  for (const Level level : kLevelsDeepestFirst) {
    if (listed.files[level].empty()) continue;
    // As they are adjusted.
    const int levels = CompleteOptions(options).num_levels;
    if (level.value() < levels) break;
    return Status::InvalidArgument(
        path, "column family " + Printable(listed.name) + " has tables at " +
                  "level " + level.ToString() +
                  ", and Options::num_levels is " + std::to_string(levels) +
                  ": set it to " + level.Next().ToString() + " or more");
  }
  return Status::OK();
}

}  // namespace

SequenceNumber LargestSequence(const Version& version) {
  SequenceNumber largest = 0;
  ForEachFile(version, [&](Level, const TableFilePtr& file) {
    largest = std::max(largest, file->meta.largest_seqno);
  });
  return largest;
}

VersionPtr WithKnownEpochs(const ColumnFamily& family, VersionPtr version) {
  if (!AnyEpochMissing(*version) && version->LargestEpoch() <= kKeptEpochMax) {
    return version;
  }
  return WithEpochs(family, *version);
}

namespace {

// Returns the version that the MANIFEST lists, with the tables of `base` that
// it still lists. `base` may be nullptr.
Result<VersionPtr> BuildVersion(const DBContext& context,
                                const std::string& path,
                                const ColumnFamily& family,
                                const ManifestFamily& listed,
                                const Version* base) {
  std::unordered_map<FileNumber, Level> dropped;
  if (base != nullptr) {
    ForEachFile(*base, [&dropped](Level level, const TableFilePtr& file) {
      dropped.emplace(file->meta.number, level);
    });
  }
  VersionEdit edit;
  for (const Level level : kLevels) {
    for (FileMetaData meta : listed.files[level]) {
      const auto in_base = dropped.find(meta.number);
      if (in_base != dropped.end() && in_base->second == level) {
        dropped.erase(in_base);
        continue;
      }
      meta.directory = family.tables().paths().directory(meta.path_id);
      // The Version has only ids of paths that there are.
      if (!meta.seqnos_known || meta.path_id != 0) {
        TAMIS_RETURN_IF_ERROR(CheckSize(context, path, meta));
      }
      if (!meta.seqnos_known) {
        TAMIS_RETURN_IF_ERROR(ScanSequenceBounds(context, family.order(),
                                                 family.tables(), &meta));
      }
      edit.new_files.emplace_back(level, std::move(meta));
    }
  }
  for (const auto& [number, level] : dropped) {
    edit.deleted_files.emplace_back(level, number);
  }
  VersionBuilder builder(family.order(), &family.tables(), base);
  TAMIS_RETURN_IF_ERROR(builder.Apply(edit));
  auto built = builder.Build();
  if (!built.ok()) return built;
  return WithKnownEpochs(family, std::move(built).value());
}

std::string Joined(const std::vector<std::string>& names) {
  constexpr size_t kNamesMax = 20;
  std::string all;
  for (size_t i = 0; i < std::min(names.size(), kNamesMax); ++i) {
    if (i > 0) all += ", ";
    all += Printable(names[i]);
  }
  if (names.size() > kNamesMax) {
    all += ", ... (" + std::to_string(names.size()) + " in all)";
  }
  return all;
}

using DescriptorsByName =
    std::unordered_map<std::string_view, const ColumnFamilyDescriptor*>;

DescriptorsByName ByName(const std::vector<ColumnFamilyDescriptor>& families) {
  DescriptorsByName by_name;
  for (const ColumnFamilyDescriptor& family : families) {
    by_name.emplace(family.name, &family);
  }
  return by_name;
}

Status CheckNames(const DBContext& context, const ManifestState& manifest,
                  const std::vector<ColumnFamilyDescriptor>& families) {
  const DescriptorsByName by_name = ByName(families);
  std::vector<std::string> not_opened;
  std::unordered_set<std::string_view> listed_names;
  for (const auto& [id, listed] : manifest.families) {
    listed_names.insert(listed.name);
    if (!by_name.contains(listed.name)) not_opened.push_back(listed.name);
  }
  // Unopened families can be read around, but not maintained.
  if (!not_opened.empty() && !context.read_only) {
    return Status::InvalidArgument("Column families not opened",
                                   Joined(not_opened));
  }
  std::vector<std::string> not_found;
  for (const ColumnFamilyDescriptor& family : families) {
    if (!listed_names.contains(family.name)) not_found.push_back(family.name);
  }
  const bool may_create =
      context.options.create_missing_column_families && !context.read_only;
  return not_found.empty() || may_create
             ? Status::OK()
             : Status::InvalidArgument("Column family not found",
                                       Joined(not_found));
}

}  // namespace

Status WithPlace(const std::string& place, const Status& status) {
  switch (status.code()) {
    case Status::kIOError:
      return status;
    case Status::kNotSupported:
      return Status::NotSupported(place, status.message());
    case Status::kInvalidArgument:
      return Status::InvalidArgument(place, status.message());
    default:
      return Status::Corruption(place, status.message());
  }
}

Status CheckNumbersLeft(const std::string& directory, FileNumber next) {
  constexpr FileNumber kNextMax{4'000'000'000'000'000'000};
  static_assert(kNextMax < kFileNumberMax);
  if (next <= kNextMax) return Status::OK();
  return Status::Corruption(
      directory, "expected file numbers below " + kNextMax.ToString() +
                     ", got " + std::to_string(next.value() - 1) +
                     " in the MANIFEST or in the name of a file: move that "
                     "file away");
}

Status CheckManifest(const DBContext& context, const ManifestState& manifest,
                     const std::vector<ColumnFamilyDescriptor>& families) {
  if (manifest.leveldb && !context.read_only &&
      !context.options.upgrade_leveldb) {
    return Status::NotSupported(
        context.directory,
        "it is a LevelDB database: open it with OpenForReadOnly, or set "
        "DBOptions::upgrade_leveldb, after which LevelDB cannot open it");
  }
  const std::string path = context.directory + "/" + manifest.name;
  TAMIS_RETURN_IF_ERROR(CheckNames(context, manifest, families));
  const DescriptorsByName by_name = ByName(families);
  for (const auto& [id, listed] : manifest.families) {
    const auto descriptor = by_name.find(listed.name);
    if (descriptor == by_name.end()) continue;
    TAMIS_RETURN_IF_ERROR(
        CheckFamily(path, listed, descriptor->second->options));
    if (context.read_only) continue;
    TAMIS_RETURN_IF_ERROR(
        CheckLevels(path, listed, descriptor->second->options));
  }
  return Status::OK();
}

Status InstallManifest(const DBContext& context, const ManifestState& manifest,
                       const DirectoryListing& listing,
                       const std::vector<ColumnFamilyDescriptor>& families,
                       VersionSet* versions) {
  const std::string path = context.directory + "/" + manifest.name;
  versions->families().RaiseMaxId(manifest.max_column_family);
  SequenceNumber last_sequence = manifest.last_sequence;
  versions->RaiseFileNumberAbove(manifest.next_file_number);
  versions->RaiseFileNumberAbove(manifest.prev_log_number);
  versions->RaiseFileNumberAbove(listing.largest_number);
  // Logs below this number are deleted, so new ones must not be below it.
  if (manifest.min_log_number_to_keep != kNoFile) {
    versions->RaiseFileNumberAbove(
        FileNumber(manifest.min_log_number_to_keep.value() - 1));
  }
  versions->set_min_log_number_to_keep(manifest.min_log_number_to_keep);
  const DescriptorsByName by_name = ByName(families);
  std::vector<ColumnFamilyPtr> opened;
  for (const auto& [id, listed] : manifest.families) {
    FileNumber log_number = listed.log_number.value_or(kNoFile);
    // LevelDB may still need the previous log.
    if (manifest.leveldb && manifest.prev_log_number != kNoFile) {
      log_number = std::min(log_number, manifest.prev_log_number);
    }
    versions->RaiseFileNumberAbove(log_number);
    const auto descriptor = by_name.find(listed.name);
    if (descriptor == by_name.end()) continue;
    auto family = std::make_shared<ColumnFamily>(context, id, listed.name,
                                                 descriptor->second->options);
    auto version = BuildVersion(context, path, *family, listed, nullptr);
    if (!version.ok()) return WithPlace(path, version.status());
    // Covers tables that the file system did not list.
    ForEachFile(**version, [versions](Level, const TableFilePtr& file) {
      versions->RaiseFileNumberAbove(file->meta.number);
    });
    // A smaller last_sequence would hide the newest versions.
    last_sequence = std::max(last_sequence, LargestSequence(**version));
    family->InstallVersion(std::move(version).value());
    family->set_log_number(log_number);
    TAMIS_RETURN_IF_ERROR(
        CheckTables(context, path, *family, *family->version()));
    opened.push_back(std::move(family));
  }
  TAMIS_RETURN_IF_ERROR(CheckDescriptors(context, opened));
  versions->families().Add(opened);
  if (!context.read_only) {
    TAMIS_RETURN_IF_ERROR(
        CheckNumbersLeft(context.directory, versions->next_file_number()));
  }
  versions->PublishSequence(last_sequence);
  return CheckForLostEdits(context, listing, *versions, path);
}

Result<VersionPtr> NextVersion(const DBContext& context,
                               const ManifestState& manifest,
                               const ColumnFamily& family,
                               const ManifestFamily& listed,
                               const Version& current) {
  const std::string path = context.directory + "/" + manifest.name;
  if (!listed.unsupported.empty()) {
    return Status::NotSupported(path, listed.unsupported);
  }
  auto version = BuildVersion(context, path, family, listed, &current);
  if (!version.ok()) return WithPlace(path, version.status());
  TAMIS_RETURN_IF_ERROR(CheckTables(context, path, family, **version));
  return version;
}

}  // namespace tamis
