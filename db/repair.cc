// SPDX-License-Identifier: Apache-2.0
#include "db/repair.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "db/file_names.h"
#include "db/log_writer.h"
#include "db/manifest_state.h"
#include "db/repair_logs.h"
#include "db/repair_tables.h"
#include "db/version_builder.h"
#include "table/unique_id.h"
#include "util/random.h"

namespace tamis {

namespace {

struct FoundTable {
  std::string name;  // base name
  uint64_t size = 0;
};

struct FoundFiles {
  std::map<uint64_t, FoundTable> tables;
  std::vector<uint64_t> logs;  // ascending
  std::map<uint64_t, std::string> manifests;
  uint64_t largest_number = 0;
};

struct Family {
  std::unique_ptr<ColumnFamily> family;
  uint64_t log_number = 0;
  std::vector<RepairTable> tables;
};

struct Tally {
  uint64_t tables_kept = 0;      // some of which may be merged
  uint64_t tables_salvaged = 0;  // in part, or not at all
  uint64_t tables_merged = 0;
  uint64_t tables_left_out = 0;
  uint64_t tables_missing = 0;  // that the MANIFEST lists
  uint64_t entries_saved = 0;   // out of damaged tables
  uint64_t bytes_lost = 0;      // of tables and logs
  uint64_t log_records = 0;
  uint64_t files_moved = 0;
};

bool IsNumbered(FileType type) {
  return type != FileType::kCurrent && type != FileType::kInfoLog &&
         type != FileType::kIdentity && type != FileType::kLock;
}

class Repair {
 public:
  explicit Repair(const RepairRequest& request);

  Status Run();

 private:
  Status RunLocked();
  Status ListFiles();
  Status ReadManifests();
  Status AddFamilies();
  Status FindOwners();
  Status LookForGap();
  void NoteForgotten(uint64_t number);
  Status AddUnlistedFamilies();
  Status TakeTables();
  Status TakeTable(Family* family, const FileMetaData& listed, int level);
  Status SalvageTable(Family* family, const FileMetaData& damaged, int level,
                      const Status& why);
  Status ReplayLogs();
  Status Place(Family* family);
  Status WriteManifest();
  Status NameManifest();
  Status SetAside();
  Status Install();
  Status MoveToLost(const std::string& name);
  void RemoveOwn(uint64_t number);
  Status LoadIdentity();

  Status AddFamily(uint32_t id, const std::string& name,
                   const std::string& comparator, uint64_t log_number);
  const ColumnFamilyOptions& OptionsOf(const std::string& name) const;
  const ColumnFamily* FamilyOfChange(uint32_t id, uint64_t log_number);
  bool WasDropped(uint32_t id) const {
    return !families_.contains(id) &&
           (manifest_is_whole_ || id <= manifest_.max_column_family);
  }
  uint64_t FirstNeededLog() const;
  uint64_t NewNumber() {
    created_.insert(next_number_);
    return next_number_++;
  }

