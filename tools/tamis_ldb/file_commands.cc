// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_ldb/file_commands.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "tamis/db.h"

#include "db/base/file_names.h"
#include "db/base/table_paths.h"
#include "db/manifest/manifest_state.h"
#include "db/wal/log_reader.h"
#include "db/wal/write_batch_internal.h"
#include "tools/tamis_ldb/database.h"
#include "tools/tamis_ldb/flags.h"
#include "tools/tamis_ldb/log_ending.h"
#include "tools/tool_file_system.h"
#include "tools/tool_main.h"

namespace tamis {

namespace {

std::string Hex(const Slice& bytes) { return "0x" + bytes.ToString(true); }

const char* ChangeName(ValueType type) {
  switch (type) {
    case kTypeValue:
      return "PUT";
    case kTypeDeletion:
      return "DELETE";
    case kTypeSingleDeletion:
      return "SINGLE_DELETE";
    case kTypeMerge:
      return "MERGE";
    case kTypeRangeDeletion:
      return "DELETE_RANGE";
    default:
      return ValueTypeName(type);
  }
}

void AddRecord(const BatchRecord& record, std::string* line) {
  const Slice id = record.value;
  switch (record.kind) {
    case BatchRecord::kChange:
      *line += std::string(ChangeName(record.type)) + "(" +
               record.family.ToString() + ") : " + Hex(record.key) + " ";
      if (record.type == kTypeRangeDeletion) *line += Hex(record.value) + " ";
      if (FLAGS_print_value &&
          (record.type == kTypeValue || record.type == kTypeMerge)) {
        *line += ": " + Hex(record.value) + " ";
      }
      return;
    case BatchRecord::kLogData:
      return;
    case BatchRecord::kBeginPrepare:
      *line += "BEGIN_PREPARE(false) ";
      return;
    case BatchRecord::kEndPrepare:
      *line += "END_PREPARE(" + Hex(id) + ") ";
      return;
    case BatchRecord::kCommit:
      *line += "COMMIT(" + Hex(id) + ") ";
      return;
    case BatchRecord::kRollback:
      *line += "ROLLBACK(" + Hex(id) + ") ";
      return;
  }
}

// Prints a batch on one line.
Status PrintBatch(const WriteBatch& batch, uint64_t offset) {
  TAMIS_RETURN_IF_ERROR(WriteBatchInternal::CheckHeader(batch));
  std::string line =
      std::to_string(WriteBatchInternal::Sequence(batch)) + "," +
      std::to_string(WriteBatchInternal::Count(batch)) + "," +
      std::to_string(WriteBatchInternal::Contents(batch).size()) + "," +
      std::to_string(offset) + ",";
  BatchCursor cursor(WriteBatchInternal::Contents(batch),
                     BatchCursor::Marks::kShow);
  BatchRecord record;
  while (cursor.Next(&record)) AddRecord(record, &line);
  Print(line + "\n");
  return cursor.status();
}

int ListByName(const ManifestState& manifest) {
  std::map<std::string, std::string> lines;
  for (const auto& [id, family] : manifest.families) {
    for (const Level level : kLevels) {
      for (const FileMetaData& file : family.files[level]) {
        const std::string name = TableFileOf(file);
        lines[name] = name + " : level " + level.ToString() +
                      ", column family '" + family.name + "'\n";
      }
    }
  }
  Print("Live SST and Blob Files:\n");
  for (const auto& [name, line] : lines) Print(line);
  Print("------------------------------\n");
  return kExitRight;
}

// The database's, that of the logs, those of tables.
std::vector<std::string> DirectoriesOf(const Options& options) {
  std::vector<std::string> all = {FLAGS_db};
  const std::string logs = SeparateDirectory(FLAGS_db, options.wal_dir);
  if (!logs.empty()) all.push_back(logs);
  for (const std::string& directory :
       SeparateTableDirectories(FLAGS_db, options, {})) {
    if (directory != logs) all.push_back(directory);
  }
  return all;
}

// The names in DIR/lost; none without a directory.
std::set<std::string> LostFiles(const std::string& directory) {
  std::set<std::string> names;
  if (directory.empty()) return names;
  std::vector<std::string> lost;
  ToolFileSystem()
      ->GetChildren(directory + "/lost", &lost)
      .PermitUncheckedError();
  names.insert(lost.begin(), lost.end());
  return names;
}

// The files that a repair moved away from a directory.
std::string MovedToLost(const std::string& directory,
                        const std::set<std::string>& lost_before) {
  std::string moved;
  for (const std::string& name : LostFiles(directory)) {
    if (!lost_before.contains(name)) {
      moved += (moved.empty() ? "" : ", ") + name;
    }
  }
  return "; moved to " + directory +
         "/lost: " + (moved.empty() ? "nothing" : moved);
}

// Says on stderr what a repair kept, and what it moved away (`moved`).
void SumUpRepair(const std::string& moved) {
  uint64_t tables = 0;
  uint64_t bytes = 0;
  const auto manifest = ReadManifest(ToolFileSystem().get(), FLAGS_db);
  if (manifest.ok()) {
    for (const auto& [id, family] : manifest->families) {
      for (const Level level : kLevels) {
        for (const FileMetaData& file : family.files[level]) {
          ++tables;
          bytes += file.size;
        }
      }
    }
  }
  Remark("kept " + std::to_string(tables) + " tables, " +
         std::to_string(bytes) + " bytes" + moved + "; the reasons are in " +
         FLAGS_db + "/LOG");
}

}  // namespace

int DumpWal(const Call&) {
  auto reader = OpenLogFile(FLAGS_walfile, LogKind::kWal);
  if (!reader.ok()) return Failed(reader.status());
  if (FLAGS_header) {
    Print("Sequence,Count,ByteSize,Physical Offset,Key(s)");
    Print(FLAGS_print_value ? " : value \n" : "\n");
  }
  std::string record;
  uint64_t records = 0;
  LogReader::Outcome outcome;
  while ((outcome = (*reader)->ReadRecord(&record)) ==
         LogReader::Outcome::kRecord) {
    ++records;
    const uint64_t offset = (*reader)->record_offset();
    const Status status = PrintBatch(WriteBatch(std::move(record)), offset);
    if (!status.ok()) {
      return Failed(Status::Corruption(
          FLAGS_walfile + ": record at offset " + std::to_string(offset),
          status.message()));
    }
    record.clear();
  }
  return LogEnding(**reader, FLAGS_walfile, records, outcome, LogKind::kWal);
}

int ListColumnFamilies(const Call&) {
  const auto manifest = ReadManifest(ToolFileSystem().get(), FLAGS_db);
  if (!manifest.ok()) return Failed(manifest.status());
  std::string names;
  for (const auto& [id, family] : manifest->families) {
    names += (names.empty() ? "" : ", ") + family.name;
  }
  Print("Column families in " + FLAGS_db + ": \n{" + names + "}\n");
  return kExitRight;
}

int ListLiveFilesMetadata(const Call&) {
  const auto manifest = ReadManifest(ToolFileSystem().get(), FLAGS_db);
  if (!manifest.ok()) return Failed(manifest.status());
  if (FLAGS_sort_by_filename) return ListByName(*manifest);
  for (const auto& [id, family] : manifest->families) {
    const auto options = FamilyOptions(family.comparator);
    if (!options.ok()) return Failed(options.status());
    const KeyOrder order(options->comparator);
    Print("===== Column Family: " + family.name + " =====\nLive SST Files:\n");
    for (const Level level : kLevels) {
      Print("---------- level " + level.ToString() + " ----------\n");
      auto files = family.files[level];
      std::sort(files.begin(), files.end(),
                [&](const FileMetaData& a, const FileMetaData& b) {
                  if (level > kLevelZero)
                    return order.Compare(a.smallest, b.smallest) < 0;
                  return std::tie(a.largest_seqno, a.smallest_seqno, a.number) >
                         std::tie(b.largest_seqno, b.smallest_seqno, b.number);
                });
      for (const FileMetaData& file : files) {
        Print(TableFileOf(file) + "\n");
      }
    }
    Print("Live Blob Files:\n");
  }
  Print("------------------------------\n");
  return kExitRight;
}

int Repair(const Call&) {
  const auto options = OptionsFromFlags();
  if (!options.ok()) return Misused(options.status().message());
  // Takes the families from the MANIFEST, if readable.
  auto families = ListedFamilies();
  std::vector<std::pair<std::string, std::set<std::string>>> lost;
  for (const std::string& directory : DirectoriesOf(*options)) {
    lost.emplace_back(directory, LostFiles(directory));
  }
  const Status status = RepairDB(
      FLAGS_db, *options,
      families.ok() ? *families : std::vector<ColumnFamilyDescriptor>(),
      *options);
  if (!status.ok()) return Failed(status);
  Print("OK\n");
  std::string moved;
  for (const auto& [directory, before] : lost) {
    moved += MovedToLost(directory, before);
  }
  SumUpRepair(moved);
  return kExitRight;
}

}  // namespace tamis
