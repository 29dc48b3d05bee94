// SPDX-License-Identifier: Apache-2.0
#include "db/base/db_options.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "db/base/event_log.h"
#include "db/base/numbers.h"
#include "db/base/table_factory_check.h"
#include "db/base/table_paths.h"
#include "db/options/option_fields.h"
#include "filter/filter_placement.h"
#include "table/filter_choice.h"
#include "table/table_builder.h"
#include "util/base/exceptions.h"
#include "util/cache/block_cache.h"
#include "util/coding/printable.h"
#include "util/compression/compression.h"
#include "util/io/chosen_file_system.h"
#include "util/io/file_io.h"
#include "util/io/sst_file_manager.h"
#include "util/jobs/process_job_runner.h"

namespace tamis {

namespace {

// The limits keep numbers of threads reasonable.
constexpr int kBackgroundJobsMax = 1024;
constexpr uint32_t kSubcompactionsMax = 1024;
constexpr uint64_t kCompactionPartsMax = 4096;

// RocksDB's. Each switch of a memtable costs a log and a table.
constexpr size_t kWriteBufferSizeMin = 64 << 10;
constexpr size_t kWriteBufferSizeMax = size_t{64} << 30;

// Moves values into their ranges.
class Adjuster {
 public:
  explicit Adjuster(std::vector<AdjustedOption>* adjusted)
      : adjusted_(adjusted) {}

  template <typename Value>
  void Clamp(const char* name, Value least, Value most, Value* value) {
    const Value given = *value;
    *value = std::clamp(given, least, most);
    if (*value == given || adjusted_ == nullptr) return;
    adjusted_->push_back({name, std::to_string(given), std::to_string(*value)});
  }
  void Raise(const char* name, int least, int* value) {
    Clamp(name, least, std::numeric_limits<int>::max(), value);
  }

