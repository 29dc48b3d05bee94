// SPDX-License-Identifier: Apache-2.0
//
// Backups: creation, a list of them, verification, restores, deletion, options.
#include "program.h"

static void PrintBackups(tamis_backup_engine_t* engine) {
  const tamis_backup_engine_info_t* info =
      tamis_backup_engine_get_backup_info(engine);
  const int count = tamis_backup_engine_info_count(info);
  printf("%d backups\n", count);
  for (int i = 0; i < count; ++i) {
    CHECK(tamis_backup_engine_info_size(info, i) > 0);
    CHECK(tamis_backup_engine_info_timestamp(info, i) > 1700000000);
    printf("  %" PRIu32 ": %" PRIu32 " files\n",
           tamis_backup_engine_info_backup_id(info, i),
           tamis_backup_engine_info_number_files(info, i));
  }
  tamis_backup_engine_info_destroy(info);
}

static void PrintRestored(const tamis_options_t* options, const char* path) {
  tamis_t* db = Open(options, path);
  PrintDatabase(db);
  tamis_close(db);
}

static void Backups(tamis_t* db, tamis_options_t* options, const char* path) {
  char backups[512];
  snprintf(backups, sizeof backups, "%s_backups", path);
  char restored[512];
  snprintf(restored, sizeof restored, "%s_restored", path);
  tamis_backup_engine_t* engine =
      tamis_backup_engine_open(options, backups, &err);
  CHECK_OK();
  PrintBackups(engine);
  Put(db, "a", "1");
  tamis_backup_engine_create_new_backup(engine, db, &err);
  CHECK_OK();
  Put(db, "b", "2");
  tamis_backup_engine_create_new_backup_flush(engine, db, 1, &err);
  CHECK_OK();
  Put(db, "c", "3");
  tamis_backup_engine_create_new_backup_flush(engine, db, 0, &err);
  CHECK_OK();
  PrintBackups(engine);
  tamis_backup_engine_verify_backup(engine, 2, &err);
  CHECK_OK();
  tamis_backup_engine_verify_backup(engine, 9, &err);
  PrintError("verify what is not there");

  tamis_restore_options_t* restore = tamis_restore_options_create();
  tamis_restore_options_set_keep_log_files(restore, 0);
  tamis_backup_engine_restore_db_from_latest_backup(engine, restored, restored,
                                                    restore, &err);
  CHECK_OK();
  PrintRestored(options, restored);
  tamis_backup_engine_restore_db_from_backup(engine, restored, restored,
                                             restore, 1, &err);
  CHECK_OK();
  PrintRestored(options, restored);
  tamis_backup_engine_restore_db_from_backup(engine, restored, restored,
                                             restore, 9, &err);
  PrintError("restore what is not there");
  tamis_restore_options_destroy(restore);

  tamis_backup_engine_purge_old_backups(engine, 1, &err);
  CHECK_OK();
  PrintBackups(engine);
  tamis_backup_engine_close(engine);
  tamis_destroy_db(options, restored, &err);
  CHECK_OK();
}

static void WithOptions(tamis_t* db, const char* path) {
  char backups[512];
  snprintf(backups, sizeof backups, "%s_backups", path);
  tamis_env_t* env = tamis_create_default_env();
  tamis_backup_engine_options_t* options =
      tamis_backup_engine_options_create("/no/such/directory/backups");
  tamis_backup_engine_t* engine =
      tamis_backup_engine_open_opts(options, env, &err);
  CHECK(engine == NULL);
  PrintError("open nowhere");
  tamis_backup_engine_options_set_backup_dir(options, backups);
  tamis_backup_engine_options_set_env(options, env);

#define SET_AND_PRINT(field, format, value)                \
  tamis_backup_engine_options_set_##field(options, value); \
  printf(#field ": " format "\n",                          \
         tamis_backup_engine_options_get_##field(options));
  SET_AND_PRINT(share_table_files, "%d", 0)
  SET_AND_PRINT(share_table_files, "%d", 1)
  SET_AND_PRINT(sync, "%d", 0)
  SET_AND_PRINT(destroy_old_data, "%d", 1)
  SET_AND_PRINT(backup_log_files, "%d", 0)
  SET_AND_PRINT(backup_rate_limit, "%" PRIu64, 100000000)
  SET_AND_PRINT(restore_rate_limit, "%" PRIu64, 200000000)
  SET_AND_PRINT(max_background_operations, "%d", 2)
  SET_AND_PRINT(callback_trigger_interval_size, "%" PRIu64, 5000)
  SET_AND_PRINT(max_valid_backups_to_open, "%d", 7)
  SET_AND_PRINT(share_files_with_checksum_naming, "%d", 2)

  // The old backups are gone, and logs are left out.
  engine = tamis_backup_engine_open_opts(options, env, &err);
  CHECK_OK();
  PrintBackups(engine);
  tamis_backup_engine_create_new_backup(engine, db, &err);
  CHECK_OK();
  PrintBackups(engine);
  tamis_backup_engine_close(engine);
  tamis_backup_engine_options_destroy(options);
  tamis_env_destroy(env);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  tamis_options_t* options = NewOptions();
  tamis_t* db = Open(options, argv[1]);
  Backups(db, options, argv[1]);
  WithOptions(db, argv[1]);
  tamis_close(db);
  tamis_options_destroy(options);
  return 0;
}
