// SPDX-License-Identifier: Apache-2.0
//
// idump: every version of every key, as stored in tables and logs, in the
// engine's merge order.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tamis/clock.h"

#include "db/base/file_names.h"
#include "db/base/options_files.h"
#include "db/family/column_family.h"
#include "db/manifest/manifest_state.h"
#include "db/options/options_file.h"
#include "db/repair/repair_logs.h"
#include "table/merging_iterator.h"
#include "tools/tamis_ldb/database.h"
#include "tools/tamis_ldb/file_commands.h"
#include "tools/tamis_ldb/flags.h"
#include "tools/tamis_ldb/words.h"
#include "tools/tool_file_system.h"
#include "tools/tool_main.h"

namespace tamis {

namespace {

// The sources of one family, kept open.
class InternalEntries {
 public:
  explicit InternalEntries(std::string directory) {
    context_.directory = std::move(directory);
    context_.wal_dir = SeparateDirectory(context_.directory, FLAGS_wal_dir);
    context_.options.file_system = ToolFileSystem();
    context_.options.clock = NewSystemClock();
  }

  const KeyOrder& order() const { return family_->order(); }
  // The iterator must not outlive *this.
  Result<std::unique_ptr<InternalIterator>> Open(const std::string& name) {
    TAMIS_RETURN_IF_ERROR(CheckLogsAreHere());
    auto manifest = ReadManifest(context_.fs(), context_.directory);
    if (!manifest.ok()) return manifest.status();
    for (const auto& [id, plain] : manifest->families) {
      if (plain.name != name) continue;
      auto options = FamilyOptions(plain.comparator);
      if (!options.ok()) return options.status();
      family_ = std::make_unique<ColumnFamily>(context_, id, name, *options);
      TAMIS_RETURN_IF_ERROR(OpenTables(plain));
      TAMIS_RETURN_IF_ERROR(ReplayLogs(manifest->min_log_number_to_keep,
                                       plain.log_number.value_or(kNoFile)));
      return NewMergingIterator(family_->order(), std::move(children_));
    }
    return Status::InvalidArgument("there is no column family " + name);
  }

 private:
  Status CheckLogsAreHere() {
    const auto text = OptionsFiles(context_).Newest();
    if (text.status().IsNotFound()) return Status::OK();
    if (!text.ok()) return text.status();
    return CheckLogsAreNamed(WalDirOf(*text));
  }

  Status OpenTables(const ManifestFamily& plain) {
    for (const auto& level : plain.files) {
      for (const FileMetaData& meta : level) {
        files_.push_back(std::make_unique<const TableFile>(meta));
        auto reader = family_->tables().Reader(*files_.back());
        if (!reader.ok()) return reader.status();
        children_.push_back((*reader)->NewIterator(ReadContext()));
        readers_.push_back(std::move(reader).value());
      }
    }
    return Status::OK();
  }

  // Logs before the family's have no changes of it, but a later one may end a
  // transaction that is prepared in them.
  Status ReplayLogs(FileNumber first, FileNumber first_of_family) {
    std::vector<std::string> names;
    TAMIS_RETURN_IF_ERROR(
        context_.fs()->GetChildren(context_.log_directory(), &names));
    std::vector<FileNumber> logs;
    for (const std::string& name : names) {
      const auto file = ParseFileName(name);
      if (file && file->type == FileKind::kLog && file->number >= first) {
        logs.push_back(file->number);
      }
    }
    std::sort(logs.begin(), logs.end());
    RepairLogs replay(
        context_,
        [this, first_of_family](FamilyId id, FileNumber number) {
          return id == family_->id() && number >= first_of_family
                     ? family_.get()
                     : nullptr;
        },
        [this](const ColumnFamily&, std::unique_ptr<MemTable> memtable) {
          children_.push_back(memtable->NewIterator());
          memtables_.push_back(std::move(memtable));
          return Status::OK();
        });
    for (const FileNumber number : logs) {
      const auto log = replay.Replay(number);
      if (!log.ok()) return log.status();
      TAMIS_RETURN_IF_ERROR(log->first_damage);
    }
    return replay.Finish();
  }

  DBContext context_;
  std::unique_ptr<ColumnFamily> family_;
  std::vector<std::unique_ptr<const TableFile>> files_;
  std::vector<TableReaderPtr> readers_;
  std::vector<std::unique_ptr<MemTable>> memtables_;
  std::vector<std::unique_ptr<InternalIterator>> children_;
};

std::string Line(const Slice& key, const Slice& value) {
  const uint64_t tail = ExtractTail(key);
  const bool hex_keys = FLAGS_hex || FLAGS_key_hex;
  const bool hex_values = FLAGS_hex || FLAGS_value_hex;
  return "'" + ExtractUserKey(key).ToString(hex_keys) +
         "' seq:" + std::to_string(tail >> 8) +
         ", type:" + std::to_string(tail & 0xff) + " => " +
         value.ToString(hex_values) + "\n";
}

}  // namespace

int InternalDump(const Call&) {
  const auto range = RangeFromFlags();
  if (!range.ok()) return Misused(range.status().message());
  InternalEntries entries(FLAGS_db);
  auto opened = entries.Open(FLAGS_column_family);
  if (!opened.ok()) return Failed(opened.status());
  InternalIterator& it = **opened;
  if (range->from) {
    it.Seek(LookupKey(*range->from, kMaxSequenceNumber).internal_key());
  } else {
    it.SeekToFirst();
  }
  const KeyOrder& order = entries.order();
  uint64_t shown = 0;
  for (; it.Valid(); it.Next()) {
    if (FLAGS_max_keys >= 0 && shown >= static_cast<uint64_t>(FLAGS_max_keys)) {
      break;
    }
    if (range->to &&
        order.CompareUserKeys(ExtractUserKey(it.key()), *range->to) >= 0) {
      break;
    }
    ++shown;
    if (!FLAGS_count_only) Print(Line(it.key(), it.value()));
  }
  if (!it.status().ok()) return Failed(it.status());
  Print("Internal keys in range: " + std::to_string(shown) + "\n");
  return kExitRight;
}

}  // namespace tamis