  RepairRequest request_;
  DBContext context_;
  std::unique_ptr<FileLock> lock_;
  FoundFiles found_;
  ManifestState manifest_;
  std::set<uint64_t> deleted_;             // tables, as the MANIFEST says
  bool manifest_is_whole_ = false;         // and knows of all tables that count
  std::set<uint64_t> listed_;              // tables of live families
  std::map<uint64_t, TableOwner> owners_;  // of those that are not
  std::map<uint32_t, Family> families_;
  std::set<uint64_t> used_;     // found tables that stay
  std::set<uint64_t> created_;  // tables
  uint64_t next_number_ = 1;
  uint64_t log_number_ = 0;
  uint64_t manifest_number_ = 0;
  SequenceNumber last_sequence_ = 0;
  Tally tally_;
};

Repair::Repair(const RepairRequest& request) : request_(request) {
  const auto complete = [](ColumnFamilyOptions* family) {
    if (family->table_factory == nullptr) {
      family->table_factory.reset(NewBlockBasedTableFactory());
    }
  };
  complete(&request_.unknown_family);
  for (auto& [name, family] : request_.families) complete(&family);
  if (request_.options.file_system == nullptr) {
    request_.options.file_system = NewPosixFileSystem();
  }
  if (request_.options.clock == nullptr) {
    request_.options.clock = NewSystemClock();
  }
  context_.directory = request_.directory;
  while (context_.directory.size() > 1 && context_.directory.back() == '/') {
    context_.directory.pop_back();
  }
  context_.options = Options(request_.options, request_.unknown_family);
}

Status Repair::Run() {
  TAMIS_RETURN_IF_ERROR(
      context_.fs()->LockFile(LockFileName(context_.directory), &lock_));
  context_.event_log =
      std::make_unique<EventLog>(request_.options, context_.directory);
  context_.session_id =
      MakeSessionId(RandomSeedFromSystem(), RandomSeedFromSystem());
  context_.event_log->Event("repair_start")
      .Add("directory", Slice(context_.directory));
  const Status status = RunLocked();
  context_.event_log->Event("repair_end")
      .Add("status", status)
      .Add("tables_kept", tally_.tables_kept)
      .Add("tables_salvaged", tally_.tables_salvaged)
      .Add("tables_merged", tally_.tables_merged)
      .Add("tables_left_out", tally_.tables_left_out)
      .Add("tables_missing", tally_.tables_missing)
      .Add("entries_saved", tally_.entries_saved)
      .Add("log_records", tally_.log_records)
      .Add("bytes_lost", tally_.bytes_lost)
      .Add("files_moved", tally_.files_moved);
  return status;
}

Status Repair::RunLocked() {
  TAMIS_RETURN_IF_ERROR(ListFiles());
  TAMIS_RETURN_IF_ERROR(ReadManifests());
  TAMIS_RETURN_IF_ERROR(LoadIdentity());
  TAMIS_RETURN_IF_ERROR(AddFamilies());
  Status status = [this] {
    TAMIS_RETURN_IF_ERROR(FindOwners());
    TAMIS_RETURN_IF_ERROR(LookForGap());
    TAMIS_RETURN_IF_ERROR(AddUnlistedFamilies());
    TAMIS_RETURN_IF_ERROR(TakeTables());
    TAMIS_RETURN_IF_ERROR(ReplayLogs());
    for (auto& [id, family] : families_) TAMIS_RETURN_IF_ERROR(Place(&family));
    return WriteManifest();
  }();
  if (!status.ok()) {
    // Nothing refers to them yet.
    for (const uint64_t number : created_) RemoveOwn(number);
    return status;
  }
  TAMIS_RETURN_IF_ERROR(NameManifest());
  TAMIS_RETURN_IF_ERROR(SetAside());
  return Install();
}

Status Repair::ListFiles() {
  std::vector<std::string> names;
  TAMIS_RETURN_IF_ERROR(context_.fs()->GetChildren(context_.directory, &names));
  std::sort(names.begin(), names.end());  // ".ldb" before ".sst", which counts
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (!file) continue;
    if (IsNumbered(file->type)) {
      found_.largest_number = std::max(found_.largest_number, file->number);
    }
    if (file->type == FileType::kTable) {
      FoundTable& table = found_.tables[file->number];
      table.name = name;
      TAMIS_RETURN_IF_ERROR(context_.fs()->GetFileSize(
          context_.directory + "/" + name, &table.size));
    } else if (file->type == FileType::kLog) {
      found_.logs.push_back(file->number);
    } else if (file->type == FileType::kDescriptor) {
      found_.manifests[file->number] = name;
    }
  }
  std::sort(found_.logs.begin(), found_.logs.end());
  if (found_.tables.empty() && found_.logs.empty() &&
      found_.manifests.empty()) {
    return Status::Corruption(context_.directory,
                              "there is nothing of a database in it");
  }
  next_number_ = found_.largest_number + 1;
  return Status::OK();
}

// The one that CURRENT names; where that does not read, the newest that does.
Status Repair::ReadManifests() {
  const auto current = ReadCurrentFile(context_.fs(), context_.directory);
  if (!current.ok() && current.status().IsIOError() &&
      !current.status().IsPathNotFound()) {
    return current.status();
  }
  std::vector<std::string> candidates;
  for (const auto& [number, name] : found_.manifests) {
    candidates.insert(candidates.begin(), name);
  }
  const std::string newest = candidates.empty() ? "" : candidates.front();
  const auto named =
      current.ok() ? std::find(candidates.begin(), candidates.end(), *current)
                   : candidates.end();
  const bool has_named = named != candidates.end();
  if (has_named) std::rotate(candidates.begin(), named, named + 1);

  std::optional<ManifestPrefix> best;
  for (const std::string& name : candidates) {
    auto prefix = ReadManifestPrefix(context_.fs(), context_.directory, name);
    if (!prefix.ok()) return prefix.status();
    const bool whole = prefix->damage.ok() && !prefix->state.torn_tail;
    context_.event_log->Event("repair_manifest")
        .Add("file", Slice(name))
        .Add("edits", prefix->edits)
        .Add("torn_bytes", prefix->state.torn_bytes)
        .Add("status", prefix->damage);
    if (prefix->edits == 0 || (best && !whole)) continue;
    best = std::move(prefix).value();
    manifest_is_whole_ =
        whole && (has_named ? name == *current : name == newest);
    if (whole || (has_named && name == *current)) break;
  }
  if (!best) return Status::OK();
  manifest_ = std::move(best->state);
  deleted_ = std::move(best->deleted);
  next_number_ = std::max(next_number_, manifest_.next_file_number);
  return Status::OK();
}

const ColumnFamilyOptions& Repair::OptionsOf(const std::string& name) const {
  for (const auto& [named, options] : request_.families) {
    if (named == name) return options;
  }
  return request_.unknown_family;
}

Status Repair::AddFamily(uint32_t id, const std::string& name,
                         const std::string& comparator, uint64_t log_number) {
  const ColumnFamilyOptions& options = OptionsOf(name);
  if (options.comparator == nullptr) {
    return Status::InvalidArgument("ColumnFamilyOptions::comparator",
                                   "it is nullptr");
  }
  if (!comparator.empty() && comparator != options.comparator->Name()) {
    return Status::InvalidArgument(
        std::string("comparator ") + options.comparator->Name(),
        "column family " + name + " was made with " + comparator);
  }
  families_[id].family =
      std::make_unique<ColumnFamily>(context_, id, name, options);
  families_[id].log_number = log_number;
  return Status::OK();
}

Status Repair::AddFamilies() {
  for (const auto& [id, family] : manifest_.families) {
    if (!family.unsupported.empty()) {
      return Status::NotSupported(manifest_.name + " needs " +
                                  family.unsupported);
    }
    TAMIS_RETURN_IF_ERROR(AddFamily(id, family.name, family.comparator,
                                    family.log_number.value_or(0)));
    for (const auto& files : family.files) {
      for (const FileMetaData& file : files) listed_.insert(file.number);
    }
  }
  if (families_.empty()) return AddFamily(0, "default", "", 0);
  return Status::OK();
}

Status Repair::FindOwners() {
  for (const auto& [number, found] : found_.tables) {
    if (listed_.contains(number) || deleted_.contains(number)) continue;
    auto owner = ReadTableOwner(context_, number, found.size);
    if (owner.ok()) {
      owners_[number] = std::move(owner).value();
      continue;
    }
    if (owner.status().IsIOError()) return owner.status();
    owners_[number] = TableOwner();
  }
  return Status::OK();
}

uint64_t Repair::FirstNeededLog() const {
  uint64_t first = kFileNumberMax;
  for (const auto& [id, family] : families_) {
    first = std::min(first, family.log_number);
  }
  return std::max(first, manifest_.min_log_number_to_keep);
}

void Repair::NoteForgotten(uint64_t number) {
  context_.event_log->Event("repair_manifest_forgot").Add("file", number);
  manifest_is_whole_ = false;
}

// A MANIFEST that lost its last records may read to its end all the same. It
// lists tables then that are gone, or there are some that it cannot know.
Status Repair::LookForGap() {
  if (!manifest_is_whole_) return Status::OK();
  for (const uint64_t number : listed_) {
    if (!found_.tables.contains(number)) NoteForgotten(number);
  }
  for (const auto& [number, owner] : owners_) {
    if (owner.id > manifest_.max_column_family) NoteForgotten(number);
  }
  if (!manifest_is_whole_) return Status::OK();
  const uint64_t first_log = FirstNeededLog();
  if (std::binary_search(found_.logs.begin(), found_.logs.end(), first_log)) {
    return Status::OK();
  }
  std::vector<uint64_t> needed;
  for (const uint64_t number : found_.logs) {
    if (number >= first_log) needed.push_back(number);
  }
  const SequenceNumber first_logged = FirstSequenceOf(context_, needed);
  const SequenceGap gap{
      .begin = manifest_.last_sequence + 1,
      .end = first_logged != 0 ? first_logged : kMaxSequenceNumber,
      .proven = first_logged != 0};
  if (gap.begin >= gap.end) return Status::OK();
  for (const auto& [number, owner] : owners_) {
    const auto family = families_.find(owner.id);
    if (family == families_.end()) continue;
    FileMetaData meta;
    meta.number = number;
    meta.size = found_.tables.at(number).size;
    meta.seqnos_known = false;
    const auto scan = ScanTable(context_, *family->second.family, meta, gap);
    if (!scan.ok()) return scan.status();
    if (!scan->status.ok() || !scan->in_gap) continue;
    NoteForgotten(number);
    return Status::OK();
  }
  return Status::OK();
}

// Families that tables alone still name. Of two with one name the older was
// dropped.
Status Repair::AddUnlistedFamilies() {
  if (manifest_is_whole_) return Status::OK();
  std::map<std::string, uint32_t> names;
  for (const auto& [id, family] : families_) {
    names[family.family->name()] = id;
  }
  for (const auto& [number, owner] : owners_) {
    if (!owner.known || families_.contains(owner.id) || WasDropped(owner.id)) {
      continue;
    }
    const std::string name =
        owner.name.empty() ? "unnamed_" + std::to_string(owner.id) : owner.name;
    const auto [at, is_new] = names.emplace(name, owner.id);
    if (!is_new) {
      if (at->second == 0 || at->second > owner.id) continue;
      families_.erase(at->second);
      at->second = owner.id;
    }
    TAMIS_RETURN_IF_ERROR(AddFamily(owner.id, name, "", 0));
    context_.event_log->Event("repair_family_revived")
        .Add("id", owner.id)
        .Add("name", Slice(name));
  }
  return Status::OK();
}

Status Repair::TakeTables() {
  for (const auto& [id, plain] : manifest_.families) {
    const auto family = families_.find(id);
    if (family == families_.end()) continue;
    for (int level = 0; level < kNumLevels; ++level) {
      for (const FileMetaData& file : plain.files[static_cast<size_t>(level)]) {
        if (found_.tables.contains(file.number)) {
          TAMIS_RETURN_IF_ERROR(TakeTable(&family->second, file, level));
          continue;
        }
        ++tally_.tables_missing;
        context_.event_log->Event("repair_table_missing")
            .Add("file", file.number)
            .Add("level", static_cast<uint64_t>(level))
            .Add("bytes", file.size);
      }
    }
  }
  for (const auto& [number, owner] : owners_) {
    const auto family = families_.find(owner.id);
    // Whose table it is may be unknown; where there is one family it is that.
    const bool ours =
        family != families_.end() && (owner.known || families_.size() == 1);
    if (manifest_is_whole_ || !ours) continue;
    FileMetaData meta;
    meta.number = number;
    meta.size = found_.tables.at(number).size;
    meta.seqnos_known = false;
    TAMIS_RETURN_IF_ERROR(TakeTable(&family->second, meta, -1));
  }
  return Status::OK();
}

// Whether what the MANIFEST says of a table holds for what is in it.
bool Agree(const KeyOrder& order, const FileMetaData& listed,
           const FileMetaData& scanned) {
  return listed.seqnos_known &&
         listed.smallest.size() >= kInternalKeyTailBytes &&
         listed.largest.size() >= kInternalKeyTailBytes &&
         order.Compare(listed.smallest, scanned.smallest) <= 0 &&
         order.Compare(scanned.largest, listed.largest) <= 0 &&
         listed.smallest_seqno <= scanned.smallest_seqno &&
         scanned.largest_seqno <= listed.largest_seqno;
}

Status Repair::TakeTable(Family* family, const FileMetaData& listed,
                         int level) {
  FileMetaData meta = listed;
  const uint64_t size = found_.tables.at(listed.number).size;
  meta.size = std::min(meta.size, size);
  const auto scan = ScanTable(context_, *family->family, meta, SequenceGap());
  if (!scan.ok()) return scan.status();
  if (!scan->status.ok() || size != listed.size) {
    return SalvageTable(family, meta, level, scan->status);
  }
  used_.insert(listed.number);
  ++tally_.tables_kept;
  RepairTable table{.meta = scan->meta, .level = level};
  if (Agree(family->family->order(), listed, scan->meta)) table.meta = listed;
  family->tables.push_back(std::move(table));
  return Status::OK();
}

Status Repair::SalvageTable(Family* family, const FileMetaData& damaged,
                            int level, const Status& why) {
  RepairWriter writer(context_, [this] { return NewNumber(); });
  auto salvaged = writer.Salvage(*family->family, damaged, std::max(0, level));
  if (!salvaged.ok()) return salvaged.status();
  ++tally_.tables_salvaged;
  tally_.entries_saved += salvaged->facts.entries;
  tally_.bytes_lost += salvaged->facts.bytes_lost;
  context_.event_log->Event("repair_table_salvaged")
      .Add("file", damaged.number)
      .Add("status", why)
      .Add("entries", salvaged->facts.entries)
      .Add("blocks", salvaged->facts.blocks)
      .Add("blocks_lost", salvaged->facts.blocks_lost)
      .Add("bytes_lost", salvaged->facts.bytes_lost)
      .Add("index_lost", uint64_t{salvaged->facts.index_lost})
      .Add("tombstones_lost", uint64_t{salvaged->facts.tombstones_lost})
      .Add("into",
           salvaged->tables.empty() ? uint64_t{0} : salvaged->tables[0].number);
  for (FileMetaData& meta : salvaged->tables) {
    family->tables.push_back({.meta = std::move(meta), .level = level});
  }
  return Status::OK();
}

const ColumnFamily* Repair::FamilyOfChange(uint32_t id, uint64_t log_number) {
  auto family = families_.find(id);
  if (family == families_.end()) {
    if (WasDropped(id)) return nullptr;
    // Its name is lost, its changes are not.
    const std::string name = "unnamed_" + std::to_string(id);
    if (!AddFamily(id, name, "", 0).ok()) return nullptr;
    context_.event_log->Event("repair_family_revived")
        .Add("id", id)
        .Add("name", Slice(name));
    family = families_.find(id);
  }
  return log_number < family->second.log_number &&
                 log_number != manifest_.prev_log_number
             ? nullptr
             : family->second.family.get();
}

Status Repair::ReplayLogs() {
  RepairWriter writer(context_, [this] { return NewNumber(); });
  RepairLogs logs(
      context_,
      [this](uint32_t id, uint64_t number) {
        return FamilyOfChange(id, number);
      },
      [this, &writer](const ColumnFamily& family, const MemTable& memtable) {
        auto tables = writer.Write(family, memtable);
        if (!tables.ok()) return tables.status();
        for (FileMetaData& meta : *tables) {
          families_.at(family.id())
              .tables.push_back({.meta = std::move(meta), .level = -1});
        }
        return Status::OK();
      });
  const uint64_t first = FirstNeededLog();
  for (const uint64_t number : found_.logs) {
    if (number < first && number != manifest_.prev_log_number) continue;
    const auto log = logs.Replay(number);
    if (!log.ok()) return log.status();
    tally_.log_records += log->records;
    tally_.bytes_lost += log->bytes_lost;
    context_.event_log->Event("repair_log")
        .Add("file", number)
        .Add("records", log->records)
        .Add("changes", log->changes)
        .Add("damages", log->damages)
        .Add("bytes_lost", log->bytes_lost)
        .Add("status", log->first_damage);
  }
  last_sequence_ = logs.last_sequence();
  return logs.Finish();
}

Status Repair::Place(Family* family) {
  const KeyOrder& order = family->family->order();
  const RepairPlan plan = PlanRepair(order, family->tables);
  RepairWriter writer(context_, [this] { return NewNumber(); });
  std::vector<RepairTable> placed;
  for (const RepairPlan::Run& run : plan.runs) {
    if (run.tables.size() == 1) {
      placed.push_back(std::move(family->tables[run.tables[0]]));
      placed.back().level = run.level;
      continue;
    }
    std::vector<FileMetaData> inputs;
    for (const size_t i : run.tables) inputs.push_back(family->tables[i].meta);
    auto outputs = writer.Merge(*family->family, inputs, run.level);
    if (!outputs.ok()) return outputs.status();
    auto line = context_.event_log->Event("repair_merge");
    line.Add("level", static_cast<uint64_t>(run.level))
        .Add("tables", uint64_t{inputs.size()})
        .Add("into", uint64_t{outputs->size()});
    tally_.tables_merged += inputs.size();
    for (const FileMetaData& input : inputs) {
      used_.erase(input.number);
      if (created_.contains(input.number)) RemoveOwn(input.number);
    }
    for (FileMetaData& meta : *outputs) {
      placed.push_back({.meta = std::move(meta), .level = run.level});
    }
  }
  family->tables = std::move(placed);
  NumberEpochs(&family->tables);
  VersionEdit edit;
  for (const RepairTable& table : family->tables) {
    edit.new_files.emplace_back(table.level, table.meta);
    last_sequence_ = std::max(last_sequence_, table.meta.largest_seqno);
  }
  VersionBuilder builder(order, &family->family->tables(), nullptr);
  TAMIS_RETURN_IF_ERROR(builder.Apply(edit));
  return builder.Build().status();
}

// Complete, and durable, before it has its name.
Status Repair::WriteManifest() {
  log_number_ = next_number_++;
  manifest_number_ = next_number_++;
  last_sequence_ = std::max(last_sequence_, manifest_.last_sequence);
  uint32_t max_family = manifest_.max_column_family;
  for (const auto& [id, family] : families_)
    max_family = std::max(max_family, id);

  const std::string scratch =
      TempFileName(context_.directory, manifest_number_);
  std::unique_ptr<WritableFile> file;
  TAMIS_RETURN_IF_ERROR(context_.fs()->NewWritableFile(scratch, &file));
  LogWriter log(std::move(file), manifest_number_);
  const auto write = [&log](const VersionEdit& edit) {
    std::string bytes;
    edit.EncodeTo(&bytes);
    return log.AddRecord(bytes);
  };
  for (const auto& [id, family] : families_) {
    VersionEdit birth;
    birth.column_family = id;
    birth.comparator = family.family->options().comparator->Name();
    if (id != 0) birth.column_family_add = family.family->name();
    if (id == 0 && !manifest_.db_id.empty()) birth.db_id = context_.db_id;
    TAMIS_RETURN_IF_ERROR(write(birth));
    VersionEdit edit;
    edit.column_family = id;
    edit.log_number = log_number_;
    edit.prev_log_number = 0;
    edit.next_file_number = next_number_;
    edit.last_sequence = last_sequence_;
    edit.min_log_number_to_keep = log_number_;
    if (max_family != 0) edit.max_column_family = max_family;
    for (const RepairTable& table : family.tables) {
      edit.new_files.emplace_back(table.level, table.meta);
    }
    TAMIS_RETURN_IF_ERROR(write(edit));
  }
  TAMIS_RETURN_IF_ERROR(log.Sync());
  return log.Close();
}

Status Repair::NameManifest() {
  TAMIS_RETURN_IF_ERROR(context_.fs()->RenameFile(
      TempFileName(context_.directory, manifest_number_),
      DescriptorFileName(context_.directory, manifest_number_)));
  return context_.fs()->SyncDirectory(context_.directory);
}

// Old MANIFESTs first: with the first of them gone, nothing opens what is half
// moved.
Status Repair::SetAside() {
  TAMIS_RETURN_IF_ERROR(
      context_.fs()->CreateDirIfMissing(context_.directory + "/lost"));
  const auto sync = [this] {
    TAMIS_RETURN_IF_ERROR(
        context_.fs()->SyncDirectory(context_.directory + "/lost"));
    return context_.fs()->SyncDirectory(context_.directory);
  };
  for (const auto& [number, name] : found_.manifests) {
    TAMIS_RETURN_IF_ERROR(MoveToLost(name));
  }
  TAMIS_RETURN_IF_ERROR(sync());
  for (const uint64_t number : found_.logs) {
    const std::string path = LogFileName(context_.directory, number);
    TAMIS_RETURN_IF_ERROR(MoveToLost(path.substr(path.rfind('/') + 1)));
  }
  for (const auto& [number, table] : found_.tables) {
    if (used_.contains(number)) continue;
    if (owners_.contains(number) || deleted_.contains(number)) {
      ++tally_.tables_left_out;
    }
    TAMIS_RETURN_IF_ERROR(MoveToLost(table.name));
  }
  return sync();
}

Status Repair::MoveToLost(const std::string& name) {
  const std::string lost = context_.directory + "/lost/";
  std::string to = lost + name;
  // What an earlier repair has put there stays.
  for (uint64_t i = 1;; ++i) {
    const Status there = context_.fs()->FileExists(to);
    if (there.IsPathNotFound()) break;
    TAMIS_RETURN_IF_ERROR(there);
    to = lost + name + "." + std::to_string(i);
  }
  const Status status =
      context_.fs()->RenameFile(context_.directory + "/" + name, to);
  context_.event_log->Event("file_moved")
      .Add("path", Slice(context_.directory + "/" + name))
      .Add("to", Slice(to))
      .Add("status", status);
  if (status.ok()) ++tally_.files_moved;
  return status;
}

void Repair::RemoveOwn(uint64_t number) {
  context_.fs()
      ->RemoveFile(TableFileName(context_.directory, number))
      .PermitUncheckedError();
}

Status Repair::LoadIdentity() {
  const auto stored = ReadIdentityFile(context_.fs(), context_.directory);
  if (!stored.ok() && !stored.status().IsPathNotFound()) {
    return stored.status();
  }
  if (stored.ok()) context_.db_id = *stored;
  if (!manifest_.db_id.empty()) context_.db_id = manifest_.db_id;
  if (context_.db_id.empty()) {
    context_.db_id =
        MakeDatabaseId(RandomSeedFromSystem(), RandomSeedFromSystem());
  }
  return Status::OK();
}

Status Repair::Install() {
  const auto stored = ReadIdentityFile(context_.fs(), context_.directory);
  if (!stored.ok() || *stored != context_.db_id) {
    TAMIS_RETURN_IF_ERROR(
        SetIdentityFile(context_.fs(), context_.directory, context_.db_id));
  }
  return SetCurrentFile(context_.fs(), context_.directory, manifest_number_);
}

}  // namespace

Status RepairDirectory(const RepairRequest& request) {
  return Repair(request).Run();
}

Status RepairDB(const std::string& name, const Options& options) {
  return RepairDirectory({.directory = name,
                          .options = options,
                          .families = {},
                          .unknown_family = options});
}

}  // namespace tamis
