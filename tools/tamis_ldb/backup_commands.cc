// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_ldb/backup_commands.h"

#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tamis/utilities/backup_engine.h"

#include "tools/json_text.h"
#include "tools/progress.h"
#include "tools/tamis_ldb/database.h"
#include "tools/tamis_ldb/flags.h"
#include "tools/tool_main.h"
#include "util/base/result.h"
#include "util/coding/printable.h"

namespace tamis {

namespace {

constexpr uint64_t kProgressBytes = 1024 * 1024;

BackupEngineOptions EngineOptions() {
  BackupEngineOptions options(FLAGS_backup_dir);
  options.max_background_operations = FLAGS_num_threads;
  options.callback_trigger_interval_size = kProgressBytes;
  return options;
}

Result<std::unique_ptr<BackupEngineReadOnly>> OpenReader() {
  std::unique_ptr<BackupEngineReadOnly> engine;
  TAMIS_RETURN_IF_ERROR(
      BackupEngineReadOnly::Open(EngineOptions(), nullptr, &engine));
  return engine;
}

std::string UtcTime(int64_t timestamp) {
  const std::time_t seconds = timestamp;
  std::tm utc{};
  char text[32] = "";
  if (gmtime_r(&seconds, &utc) != nullptr) {
    std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
  }
  return text;
}

// The backups that are not corrupt, and the others with what is wrong.
struct Listed {
  std::vector<BackupInfo> good;
  std::vector<std::pair<BackupID, Status>> corrupt;
};

Listed List(const BackupEngineReadOnly& engine) {
  Listed listed;
  engine.GetBackupInfo(&listed.good);
  std::vector<BackupID> ids;
  engine.GetCorruptedBackups(&ids);
  for (const BackupID id : ids) {
    BackupInfo info;
    listed.corrupt.emplace_back(id, engine.GetBackupInfo(id, &info));
  }
  return listed;
}

// Prints what is wrong with backups that are corrupt.
void PrintCorrupt(const Listed& listed) {
  for (const auto& [id, status] : listed.corrupt) {
    Print("backup " + std::to_string(id) + ": " + status.ToString() + "\n");
  }
}

std::string JsonOf(const BackupInfo& info) {
  return JsonObject()
      .Number("id", info.backup_id)
      .Number("time", static_cast<uint64_t>(info.timestamp))
      .Number("bytes", info.size)
      .Number("files", info.number_files)
      .Text("metadata", info.app_metadata)
      .ToString();
}

std::string LineOf(const BackupInfo& info) {
  std::string line = "backup " + std::to_string(info.backup_id) + ": " +
                     UtcTime(info.timestamp) + ", " +
                     std::to_string(info.number_files) + " files, " +
                     std::to_string(info.size) + " bytes";
  if (!info.app_metadata.empty()) line += ", " + Printable(info.app_metadata);
  return line + "\n";
}

}  // namespace

int Backup(const Call&) {
  return WithDatabase(Access::kWrite, [](DB* db, ColumnFamilyHandle*) {
    Print("open db OK\n");
    std::unique_ptr<BackupEngine> engine;
    Status status = BackupEngine::Open(EngineOptions(), nullptr, &engine);
    if (!status.ok()) return Failed(status);
    Print("open backup engine OK\n");
    Progress progress("bytes", 0);
    uint64_t bytes = 0;
    CreateBackupOptions options;
    options.progress_callback = [&] {
      bytes += kProgressBytes;
      progress.Step(bytes, bytes);
    };
    status = engine->CreateNewBackup(options, db);
    if (!status.ok()) return Failed(status);
    Print("create new backup OK\n");
    return int{kExitRight};
  });
}

int Restore(const Call&) {
  const auto engine = OpenReader();
  if (!engine.ok()) return Failed(engine.status());
  Print("open restore engine OK\n");
  const std::string wal_dir = FLAGS_wal_dir.empty() ? FLAGS_db : FLAGS_wal_dir;
  const Status status =
      FLAGS_backup_id == 0
          ? (*engine)->RestoreDBFromLatestBackup(FLAGS_db, wal_dir)
          : (*engine)->RestoreDBFromBackup(FLAGS_backup_id, FLAGS_db, wal_dir);
  if (!status.ok()) return Failed(status);
  Print("restore from backup OK\n");
  return kExitRight;
}

int ListBackups(const Call&) {
  const auto engine = OpenReader();
  if (!engine.ok()) return Failed(engine.status());
  const Listed listed = List(**engine);
  for (const BackupInfo& info : listed.good) {
    Print(FLAGS_json ? JsonOf(info) + "\n" : LineOf(info));
  }
  for (const auto& [id, status] : listed.corrupt) {
    if (!FLAGS_json) break;
    Print(JsonObject()
              .Number("id", id)
              .Text("error", status.ToString())
              .ToString() +
          "\n");
  }
  if (!FLAGS_json) PrintCorrupt(listed);
  return listed.corrupt.empty() ? kExitRight : kExitFailed;
}

int VerifyBackups(const Call&) {
  const auto engine = OpenReader();
  if (!engine.ok()) return Failed(engine.status());
  const Listed listed = List(**engine);
  PrintCorrupt(listed);
  int code = listed.corrupt.empty() ? kExitRight : kExitFailed;
  for (const BackupInfo& info : listed.good) {
    const Status status =
        (*engine)->VerifyBackup(info.backup_id, /*verify_with_checksum=*/true);
    Print("backup " + std::to_string(info.backup_id) + ": " +
          status.ToString() + "\n");
    if (!status.ok()) code = kExitFailed;
  }
  return code;
}

int PurgeBackups(const Call&) {
  std::unique_ptr<BackupEngine> engine;
  Status status = BackupEngine::Open(EngineOptions(), nullptr, &engine);
  if (!status.ok()) return Failed(status);
  status = engine->PurgeOldBackups(FLAGS_keep);
  if (!status.ok()) return Failed(status);
  Print("OK\n");
  return kExitRight;
}

}  // namespace tamis
