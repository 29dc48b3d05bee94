// SPDX-License-Identifier: Apache-2.0
#include "db/manifest/manifest_state.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

#include "db/base/file_names.h"
#include "db/wal/log_reader.h"
#include "util/coding/printable.h"

namespace tamis {

namespace {

struct Placed {
  Level level;
  FileMetaData meta;
};

// A family, while edits are being applied.
struct Family {
  ManifestFamily plain;                           // `files` is set at the end
  std::unordered_map<FileNumber, Placed> tables;  // by number
  std::vector<std::string> unsupported;           // features named in `plain`
};

bool IsUnlogged(const VersionEdit& edit) {
  if (edit.column_family_add || edit.column_family_drop) return true;
  const bool deletes = !edit.deleted_files.empty();
  const bool adds = !edit.new_files.empty();
  return adds ? !deletes && !edit.log_number : deletes;
}

std::string Named(FamilyId id) { return "column family " + id.ToString(); }

class Replay {
 public:
  Replay() {
    families_[kDefaultFamilyId].plain.name = "default";
    ids_.emplace("default", kDefaultFamilyId);
  }

  // Applies the edit, or an atomic group once its last edit is added. Returns
  // Corruption if an edit contradicts earlier ones or its group is broken.
  Status Add(VersionEdit edit, uint64_t offset);
  // Stores the result of all edits; a group that is incomplete does not count.
  // Returns Corruption if a counter is missing, and stores 0 for it.
  Status FinishInto(ManifestState* state);

  // Returns the offset of the edit that failed.
  uint64_t offset() const { return offset_; }
  bool only_leveldb_fields() const { return only_leveldb_fields_; }
  const std::set<FileNumber>& deleted() const { return deleted_; }
  const std::set<FamilyId>& dropped() const { return dropped_; }

 private:
  struct Member {
    VersionEdit edit;
    uint64_t offset;
  };

  Status Apply(VersionEdit edit);
  Status ApplyToFamilies(const VersionEdit& edit);
  Status ApplyTables(VersionEdit* edit, Family* family);
  void NoteUnsupported(const VersionEdit& edit, Family* family) const;
  static Status BrokenGroup() {
    return Status::Corruption("corrupted atomic group",
                              "its records do not count down to 0");
  }

