// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_ldb/file_commands.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tamis/db.h"

#include "db/base/file_names.h"
#include "db/manifest/manifest_state.h"
#include "db/wal/log_format.h"
#include "db/wal/log_reader.h"
#include "db/wal/write_batch_internal.h"
#include "tools/tamis_ldb/database.h"
#include "tools/tamis_ldb/flags.h"
#include "tools/tool_main.h"
#include "util/coding/coding.h"

namespace tamis {

namespace {

Result<std::unique_ptr<LogReader>> OpenLogFile(const std::string& path,
                                               LogKind kind) {
  const size_t slash = path.rfind('/');
  const auto name =
      ParseFileName(slash == std::string::npos ? path : path.substr(slash + 1));
  return LogReader::Open(NewPosixFileSystem().get(), path,
                         name ? name->number : kNoFile, kind);
}

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

// Prints a batch on one line.
Status PrintBatch(const WriteBatch& batch, uint64_t offset) {
  TAMIS_RETURN_IF_ERROR(WriteBatchInternal::CheckHeader(batch));
  std::string line =
      std::to_string(WriteBatchInternal::Sequence(batch)) + "," +
      std::to_string(WriteBatchInternal::Count(batch)) + "," +
      std::to_string(WriteBatchInternal::Contents(batch).size()) + "," +
      std::to_string(offset) + ",";
  const Status status = WriteBatchInternal::ForEach(
      batch, [&line](SequenceNumber, FamilyId family, ValueType type,
                     const Slice& key, const Slice& value) {
        line += std::string(ChangeName(type)) + "(" + family.ToString() +
                ") : " + Hex(key) + " ";
        if (type == kTypeRangeDeletion) line += Hex(value) + " ";
        const bool has_value = type == kTypeValue || type == kTypeMerge;
        if (FLAGS_print_value && has_value) line += ": " + Hex(value) + " ";
        return Status::OK();
      });
  Print(line + "\n");
  return status;
}

// Whether the file can be a log without a complete record, which a crash cut
// or which reuses an older one: the type at its beginning is known, and a plain
// record ends behind the file or the block.
bool BeginsAsLog(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<uint64_t>(std::max<int64_t>(0, in.tellg()));
  char header[log::kHeaderBytes];
  if (size < sizeof(header)) return true;
  in.seekg(0);
  in.read(header, sizeof(header));
  const auto type = static_cast<uint8_t>(header[6]);
  if (type > log::kLast) return type <= log::kRecyclableTimestampSizes;
  const uint64_t end = sizeof(header) + DecodeFixed16(header + 4);
  return type == log::kZero || end > size ||
         end + sizeof(header) > log::kBlockBytes;
}

// Reports how reading a log ended after `records` records.
int Ending(const LogReader& reader, const std::string& path, uint64_t records,
           LogReader::Outcome outcome, LogKind kind) {
  const bool manifest = kind == LogKind::kManifest;
  const bool torn = outcome == LogReader::Outcome::kTornTail;
  if (records == 0 && (manifest ? torn || outcome == LogReader::Outcome::kEnd
                                : torn && !BeginsAsLog(path))) {
    return Failed(Status::Corruption(
        path, std::string("no record begins at offset 0, as in a ") +
                  (manifest ? "MANIFEST" : "write-ahead log")));
  }
  if (outcome == LogReader::Outcome::kEnd) return kExitRight;
  if (!torn) return Failed(reader.status());
  Print("torn tail at offset " + std::to_string(reader.record_offset()) + ": " +
        std::to_string(reader.bytes_dropped()) + " bytes\n");
  return kExitRight;
}

}  // namespace

int ManifestDump(const Call&) {
  std::string path = FLAGS_path;
  if (path.empty()) {
    if (FLAGS_db.empty()) return Misused("--db or --path is missing");
    const auto name = ReadCurrentFile(NewPosixFileSystem().get(), FLAGS_db);
    if (!name.ok()) return Failed(name.status());
    path = FLAGS_db + "/" + *name;
  }
  auto reader = OpenLogFile(path, LogKind::kManifest);
  if (!reader.ok()) return Failed(reader.status());
  std::string record;
  uint64_t records = 0;
  LogReader::Outcome outcome;
  while ((outcome = (*reader)->ReadRecord(&record)) ==
         LogReader::Outcome::kRecord) {
    ++records;
    const auto edit = VersionEdit::Decode(record);
    const std::string where =
        "offset " + std::to_string((*reader)->record_offset());
    if (!edit.ok()) {
      return Failed(Status::Corruption(path + ": record at " + where,
                                       edit.status().message()));
    }
    Print(where + ": " + edit->DebugString() + "\n");
  }
  return Ending(**reader, path, records, outcome, LogKind::kManifest);
}

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
  return Ending(**reader, FLAGS_walfile, records, outcome, LogKind::kWal);
}

int ListColumnFamilies(const Call&) {
  const auto manifest = ReadManifest(NewPosixFileSystem().get(), FLAGS_db);
  if (!manifest.ok()) return Failed(manifest.status());
  std::string names;
  for (const auto& [id, family] : manifest->families) {
    names += (names.empty() ? "" : ", ") + family.name;
  }
  Print("Column families in " + FLAGS_db + ": \n{" + names + "}\n");
  return kExitRight;
}

int ListLiveFilesMetadata(const Call&) {
  const auto manifest = ReadManifest(NewPosixFileSystem().get(), FLAGS_db);
  if (!manifest.ok()) return Failed(manifest.status());
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
        Print(TableFileName(FLAGS_db, file.number) + "\n");
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
  const Status status = RepairDB(
      FLAGS_db, *options,
      families.ok() ? *families : std::vector<ColumnFamilyDescriptor>(),
      *options);
  if (!status.ok()) return Failed(status);
  Print("OK\n");
  return kExitRight;
}

}  // namespace tamis
