// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_ldb/database.h"

#include <sstream>
#include <utility>

#include "tamis/filter_policy.h"
#include "tamis/slice_transform.h"
#include "tamis/table.h"
#include "tamis/utilities/db_ttl.h"
#include "tamis/utilities/merge_operators.h"
#include "tamis/utilities/options_util.h"
#include "tamis/write_buffer_manager.h"

#include "db/base/file_names.h"
#include "db/base/table_paths.h"
#include "db/manifest/manifest_state.h"
#include "tools/tamis_ldb/flags.h"
#include "tools/tool_file_system.h"
#include "tools/tool_main.h"
#include "util/coding/printable.h"

namespace tamis {

namespace {

const Comparator* ComparatorOf(const std::string& name) {
  for (const Comparator* comparator :
       {BytewiseComparator(), ReverseBytewiseComparator()}) {
    if (name == comparator->Name()) return comparator;
  }
  return nullptr;
}

CompressionType CompressionOf(const std::string& name) {
  if (name == "snappy") return kSnappyCompression;
  if (name == "lz4") return kLZ4Compression;
  if (name == "lz4hc") return kLZ4HCCompression;
  return name == "zstd" ? kZSTD : kNoCompression;
}

// The sizes are unknown: what the tool compacts by itself goes to the last.
std::vector<DbPath> PathsOfFlag() {
  std::vector<DbPath> paths;
  std::istringstream names(FLAGS_db_paths);
  std::string name;
  while (std::getline(names, name, ',')) paths.emplace_back(name, 0);
  return paths;
}

// Sets what the flags say of tables, memtables and directories.
void ApplyFlags(DBOptions* db, ColumnFamilyOptions* family) {
  if (IsGiven("wal_dir")) db->wal_dir = FLAGS_wal_dir;
  if (IsGiven("db_paths")) db->db_paths = PathsOfFlag();
  BlockBasedTableOptions table;
  if (family->table_factory != nullptr) {
    const auto* loaded =
        family->table_factory->GetOptions<BlockBasedTableOptions>();
    if (loaded != nullptr) table = *loaded;
  }
  if (IsGiven("bloom_bits")) {
    table.filter_policy.reset(FLAGS_bloom_bits > 0
                                  ? NewBloomFilterPolicy(FLAGS_bloom_bits)
                                  : nullptr);
  }
  if (IsGiven("block_size")) table.block_size = FLAGS_block_size;
  family->table_factory.reset(NewBlockBasedTableFactory(table));
  if (IsGiven("compression_type")) {
    family->compression = CompressionOf(FLAGS_compression_type);
    family->compression_per_level.clear();
    family->bottommost_compression = kDisableCompressionOption;
  }
  if (IsGiven("compression_max_dict_bytes")) {
    family->compression_opts.max_dict_bytes =
        static_cast<uint32_t>(FLAGS_compression_max_dict_bytes);
  }
  if (FLAGS_fix_prefix_len > 0) {
    family->prefix_extractor.reset(
        NewFixedPrefixTransform(static_cast<size_t>(FLAGS_fix_prefix_len)));
  }
  if (IsGiven("file_size")) family->target_file_size_base = FLAGS_file_size;
  if (IsGiven("write_buffer_size")) {
    family->write_buffer_size = FLAGS_write_buffer_size;
  }
  if (IsGiven("auto_compaction")) {
    family->disable_auto_compactions = !FLAGS_auto_compaction;
  }
  if (IsGiven("db_write_buffer_size")) {
    db->db_write_buffer_size = static_cast<size_t>(FLAGS_db_write_buffer_size);
  }
}

// Takes the options of the newest OPTIONS file, except for wal_dir. A file that
// cannot be used is an error if --try_load_options is given, else a remark.
Status LoadOptions(DBOptions* db,
                   std::vector<ColumnFamilyDescriptor>* families) {
  ConfigOptions config;
  config.ignore_unknown_options = FLAGS_ignore_unknown_options;
  config.file_system = ToolFileSystem();
  DBOptions loaded;
  std::vector<ColumnFamilyDescriptor> stored;
  const Status status = LoadLatestOptions(config, FLAGS_db, &loaded, &stored);
  if (!status.ok()) {
    if (IsGiven("try_load_options")) return status;
    if (!status.IsNotFound()) Remark("options not used: " + status.ToString());
    return Status::OK();
  }
  TAMIS_RETURN_IF_ERROR(CheckLogsAreNamed(loaded.wal_dir));
  loaded.error_if_exists = false;
  loaded.file_system = db->file_system;
  loaded.wal_dir = db->wal_dir;    // the flag's
  loaded.db_paths = db->db_paths;  // the flag's
  *db = loaded;
  for (ColumnFamilyDescriptor& family : *families) {
    for (const ColumnFamilyDescriptor& other : stored) {
      if (other.name != family.name) continue;
      // The MANIFEST and the flags name these.
      const Comparator* const comparator = family.options.comparator;
      const auto merge_operator = family.options.merge_operator;
      family.options = other.options;
      family.options.comparator = comparator;
      if (merge_operator != nullptr) {
        family.options.merge_operator = merge_operator;
      }
      ApplyFlags(db, &family.options);
    }
  }
  return Status::OK();
}

// With create_if_missing, the database need not exist yet.
Result<std::vector<ColumnFamilyDescriptor>> FamiliesToOpen(
    const Options& options) {
  auto families = ListedFamilies();
  if (families.ok() || !options.create_if_missing) return families;
  std::vector<ColumnFamilyDescriptor> fresh;
  fresh.emplace_back(kDefaultColumnFamilyName, options);
  return fresh;
}

int Use(DB* db, const std::vector<ColumnFamilyHandle*>& handles,
        const std::function<int(DB*, ColumnFamilyHandle*)>& use) {
  for (ColumnFamilyHandle* handle : handles) {
    if (handle->GetName() == FLAGS_column_family) return use(db, handle);
  }
  return Failed(Status::InvalidArgument("there is no column family " +
                                        FLAGS_column_family));
}

}  // namespace

Result<Options> OptionsFromFlags() {
  Options options;
  options.file_system = ToolFileSystem();
  ApplyFlags(&options, &options);
  if (FLAGS_comparator == "reverse") {
    options.comparator = ReverseBytewiseComparator();
  }
  if (!FLAGS_merge_operator.empty()) {
    options.merge_operator =
        MergeOperators::CreateFromName(FLAGS_merge_operator);
    if (options.merge_operator == nullptr) {
      return Status::InvalidArgument("unknown --merge_operator " +
                                     FLAGS_merge_operator);
    }
  }
  return options;
}

Result<ColumnFamilyOptions> FamilyOptions(const std::string& comparator) {
  auto options = OptionsFromFlags();
  if (!options.ok()) return options.status();
  if (!comparator.empty()) options->comparator = ComparatorOf(comparator);
  if (options->comparator == nullptr) {
    return Status::NotSupported("this tool has no comparator " +
                                Printable(comparator));
  }
  return ColumnFamilyOptions(*options);
}

Result<std::vector<ColumnFamilyDescriptor>> ListedFamilies() {
  const auto manifest = ReadManifest(ToolFileSystem().get(), FLAGS_db);
  if (!manifest.ok()) return manifest.status();
  std::vector<ColumnFamilyDescriptor> families;
  for (const auto& [id, family] : manifest->families) {
    auto options = FamilyOptions(family.comparator);
    if (!options.ok()) return options.status();
    families.emplace_back(family.name, *options);
  }
  return families;
}

std::string TableFileOf(const FileMetaData& table) {
  const TablePaths paths(FLAGS_db, PathsOfFlag());
  const TablePaths::Directory& directory = paths.directory(table.path_id);
  return TableFileName(directory != nullptr ? *directory : FLAGS_db,
                       table.number);
}

Status CheckLogsAreNamed(const std::string& recorded) {
  if (IsGiven("wal_dir") || SeparateDirectory(FLAGS_db, recorded).empty()) {
    return Status::OK();
  }
  return Status::InvalidArgument(
      "DBOptions::wal_dir",
      "the newest OPTIONS file says that the logs are in " + recorded +
          "; give --wal_dir with their directory, or --wal_dir= for those in " +
          FLAGS_db);
}

namespace {

Status OpenAs(Access access, const DBOptions& options,
              const std::vector<ColumnFamilyDescriptor>& families,
              std::vector<ColumnFamilyHandle*>* handles,
              std::unique_ptr<DB>* db) {
  const bool reads = access == Access::kRead;
  if (reads && !FLAGS_secondary_path.empty()) {
    if (FLAGS_ttl) {
      return Status::InvalidArgument(
          "--ttl and --secondary_path exclude each other");
    }
    return DB::OpenAsSecondary(options, FLAGS_db, FLAGS_secondary_path,
                               families, handles, db);
  }
  if (FLAGS_ttl) {
    DBWithTTL* opened = nullptr;
    // Nothing expires while the command runs.
    const Status status =
        DBWithTTL::Open(options, FLAGS_db, families, handles, &opened,
                        std::vector<int32_t>(families.size(), 0), reads);
    db->reset(opened);
    return status;
  }
  return reads ? DB::OpenForReadOnly(options, FLAGS_db, families, handles, db)
               : DB::Open(options, FLAGS_db, families, handles, db);
}

}  // namespace

int WithDatabase(Access access,
                 const std::function<int(DB*, ColumnFamilyHandle*)>& use,
                 const std::function<void(ColumnFamilyOptions*)>& adjust) {
  auto options = OptionsFromFlags();
  if (!options.ok()) return Misused(options.status().message());
  options->create_if_missing =
      access == Access::kCreate && FLAGS_create_if_missing;
  auto families = FamiliesToOpen(*options);
  if (!families.ok()) return Failed(families.status());
  DBOptions db_options = *options;
  const bool exists =
      ToolFileSystem()->FileExists(CurrentFileName(FLAGS_db)).ok();
  if (FLAGS_try_load_options && exists) {
    const Status loaded = LoadOptions(&db_options, &*families);
    if (!loaded.ok()) return Failed(loaded);
  }
  db_options.create_if_missing = options->create_if_missing;
  for (ColumnFamilyDescriptor& family : *families) {
    if (adjust && family.name == FLAGS_column_family) adjust(&family.options);
  }
  std::unique_ptr<DB> db;
  std::vector<ColumnFamilyHandle*> handles;
  const Status opened = OpenAs(access, db_options, *families, &handles, &db);
  if (!opened.ok()) return Failed(opened);
  const int code = Use(db.get(), handles, use);
  for (ColumnFamilyHandle* handle : handles) delete handle;
  const Status closed = db->Close();
  return code == kExitRight && !closed.ok() ? Failed(closed) : code;
}

}  // namespace tamis
