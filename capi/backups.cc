// SPDX-License-Identifier: Apache-2.0
//
// Backups of databases, and restores.
#include "tamis/utilities/backup_engine.h"

#include "capi/call.h"
#include "capi/option_fields.h"
#include "capi/types.h"

struct tamis_backup_engine_t {
  std::unique_ptr<tamis::BackupEngine> rep;
};
struct tamis_backup_engine_info_t {
  std::vector<tamis::BackupInfo> rep;
};
struct tamis_backup_engine_options_t {
  tamis::BackupEngineOptions rep;
};
struct tamis_restore_options_t {
  tamis::RestoreOptions rep = tamis::RestoreOptions();
};

namespace tamis::capi {
namespace {

tamis_backup_engine_t* Open(const BackupEngineOptions& options,
                            const std::shared_ptr<FileSystem>& db_file_system,
                            char** errptr) {
  std::unique_ptr<tamis_backup_engine_t> engine;
  const bool ok = Try(errptr, [&] {
    engine = std::make_unique<tamis_backup_engine_t>();
    return BackupEngine::Open(options, db_file_system, &engine->rep);
  });
  return ok ? engine.release() : nullptr;
}

const BackupInfo& InfoAt(const tamis_backup_engine_info_t* info, int index) {
  return info->rep[static_cast<size_t>(index)];
}

}  // namespace
}  // namespace tamis::capi

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

tamis_backup_engine_t* tamis_backup_engine_open(const tamis_options_t* options,
                                                const char* path,
                                                char** errptr) {
  BackupEngineOptions backup = Must([&] { return BackupEngineOptions(path); });
  backup.backup_file_system = options->rep.file_system;
  return Open(backup, options->rep.file_system, errptr);
}

tamis_backup_engine_t* tamis_backup_engine_open_opts(
    const tamis_backup_engine_options_t* options, tamis_env_t* env,
    char** errptr) {
  return Open(options->rep, env == nullptr ? nullptr : env->file_system,
              errptr);
}

void tamis_backup_engine_create_new_backup(tamis_backup_engine_t* be,
                                           tamis_t* db, char** errptr) {
  Try(errptr, [&] { return be->rep->CreateNewBackup(db->rep); });
}

void tamis_backup_engine_create_new_backup_flush(
    tamis_backup_engine_t* be, tamis_t* db, unsigned char flush_before_backup,
    char** errptr) {
  Try(errptr, [&] {
    return be->rep->CreateNewBackup(db->rep, flush_before_backup != 0);
  });
}

void tamis_backup_engine_purge_old_backups(tamis_backup_engine_t* be,
                                           uint32_t num_backups_to_keep,
                                           char** errptr) {
  Try(errptr, [&] { return be->rep->PurgeOldBackups(num_backups_to_keep); });
}

void tamis_backup_engine_verify_backup(tamis_backup_engine_t* be,
                                       uint32_t backup_id, char** errptr) {
  Try(errptr, [&] { return be->rep->VerifyBackup(backup_id); });
}

void tamis_backup_engine_restore_db_from_latest_backup(
    tamis_backup_engine_t* be, const char* db_dir, const char* wal_dir,
    const tamis_restore_options_t* restore_options, char** errptr) {
  Try(errptr, [&] {
    return be->rep->RestoreDBFromLatestBackup(restore_options->rep, db_dir,
                                              wal_dir);
  });
}

void tamis_backup_engine_restore_db_from_backup(
    tamis_backup_engine_t* be, const char* db_dir, const char* wal_dir,
    const tamis_restore_options_t* restore_options, const uint32_t backup_id,
    char** errptr) {
  Try(errptr, [&] {
    return be->rep->RestoreDBFromBackup(restore_options->rep, backup_id, db_dir,
                                        wal_dir);
  });
}

const tamis_backup_engine_info_t* tamis_backup_engine_get_backup_info(
    tamis_backup_engine_t* be) {
  return Must([&] {
    auto info = std::make_unique<tamis_backup_engine_info_t>();
    be->rep->GetBackupInfo(&info->rep);
    return info.release();
  });
}

int tamis_backup_engine_info_count(const tamis_backup_engine_info_t* info) {
  return static_cast<int>(info->rep.size());
}

int64_t tamis_backup_engine_info_timestamp(
    const tamis_backup_engine_info_t* info, int index) {
  return InfoAt(info, index).timestamp;
}

uint32_t tamis_backup_engine_info_backup_id(
    const tamis_backup_engine_info_t* info, int index) {
  return InfoAt(info, index).backup_id;
}

uint64_t tamis_backup_engine_info_size(const tamis_backup_engine_info_t* info,
                                       int index) {
  return InfoAt(info, index).size;
}

uint32_t tamis_backup_engine_info_number_files(
    const tamis_backup_engine_info_t* info, int index) {
  return InfoAt(info, index).number_files;
}

void tamis_backup_engine_info_destroy(const tamis_backup_engine_info_t* info) {
  delete info;
}

void tamis_backup_engine_close(tamis_backup_engine_t* be) { delete be; }

tamis_backup_engine_options_t* tamis_backup_engine_options_create(
    const char* backup_dir) {
  return Must([&] {
    return new tamis_backup_engine_options_t{BackupEngineOptions(backup_dir)};
  });
}

void tamis_backup_engine_options_set_backup_dir(
    tamis_backup_engine_options_t* options, const char* backup_dir) {
  Must([&] { options->rep.backup_dir = backup_dir; });
}

void tamis_backup_engine_options_set_env(tamis_backup_engine_options_t* options,
                                         tamis_env_t* env) {
  options->rep.backup_file_system = env == nullptr ? nullptr : env->file_system;
}

#define BACKUP_FIELD(set, get, name)                                       \
  TAMIS_C_FIELD(backup_engine_options, tamis_backup_engine_options_t, set, \
                get, name, name)

BACKUP_FIELD(unsigned char, unsigned char, share_table_files)
BACKUP_FIELD(unsigned char, unsigned char, sync)
BACKUP_FIELD(unsigned char, unsigned char, destroy_old_data)
BACKUP_FIELD(unsigned char, unsigned char, backup_log_files)
BACKUP_FIELD(uint64_t, uint64_t, backup_rate_limit)
BACKUP_FIELD(uint64_t, uint64_t, restore_rate_limit)
BACKUP_FIELD(int, int, max_background_operations)
BACKUP_FIELD(uint64_t, uint64_t, callback_trigger_interval_size)
BACKUP_FIELD(int, int, max_valid_backups_to_open)
BACKUP_FIELD(int, int, share_files_with_checksum_naming)

void tamis_backup_engine_options_destroy(
    tamis_backup_engine_options_t* options) {
  delete options;
}

tamis_restore_options_t* tamis_restore_options_create(void) {
  return Create<tamis_restore_options_t>();
}

void tamis_restore_options_destroy(tamis_restore_options_t* opt) { delete opt; }

void tamis_restore_options_set_keep_log_files(tamis_restore_options_t* opt,
                                              int v) {
  opt->rep.keep_log_files = v != 0;
}