 private:
  std::vector<AdjustedOption>* const adjusted_;
};

// The number of parts of compactions that may run at the same time.
// REQUIRES: both options are in their ranges.
uint64_t CompactionParts(const DBOptions& options) {
  return static_cast<uint64_t>(std::max(1, options.max_background_jobs - 1)) *
         options.max_subcompactions;
}

Status OutOfRange(const char* option, const std::string& value,
                  const std::string& allowed) {
  return Status::InvalidArgument(option,
                                 "it is " + value + "; allowed " + allowed);
}

// Returns NotSupported, as RocksDB does, if both options are set.
Status CheckReadModes(const DBOptions& options) {
  if (!options.allow_mmap_reads || !options.use_direct_reads) {
    return Status::OK();
  }
  return Status::NotSupported(
      "DBOptions::allow_mmap_reads",
      "it excludes use_direct_reads; set one of them to false");
}

}  // namespace

DBOptions CompleteOptions(DBOptions options) {
  if (options.env == nullptr) options.env = Env::Default();
  options.file_system = ChosenFileSystem(options.file_system, options.env);
  if (options.write_buffer_manager == nullptr &&
      options.db_write_buffer_size > 0) {
    options.write_buffer_manager =
        std::make_shared<WriteBufferManager>(options.db_write_buffer_size);
  }
  if (options.clock == nullptr) options.clock = NewSystemClock();
  if (options.job_runner == nullptr) {
    // One thread builds a table, one writes its blocks.
    constexpr size_t kThreadsPerTable = 2;
    options.job_runner = ProcessJobRunner(
        kThreadsPerTable, kThreadsPerTable * CompactionParts(options));
  }
  return options;
}

Status CheckCodec(const char* option, CompressionType codec) {
  if (CompressionSupported(codec)) return Status::OK();
  return Status::NotSupported(option, std::string("this build cannot write ") +
                                          CompressionTypeName(codec));
}

ColumnFamilyOptions CompleteOptions(ColumnFamilyOptions options,
                                    std::vector<AdjustedOption>* adjusted) {
  if (options.table_factory == nullptr) {
    options.table_factory.reset(NewBlockBasedTableFactory());
  }
  Adjuster adjuster(adjusted);
  adjuster.Clamp("write_buffer_size", kWriteBufferSizeMin, kWriteBufferSizeMax,
                 &options.write_buffer_size);
  adjuster.Raise("max_write_buffer_number", 2,
                 &options.max_write_buffer_number);
  // If writes stopped before a flush is due, they would wait forever.
  adjuster.Clamp("min_write_buffer_number_to_merge", 1,
                 options.max_write_buffer_number - 1,
                 &options.min_write_buffer_number_to_merge);
  const bool is_leveled = options.compaction_style == kCompactionStyleLevel ||
                          options.compaction_style == kCompactionStyleNone;
  const int levels_min =
      options.cf_allow_ingest_behind ? 3 : (is_leveled ? 2 : 1);
  adjuster.Clamp("num_levels", levels_min, kNumLevels, &options.num_levels);
  // The paths of levels are chosen by static targets.
  adjuster.Clamp("level_compaction_dynamic_level_bytes", false,
                 options.cf_paths.size() <= 1,
                 &options.level_compaction_dynamic_level_bytes);
  if (options.hard_pending_compaction_bytes_limit != 0) {
    uint64_t& soft = options.soft_pending_compaction_bytes_limit;
    const uint64_t hard = options.hard_pending_compaction_bytes_limit;
    adjuster.Clamp("soft_pending_compaction_bytes_limit", uint64_t{0}, hard,
                   &soft);
  }
  // If writes stopped before a compaction is due, they would wait forever.
  adjuster.Raise("level0_file_num_compaction_trigger", 1,
                 &options.level0_file_num_compaction_trigger);
  adjuster.Raise("level0_slowdown_writes_trigger",
                 options.level0_file_num_compaction_trigger,
                 &options.level0_slowdown_writes_trigger);
  // Universal compactions are due for certain only above their trigger.
  const int stop_min =
      options.compaction_style == kCompactionStyleUniversal
          ? std::max(options.level0_slowdown_writes_trigger,
                     options.level0_file_num_compaction_trigger + 1)
          : options.level0_slowdown_writes_trigger;
  adjuster.Raise("level0_stop_writes_trigger", stop_min,
                 &options.level0_stop_writes_trigger);
  return options;
}

namespace {

// Returns the codecs of new tables.
Status CheckCompression(const ColumnFamilyOptions& options) {
  for (const CompressionType codec : options.compression_per_level) {
    TAMIS_RETURN_IF_ERROR(CheckCodec("Options::compression_per_level", codec));
  }
  if (options.bottommost_compression != kDisableCompressionOption) {
    TAMIS_RETURN_IF_ERROR(CheckCodec("Options::bottommost_compression",
                                     options.bottommost_compression));
  }
  return CheckCodec("Options::compression", options.compression);
}

Status CheckUniversalOptions(const CompactionOptionsUniversal& options) {
  if (options.min_merge_width < 2) {
    return OutOfRange("CompactionOptionsUniversal::min_merge_width",
                      std::to_string(options.min_merge_width), "is 2 or more");
  }
  if (options.max_merge_width < options.min_merge_width) {
    return OutOfRange("CompactionOptionsUniversal::max_merge_width",
                      std::to_string(options.max_merge_width),
                      "is min_merge_width, " +
                          std::to_string(options.min_merge_width) +
                          ", or more");
  }
  const int percent = options.compression_size_percent;
  if (percent < -1 || percent > 100) {
    return OutOfRange("CompactionOptionsUniversal::compression_size_percent",
                      std::to_string(percent), "is -1 to 100");
  }
  return Status::OK();
}

// Checks the options of styles and of the shape of levels.
Status CheckCompactionOptions(const ColumnFamilyOptions& options) {
  if (options.compaction_style < kCompactionStyleLevel ||
      options.compaction_style > kCompactionStyleNone) {
    return OutOfRange("Options::compaction_style",
                      std::to_string(int{options.compaction_style}),
                      "is 0 to 3");
  }
  if (options.compaction_pri < kByCompensatedSize ||
      options.compaction_pri > kRoundRobin) {
    return OutOfRange("Options::compaction_pri",
                      std::to_string(int{options.compaction_pri}), "is 0 to 4");
  }
  if (options.cf_allow_ingest_behind &&
      options.compaction_style == kCompactionStyleFIFO) {
    return Status::InvalidArgument(
        "Options::cf_allow_ingest_behind",
        "with kCompactionStyleFIFO, there is no level below the others");
  }
  if (options.target_file_size_multiplier < 1) {
    return OutOfRange("Options::target_file_size_multiplier",
                      std::to_string(options.target_file_size_multiplier),
                      "is 1 or more");
  }
  for (const int more : options.max_bytes_for_level_multiplier_additional) {
    if (more >= 1) continue;
    return OutOfRange("Options::max_bytes_for_level_multiplier_additional",
                      std::to_string(more), "is 1 or more for each level");
  }
  return CheckUniversalOptions(options.compaction_options_universal);
}

template <typename Struct>
void LogIgnored(EventLog* log, const std::string& family, const Struct& given) {
  const Struct defaults;
  for (const OptionField<Struct>& field : OptionTableOf<Struct>().fields) {
    if (!field.is_ignored()) continue;
    const std::string value = field.print(given);
    if (value == field.print(defaults)) continue;
    log->Event("option_ignored")
        .Add("family", Slice(family))
        .Add("option", Slice(field.name.data(), field.name.size()))
        .Add("given", Slice(value));
  }
}

void LogFamilyOptionsOrThrow(EventLog* log, const std::string& family,
                             const ColumnFamilyOptions& given) {
  std::vector<AdjustedOption> adjusted;
  const ColumnFamilyOptions used = CompleteOptions(given, &adjusted);
  for (const AdjustedOption& option : adjusted) {
    log->Event("option_adjusted")
        .Add("family", Slice(family))
        .Add("option", Slice(option.name))
        .Add("given", Slice(option.given))
        .Add("used", Slice(option.used));
  }
  LogIgnored(log, family, given);
  LogIgnored(log, family, used.table_factory->block_based_options());
  const FilterPolicy* const policy =
      used.table_factory->block_based_options().filter_policy.get();
  std::string why;
  if (policy != nullptr &&
      !FiltersApply(KeyOrder(used.comparator), policy, &why)) {
    log->Event("filters_not_used")
        .Add("family", Slice(family))
        .Add("comparator", Slice(used.comparator->Name()))
        .Add("reason", Slice(why));
  }
}

}  // namespace

ColumnFamilyOptions WithDatabaseDefaults(ColumnFamilyOptions options,
                                         const DBOptions& database) {
  if (database.allow_ingest_behind) options.cf_allow_ingest_behind = true;
  if (options.cf_paths.empty()) options.cf_paths = database.db_paths;
  return options;
}

void LogDBOptions(EventLog* log, const DBOptions& given) {
  IgnoreExceptions([&] { LogIgnored(log, /*family=*/"", given); });
}

void LogFamilyOptions(EventLog* log, const std::string& family,
                      const ColumnFamilyOptions& given) {
  IgnoreExceptions([&] { LogFamilyOptionsOrThrow(log, family, given); });
}

Status CheckDBOptions(const DBOptions& options) {
  if (options.max_open_files != -1 && options.max_open_files < 1) {
    return OutOfRange("DBOptions::max_open_files",
                      std::to_string(options.max_open_files),
                      "are -1 (no limit) and 1 or more");
  }
  TAMIS_RETURN_IF_ERROR(CheckReadModes(options));
  TAMIS_RETURN_IF_ERROR(CheckPaths("DBOptions::db_paths", options.db_paths));
  if (options.write_buffer_manager != nullptr &&
      !options.write_buffer_manager->HasUsableCache()) {
    return Status::InvalidArgument(
        "DBOptions::write_buffer_manager",
        "its cache is not made by NewLRUCache, or "
        "by the process that this one was forked from");
  }
  const SstFileManagerImpl* const manager =
      SstFileManagerImpl::Of(options.sst_file_manager.get());
  if (manager != nullptr && !manager->IsUsable()) {
    return Status::InvalidArgument(
        "DBOptions::sst_file_manager",
        "it was made by the process that this one was forked from");
  }
  const CompressionType log_codec = options.wal_compression;
  if (log_codec != kNoCompression && log_codec != kZSTD) {
    return Status::NotSupported("DBOptions::wal_compression",
                                std::string("it is ") +
                                    CompressionTypeName(log_codec) +
                                    "; logs can be compressed with ZSTD alone");
  }
  TAMIS_RETURN_IF_ERROR(CheckCodec("DBOptions::wal_compression", log_codec));
  const int jobs = options.max_background_jobs;
  if (jobs < 1 || jobs > kBackgroundJobsMax) {
    return OutOfRange("DBOptions::max_background_jobs", std::to_string(jobs),
                      "is 1 to " + std::to_string(kBackgroundJobsMax));
  }
  const uint32_t parts = options.max_subcompactions;
  if (parts < 1 || parts > kSubcompactionsMax) {
    return OutOfRange("DBOptions::max_subcompactions", std::to_string(parts),
                      "is 1 to " + std::to_string(kSubcompactionsMax));
  }
  if (options.job_runner == nullptr &&
      CompactionParts(options) > kCompactionPartsMax) {
    return OutOfRange(
        "DBOptions::max_subcompactions",
        std::to_string(parts) + " with max_background_jobs " +
            std::to_string(jobs),
        "without a job_runner is at most " +
            std::to_string(kCompactionPartsMax) +
            " for max_subcompactions * (max_background_jobs - 1)");
  }
  if (options.job_runner != nullptr && !options.job_runner->IsUsable()) {
    return Status::InvalidArgument(
        "DBOptions::job_runner",
        "its threads belong to the process from which this one was forked; "
        "create one in this process");
  }
  return Status::OK();
}

Status CheckFileReads(const DBOptions& options, const FileOptions& how,
                      const std::string& path) {
  TAMIS_RETURN_IF_ERROR(CheckReadModes(options));
  if (!how.use_direct_reads) return Status::OK();
  std::unique_ptr<RandomAccessFile> file;
  Status status = file_io::Open(options.file_system.get(), path, how, &file);
  if (status.ok()) {
    // Some file systems refuse the first read, not the open.
    char byte;
    Slice got;
    status = file_io::Read(*file, 0, 1, &got, &byte);
  }
  if (!status.IsNotSupported()) return status;
  return Status::InvalidArgument(
      options.use_direct_reads
          ? "DBOptions::use_direct_reads"
          : "DBOptions::use_direct_io_for_flush_and_compaction",
      status.message());
}

Status CheckTableWrites(const DBOptions& options, const std::string& scratch) {
  const FileOptions how = FileOptionsForTableWrites(options);
  if (!how.use_direct_writes) return Status::OK();
  FileSystem* const fs = options.file_system.get();
  std::unique_ptr<WritableFile> file;
  Status status = file_io::Create(fs, scratch, how, &file);
  if (status.ok()) {
    // Some file systems refuse the first write, not the open.
    status = file_io::Append(file.get(), "x");
    if (status.ok()) status = file_io::Flush(file.get());
    const Status closed = file->Close();
    if (status.ok()) status = closed;
    const Status removed = fs->RemoveFile(scratch);
    if (status.ok()) status = removed;
  }
  if (!status.IsNotSupported()) return status;
  return Status::InvalidArgument(
      "DBOptions::use_direct_io_for_flush_and_compaction",
      status.message() + "; set the option to false");
}

Status CheckFileTimes(const DBOptions& options, const std::string& path) {
  if (options.WAL_ttl_seconds == 0) return Status::OK();
  uint64_t seconds = 0;
  const Status status =
      options.file_system->GetFileModificationTime(path, &seconds);
  if (!status.IsNotSupported()) return status;
  return Status::InvalidArgument("DBOptions::WAL_ttl_seconds",
                                 status.message());
}

FileOptions FileOptionsForReads(const DBOptions& options) {
  return {.use_mmap_reads = options.allow_mmap_reads,
          .use_direct_reads = options.use_direct_reads,
          .role = FileRole::kTable};
}

FileOptions FileOptionsForOnePass(const DBOptions& options) {
  return {.use_direct_reads = options.use_direct_reads,
          .role = FileRole::kTable};
}

FileOptions FileOptionsForCompaction(const DBOptions& options) {
  return {.use_direct_reads = options.use_direct_reads ||
                              options.use_direct_io_for_flush_and_compaction,
          .role = FileRole::kTable};
}

FileOptions FileOptionsForTableWrites(const DBOptions& options) {
  return {.use_direct_writes = options.use_direct_io_for_flush_and_compaction,
          .role = FileRole::kTable};
}

Status CheckOptions(const DBOptions& options,
                    const std::vector<ColumnFamilyDescriptor>& families) {
  TAMIS_RETURN_IF_ERROR(CheckDBOptions(options));
  std::set<std::string> names;
  for (const ColumnFamilyDescriptor& family : families) {
    if (!names.insert(family.name).second) {
      return Status::InvalidArgument("Column family named twice",
                                     Printable(family.name));
    }
    TAMIS_RETURN_IF_ERROR(
        CheckFamilyOptions(WithDatabaseDefaults(family.options, options)));
  }
  if (!names.contains(kDefaultColumnFamilyName)) {
    return Status::InvalidArgument("Default column family not specified");
  }
  return Status::OK();
}

Status CheckFamilyOptions(const ColumnFamilyOptions& options) {
  if (options.comparator == nullptr) {
    return Status::InvalidArgument("Options::comparator", "it is nullptr");
  }
  if (options.target_file_size_base == 0) {
    return OutOfRange("Options::target_file_size_base", "0", "is 1 or more");
  }
  if (options.max_bytes_for_level_base == 0) {
    return OutOfRange("Options::max_bytes_for_level_base", "0", "is 1 or more");
  }
  // Written so that a NaN fails.
  const double multiplier = options.max_bytes_for_level_multiplier;
  if (!(multiplier >= 1 && std::isfinite(multiplier))) {
    return OutOfRange("Options::max_bytes_for_level_multiplier",
                      std::to_string(multiplier),
                      "is a finite number of 1 or more");
  }
  TAMIS_RETURN_IF_ERROR(CheckCompactionOptions(options));
  TAMIS_RETURN_IF_ERROR(CheckFamilyPaths(options));
  const double bloom = options.memtable_prefix_bloom_size_ratio;
  if (!(bloom >= 0 && bloom <= 0.25)) {
    return OutOfRange("Options::memtable_prefix_bloom_size_ratio",
                      std::to_string(bloom), "is 0 to 0.25");
  }
  TAMIS_RETURN_IF_ERROR(CheckCompression(options));
  // RocksDB refuses it, too.
  if (options.compression_opts.zstd_max_train_bytes > 0 &&
      options.compression_opts.max_dict_bytes == 0) {
    return Status::InvalidArgument(
        "CompressionOptions::max_dict_bytes",
        "it is 0, but zstd_max_train_bytes is not; set it to the size that "
        "dictionaries may have");
  }
  return CheckTableFactory(options);
}

}  // namespace tamis
