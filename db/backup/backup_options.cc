// SPDX-License-Identifier: Apache-2.0
#include "db/backup/backup_options.h"

#include <cinttypes>

#include "tamis/logger.h"

namespace tamis {

BackupEngineOptions::BackupEngineOptions(
    const std::string& backup_directory, Env* env, bool share_tables,
    Logger* logger, bool sync_files, bool destroy, bool log_files,
    uint64_t backup_limit, uint64_t restore_limit, int threads,
    uint64_t callback_interval, int max_valid, ShareFilesNaming naming)
    : backup_dir(backup_directory),
      backup_env(env),
      share_table_files(share_tables),
      info_log(logger),
      sync(sync_files),
      destroy_old_data(destroy),
      backup_log_files(log_files),
      backup_rate_limit(backup_limit),
      restore_rate_limit(restore_limit),
      share_files_with_checksum(true),
      max_background_operations(threads),
      callback_trigger_interval_size(callback_interval),
      max_valid_backups_to_open(max_valid),
      share_files_with_checksum_naming(naming) {}

void BackupEngineOptions::Dump(Logger* logger) const {
  Log(logger, "               Options.backup_dir: %s", backup_dir.c_str());
  Log(logger, "        Options.share_table_files: %d", int{share_table_files});
  Log(logger, "                     Options.sync: %d", int{sync});
  Log(logger, "         Options.destroy_old_data: %d", int{destroy_old_data});
  Log(logger, "         Options.backup_log_files: %d", int{backup_log_files});
  Log(logger, "        Options.backup_rate_limit: %" PRIu64, backup_rate_limit);
  Log(logger, "       Options.restore_rate_limit: %" PRIu64,
      restore_rate_limit);
  Log(logger, "Options.share_files_with_checksum: %d",
      int{share_files_with_checksum});
  Log(logger, "Options.max_background_operations: %d",
      max_background_operations);
  Log(logger, "           Options.schema_version: %d", schema_version);
}

Status CheckBackupOptions(const BackupEngineOptions& options) {
  const char* const what = "BackupEngineOptions";
  const uint32_t naming = options.share_files_with_checksum_naming &
                          BackupEngineOptions::kMaskNoNamingFlags;
  if (options.backup_dir.empty()) {
    return Status::InvalidArgument(what, "backup_dir is empty");
  }
  if (options.max_background_operations < 1) {
    return Status::InvalidArgument(what,
                                   "max_background_operations must be > 0");
  }
  if (options.schema_version != 1 && options.schema_version != 2) {
    return Status::InvalidArgument(what, "schema_version must be 1 or 2");
  }
  if (naming != BackupEngineOptions::kLegacyCrc32cAndFileSize &&
      naming != BackupEngineOptions::kUseDbSessionId) {
    return Status::InvalidArgument(
        what,
        "share_files_with_checksum_naming must be kLegacyCrc32cAndFileSize or "
        "kUseDbSessionId");
  }
  return Status::OK();
}

}  // namespace tamis