  std::map<FamilyId, Family> families_;
  std::unordered_map<std::string, FamilyId> ids_;  // by name
  FamilyId max_column_family_;
  bool any_log_number_ = false;
  std::optional<FileNumber> next_file_number_;
  std::optional<SequenceNumber> last_sequence_;
  FileNumber prev_log_number_;
  FileNumber min_log_to_keep_;
  std::string db_id_;
  bool only_leveldb_fields_ = true;
  uint64_t unlogged_edits_ = 0;
  std::set<FileNumber> deleted_;  // tables, unless added again
  std::set<FamilyId> dropped_;
  std::vector<Member> group_;
  uint64_t offset_ = 0;  // of the current edit
};

Status Replay::Add(VersionEdit edit, uint64_t offset) {
  offset_ = offset;
  if (!edit.atomic_group_remaining) {
    if (!group_.empty()) return BrokenGroup();
    return Apply(std::move(edit));
  }
  const uint32_t remaining = *edit.atomic_group_remaining;
  if (!group_.empty() && uint64_t{*group_.back().edit.atomic_group_remaining} !=
                             uint64_t{remaining} + 1) {
    return BrokenGroup();
  }
  group_.push_back({std::move(edit), offset});
  if (remaining != 0) return Status::OK();
  for (Member& member : std::exchange(group_, {})) {
    offset_ = member.offset;
    TAMIS_RETURN_IF_ERROR(Apply(std::move(member.edit)));
  }
  return Status::OK();
}

Status Replay::Apply(VersionEdit edit) {
  if (edit.has_rocksdb_tag) only_leveldb_fields_ = false;
  if (IsUnlogged(edit)) ++unlogged_edits_;
  if (edit.next_file_number) next_file_number_ = edit.next_file_number;
  if (edit.last_sequence) last_sequence_ = edit.last_sequence;
  if (edit.prev_log_number) prev_log_number_ = *edit.prev_log_number;
  if (edit.min_log_number_to_keep) {
    min_log_to_keep_ = std::max(min_log_to_keep_, *edit.min_log_number_to_keep);
  }
  if (edit.db_id) db_id_ = *edit.db_id;
  max_column_family_ =
      std::max({max_column_family_, edit.column_family,
                edit.max_column_family.value_or(kDefaultFamilyId)});

  TAMIS_RETURN_IF_ERROR(ApplyToFamilies(edit));
  if (edit.column_family_drop) return Status::OK();
  Family& family = families_.at(edit.column_family);
  if (edit.comparator) family.plain.comparator = *edit.comparator;
  if (edit.log_number) {
    family.plain.log_number =
        std::max(family.plain.log_number, edit.log_number);
    any_log_number_ = true;
  }
  NoteUnsupported(edit, &family);
  return ApplyTables(&edit, &family);
}

// Adds or drops the edit's family. If this returns OK, the family exists unless
// the edit drops it.
Status Replay::ApplyToFamilies(const VersionEdit& edit) {
  const FamilyId id = edit.column_family;
  if (edit.column_family_add) {
    const std::string& name = *edit.column_family_add;
    const auto same_name = ids_.find(name);
    if (families_.contains(id) || same_name != ids_.end()) {
      const FamilyId other = families_.contains(id) ? id : same_name->second;
      return Status::Corruption(
          "an edit adds " + Named(id) + " \"" + Printable(name) + "\"",
          "it exists already: " + Named(other) + " \"" +
              Printable(families_.at(other).plain.name) + "\"");
    }
    families_[id].plain.name = name;
    ids_.emplace(name, id);
  } else if (!families_.contains(id)) {
    return Status::Corruption(
        std::string("an edit ") +
            (edit.column_family_drop ? "drops " : "names ") + Named(id),
        "no such column family exists");
  }
  if (!edit.column_family_drop) return Status::OK();
  if (id == kDefaultFamilyId) {
    return Status::Corruption("an edit drops the default column family");
  }
  ids_.erase(families_.at(id).plain.name);
  families_.erase(id);
  dropped_.insert(id);
  return Status::OK();
}

Status Replay::ApplyTables(VersionEdit* edit, Family* family) {
  for (const auto& [level, number] : edit->deleted_files) {
    const auto found = family->tables.find(number);
    if (found == family->tables.end() || found->second.level != level) {
      return Status::Corruption(
          "an edit deletes table " + number.ToString() + " from level " +
              level.ToString(),
          found == family->tables.end()
              ? "no such table exists"
              : "it is at level " + found->second.level.ToString());
    }
    family->tables.erase(found);
    deleted_.insert(number);
  }
  for (auto& [level, meta] : edit->new_files) {
    const FileNumber number = meta.number;
    if (!IsLevel(level)) {
      return Status::Corruption(
          "an edit adds table " + number.ToString() + " at level " +
              level.ToString(),
          "there are " + std::to_string(kNumLevels) + " levels");
    }
    deleted_.erase(number);
    if (!family->tables.emplace(number, Placed{level, std::move(meta)})
             .second) {
      return Status::Corruption(
          "an edit adds table " + number.ToString() + " twice",
          "at level " + level.ToString());
    }
  }
  return Status::OK();
}

void Replay::NoteUnsupported(const VersionEdit& edit, Family* family) const {
  for (const std::string& name : edit.unsupported) {
    std::vector<std::string>& known = family->unsupported;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    known.push_back(name);
    std::string& text = family->plain.unsupported;
    if (!text.empty()) text += ", ";
    text += name + " (record at offset " + std::to_string(offset_) + ")";
  }
}

Status Replay::FinishInto(ManifestState* state) {
  const char* missing = !any_log_number_     ? "log number"
                        : !next_file_number_ ? "next file number"
                        : !last_sequence_    ? "last sequence"
                                             : nullptr;
  state->max_column_family = max_column_family_;
  state->next_file_number = next_file_number_.value_or(kNoFile);
  state->last_sequence = last_sequence_.value_or(0);
  state->prev_log_number = prev_log_number_;
  state->min_log_number_to_keep = min_log_to_keep_;
  state->db_id = std::move(db_id_);
  state->unlogged_edits = unlogged_edits_;
  for (auto& [id, family] : families_) {
    for (auto& [number, placed] : family.tables) {
      if (!placed.meta.seqnos_known) state->leveldb = true;
      family.plain.files[placed.level].push_back(std::move(placed.meta));
    }
    // Sorted for a deterministic result.
    for (auto& files : family.plain.files) {
      std::sort(files.begin(), files.end(),
                [](const FileMetaData& a, const FileMetaData& b) {
                  return a.number < b.number;
                });
    }
    state->families.emplace(id, std::move(family.plain));
  }
  if (missing == nullptr) return Status::OK();
  return Status::Corruption(std::string("no record gives the ") + missing);
}

Status InRecord(const std::string& path, uint64_t offset,
                const Status& status) {
  return Status::Corruption(
      path + ": record at offset " + std::to_string(offset), status.message());
}

Result<std::unique_ptr<LogReader>> OpenManifest(FileSystem* fs,
                                                const std::string& directory,
                                                const ManifestState& state) {
  auto reader = LogReader::Open(fs, directory + "/" + state.name, state.number,
                                LogKind::kManifest);
  if (reader.status().IsPathNotFound()) {
    return Status::Corruption(
        CurrentFileName(directory),
        "it names " + state.name + ", which does not exist");
  }
  return reader;
}

Result<bool> HasIdentity(FileSystem* fs, const std::string& directory) {
  const Status status = fs->FileExists(IdentityFileName(directory));
  if (!status.ok() && !status.IsPathNotFound()) return status;
  return status.ok();
}

}  // namespace

Result<ManifestPrefix> ReadManifestPrefix(FileSystem* fs,
                                          const std::string& directory,
                                          const std::string& name) {
  ManifestPrefix prefix;
  ManifestState& state = prefix.state;
  state.name = name;
  if (const auto parsed = ParseFileName(name)) state.number = parsed->number;
  auto opened = OpenManifest(fs, directory, state);
  if (!opened.ok()) return opened.status();
  LogReader& reader = **opened;

  const std::string path = directory + "/" + name;
  Replay replay;
  std::string record;
  LogReader::Outcome outcome = LogReader::Outcome::kEnd;
  while (prefix.damage.ok() && (outcome = reader.ReadRecord(&record)) ==
                                   LogReader::Outcome::kRecord) {
    if (reader.after_zeros()) {
      // A power failure leaves this only after the last record.
      prefix.damage =
          Status::Corruption(path, "zeros before the record at offset " +
                                       std::to_string(reader.record_offset()) +
                                       ", where records are missing");
      break;
    }
    auto edit = VersionEdit::Decode(record);
    const bool decoded = edit.ok();
    const Status status =
        decoded ? replay.Add(std::move(edit).value(), reader.record_offset())
                : edit.status();
    if (!status.ok()) {
      prefix.damage = InRecord(
          path, decoded ? replay.offset() : reader.record_offset(), status);
    } else {
      ++prefix.edits;
      state.closed = record.empty();
    }
  }
  if (outcome == LogReader::Outcome::kCorrupt) {
    if (reader.status().IsIOError()) return reader.status();
    prefix.damage = reader.status();
  }
  if (outcome == LogReader::Outcome::kTornTail ||
      (outcome == LogReader::Outcome::kEnd && reader.after_zeros())) {
    state.torn_tail = true;
    state.torn_offset = reader.record_offset();
    state.torn_bytes = reader.bytes_dropped();
  }
  const Status status = replay.FinishInto(&state);
  if (!status.ok() && prefix.damage.ok()) {
    prefix.damage = InRecord(path, reader.record_offset(), status);
  }
  prefix.deleted = replay.deleted();
  prefix.dropped = replay.dropped();
  if (!state.leveldb && replay.only_leveldb_fields() &&
      !state.families.at(kDefaultFamilyId).comparator.empty()) {
    const auto identity = HasIdentity(fs, directory);
    if (!identity.ok()) return identity.status();
    state.leveldb = !*identity;
  }
  return prefix;
}

Result<ManifestState> ReadManifest(FileSystem* fs,
                                   const std::string& directory) {
  auto current = ReadCurrentFile(fs, directory);
  if (!current.ok()) return current.status();
  auto prefix = ReadManifestPrefix(fs, directory, *current);
  if (!prefix.ok()) return prefix.status();
  if (!prefix->damage.ok()) return prefix->damage;
  return std::move(prefix->state);
}

}  // namespace tamis
