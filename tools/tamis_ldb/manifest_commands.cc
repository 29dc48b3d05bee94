// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_ldb/manifest_commands.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tamis/file_system.h"

#include "db/base/file_names.h"
#include "db/manifest/manifest_state.h"
#include "db/manifest/manifest_writer.h"
#include "db/wal/log_reader.h"
#include "tools/raw_table.h"
#include "tools/tamis_ldb/database.h"
#include "tools/tamis_ldb/flags.h"
#include "tools/tamis_ldb/log_ending.h"
#include "tools/tool_file_system.h"
#include "tools/tool_main.h"

namespace tamis {

namespace {

// The MANIFEST of --path, or the current one of --db.
struct Place {
  std::string directory;
  std::string name;

  std::string path() const { return directory + "/" + name; }
};

Result<Place> ManifestPlace() {
  if (!FLAGS_path.empty()) {
    const size_t slash = FLAGS_path.rfind('/');
    if (slash == std::string::npos) return Place{".", FLAGS_path};
    return Place{FLAGS_path.substr(0, slash), FLAGS_path.substr(slash + 1)};
  }
  const auto name = ReadCurrentFile(ToolFileSystem().get(), FLAGS_db);
  if (!name.ok()) return name.status();
  return Place{FLAGS_db, *name};
}

Result<ManifestState> StateAt(const Place& place) {
  auto prefix =
      ReadManifestPrefix(ToolFileSystem().get(), place.directory, place.name);
  if (!prefix.ok()) return prefix.status();
  if (!prefix->damage.ok()) return prefix->damage;
  return std::move(prefix->state);
}

// The order of a family's keys; bytewise if this tool lacks its comparator.
KeyOrder OrderOf(const ManifestFamily& family) {
  const auto options = FamilyOptions(family.comparator);
  return KeyOrder(options.ok() ? options->comparator : BytewiseComparator());
}

// Newest first in level 0, by key below.
std::vector<FileMetaData> Sorted(const ManifestFamily& family, Level level) {
  std::vector<FileMetaData> files = family.files[level];
  const KeyOrder order = OrderOf(family);
  std::sort(files.begin(), files.end(),
            [&](const FileMetaData& a, const FileMetaData& b) {
              if (level > kLevelZero) {
                return order.Compare(a.smallest, b.smallest) < 0;
              }
              return std::tie(a.largest_seqno, a.smallest_seqno, a.number) >
                     std::tie(b.largest_seqno, b.smallest_seqno, b.number);
            });
  return files;
}

std::string Bound(const std::string& internal_key) {
  const uint64_t tail = ExtractTail(internal_key);
  return "'" + ExtractUserKey(internal_key).ToString(FLAGS_hex) +
         "' seq:" + std::to_string(tail >> 8) +
         ", type:" + std::to_string(tail & 0xff);
}

std::string FileLine(const FileMetaData& file) {
  return " " + std::to_string(file.number.value()) + ":" +
         std::to_string(file.size) + "[" + std::to_string(file.smallest_seqno) +
         " .. " + std::to_string(file.largest_seqno) + "][" +
         Bound(file.smallest) + " .. " + Bound(file.largest) + "]\n";
}

// RocksDB's tool prints levels that no database has, too.
constexpr int kLevelsShown = 64;

std::string StateText(const ManifestState& state) {
  std::string out;
  for (const auto& [id, family] : state.families) {
    out += "--------------- Column family \"" + family.name + "\"  (ID " +
           id.ToString() + ") --------------\n";
    out += "log number: " +
           std::to_string(family.log_number.value_or(kNoFile).value()) + "\n";
    out += "comparator: " + family.comparator + "\n";
    for (int level = 0; level < kLevelsShown; ++level) {
      out += "--- level " + std::to_string(level) + " --- version# 1 ---\n";
      if (level >= kNumLevels) continue;
      for (const FileMetaData& file :
           Sorted(family, kLevels[static_cast<size_t>(level)])) {
        out += FileLine(file);
      }
    }
  }
  // RocksDB's tool counts the number that its next MANIFEST would have.
  return out + "next_file_number " +
         std::to_string(state.next_file_number.value() + 1) +
         " last_sequence " + std::to_string(state.last_sequence) +
         "  prev_log_number " + std::to_string(state.prev_log_number.value()) +
         " max_column_family " + state.max_column_family.ToString() +
         " min_log_number_to_keep " +
         std::to_string(state.min_log_number_to_keep.value()) + "\n";
}

int PrintEdits(const std::string& path) {
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
  return LogEnding(**reader, path, records, outcome, LogKind::kManifest);
}

// The level of a table; nullopt: no family has it.
struct Found {
  FamilyId family;
  Level level;
};
std::optional<Found> FindTable(const ManifestState& state, FileNumber number) {
  for (const auto& [id, family] : state.families) {
    for (const Level level : kLevels) {
      for (const FileMetaData& file : family.files[level]) {
        if (file.number == number) return Found{id, level};
      }
    }
  }
  return std::nullopt;
}

// Writes a MANIFEST with the records of the current one and one more edit. An
// atomic group that a crash left unfinished at the end does not count, and
// would take the edit for its next: it is left out. REQUIRES: the directory is
// locked.
Status AppendEdit(FileSystem* fs, const ManifestState& state,
                  VersionEdit edit) {
  const std::string path = FLAGS_db + "/" + state.name;
  auto reader = OpenLogFile(path, LogKind::kManifest);
  if (!reader.ok()) return reader.status();
  std::vector<std::string> records;
  size_t finished = 0;  // the records before an unfinished group
  std::string record;
  LogReader::Outcome outcome;
  while ((outcome = (*reader)->ReadRecord(&record)) ==
         LogReader::Outcome::kRecord) {
    if (record.empty()) continue;
    const auto one = VersionEdit::Decode(record);
    if (!one.ok()) return one.status();
    records.push_back(record);
    if (one->atomic_group_remaining.value_or(0) == 0) finished = records.size();
  }
  if (outcome == LogReader::Outcome::kCorrupt) return (*reader)->status();
  records.resize(finished);
  const FileNumber number = state.next_file_number;
  edit.next_file_number = FileNumber(number.value() + 1);
  std::string encoded;
  edit.EncodeTo(&encoded);
  records.push_back(std::move(encoded));
  return StartManifest(fs, FLAGS_db, number, records).status();
}

Status RemoveTable(FileSystem* fs, FileNumber number) {
  const auto state = ReadManifest(fs, FLAGS_db);
  if (!state.ok()) return state.status();
  const auto found = FindTable(*state, number);
  if (!found) {
    return Status::NotFound("no level of " + FLAGS_db + " has table",
                            std::to_string(number.value()));
  }
  VersionEdit edit;
  edit.column_family = found->family;
  edit.deleted_files.emplace_back(found->level, number);
  return AppendEdit(fs, *state, std::move(edit));
}

}  // namespace

int ManifestDump(const Call&) {
  if (FLAGS_path.empty() && FLAGS_db.empty()) {
    return Misused("manifest_dump needs --db=DIR or --path=MANIFEST");
  }
  const auto place = ManifestPlace();
  if (!place.ok()) return Failed(place.status());
  if (FLAGS_edits) return PrintEdits(place->path());
  const auto state = StateAt(*place);
  if (!state.ok()) return Failed(state.status());
  Print(StateText(*state));
  return kExitRight;
}

int FileChecksumDump(const Call&) {
  if (FLAGS_path.empty() && FLAGS_db.empty()) {
    return Misused("file_checksum_dump needs --db=DIR or --path=MANIFEST");
  }
  const auto place = ManifestPlace();
  if (!place.ok()) return Failed(place.status());
  const auto state = StateAt(*place);
  if (!state.ok()) return Failed(state.status());
  std::map<uint64_t, FileChecksum> checksums;  // by number
  for (const auto& [id, family] : state->families) {
    for (const Level level : kLevels) {
      for (const FileMetaData& file : family.files[level]) {
        checksums[file.number.value()] = file.checksum;
      }
    }
  }
  for (const auto& [number, checksum] : checksums) {
    const std::string value =
        checksum.known() ? Slice(checksum.value).ToString(true) : "";
    Print(std::to_string(number) + ", " + checksum.function + ", " + value +
          "\n");
  }
  Print("Print SST file checksum information finished \n");
  return kExitRight;
}

int ListFileRangeDeletes(const Call&) {
  const auto state = ReadManifest(ToolFileSystem().get(), FLAGS_db);
  if (!state.ok()) return Failed(state.status());
  int64_t left = FLAGS_max_keys;
  for (const auto& [id, family] : state->families) {
    if (family.name != FLAGS_column_family) continue;
    for (const Level level : kLevels) {
      for (const FileMetaData& file : Sorted(family, level)) {
        if (left == 0) break;
        const std::string path = TableFileOf(file);
        Print("=== file : " + path + " ===\n");
        const auto table = RawTable::Open(path);
        if (!table.ok()) return Failed(table.status());
        for (const RawTable::MetaBlock& block : (*table)->metaindex()) {
          if (block.name != kRangeDeletionBlockName) continue;
          const Status status = (*table)->ForEachEntry(
              block.handle, BlockKind::kMeta, BlockFormat(),
              [&left](const BlockIterator& entry) {
                if (entry.key().size() < kInternalKeyTailBytes) {
                  return entry.origin().Corruption("a short key");
                }
                if (left == 0) return Status::OK();
                if (left > 0) --left;
                Print("start: " + ExtractUserKey(entry.key()).ToString(true) +
                      " end: " + entry.value().ToString(true) + " seq: " +
                      std::to_string(ExtractTail(entry.key()) >> 8) + "\n");
                return Status::OK();
              });
          if (!status.ok()) return Failed(status);
        }
      }
    }
  }
  Print("\n");
  return kExitRight;
}

int UnsafeRemoveSstFile(const Call& call) {
  const std::string& word = call.words[0];
  uint64_t number = 0;
  const auto parsed =
      std::from_chars(word.data(), word.data() + word.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != word.data() + word.size()) {
    return Misused("'" + word + "' is no number of a table, as in 000012.sst");
  }
  const auto fs = ToolFileSystem();
  std::unique_ptr<FileLock> lock;
  const Status locked = fs->LockFile(LockFileName(FLAGS_db), &lock);
  if (!locked.ok()) return Failed(locked);
  const Status status = RemoveTable(fs.get(), FileNumber(number));
  if (!status.ok()) return Failed(status);
  Remark("the MANIFEST no longer has table " + word +
         "; older versions of its keys may be visible again");
  return kExitRight;
}

}  // namespace tamis
