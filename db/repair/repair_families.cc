// SPDX-License-Identifier: Apache-2.0
#include "db/repair/repair_families.h"

#include <algorithm>
#include <span>
#include <utility>

#include "db/base/file_names.h"
#include "util/coding/printable.h"

namespace tamis {

Status RepairFamilies::Find(FoundManifest manifest) {
  manifest_ = std::move(manifest.state);
  deleted_ = std::move(manifest.deleted);
  dropped_ = std::move(manifest.dropped);
  manifest_is_whole_ = manifest.whole;
  TAMIS_RETURN_IF_ERROR(AddFamilies());
  TAMIS_RETURN_IF_ERROR(FindOwners());
  TAMIS_RETURN_IF_ERROR(LookForGap());
  return AddUnlistedFamilies();
}

void RepairFamilies::NoteRevived(FamilyId id, const std::string& name) {
  context_.event_log->Event("repair_family_revived")
      .Add("id", id.value())
      .Add("name", Slice(name));
}

RepairFamily* RepairFamilies::FamilyOf(const TableOwner& owner) {
  const auto family = families_.find(owner.id);
  // With only one family, a table without an owner belongs to it.
  const bool known =
      family != families_.end() && (owner.known || families_.size() == 1);
  return known ? &family->second : nullptr;
}

const ColumnFamilyOptions& RepairFamilies::OptionsOf(
    const std::string& name) const {
  for (const ColumnFamilyDescriptor& family : request_.families) {
    if (family.name == name) return family.options;
  }
  return request_.unknown_family;
}

Status RepairFamilies::AddFamily(FamilyId id, const std::string& name,
                                 const std::string& comparator,
                                 FileNumber log_number) {
  const ColumnFamilyOptions& options = OptionsOf(name);
  if (options.comparator == nullptr) {
    return Status::InvalidArgument("ColumnFamilyOptions::comparator",
                                   "it is nullptr");
  }
  if (!comparator.empty() && comparator != options.comparator->Name()) {
    return Status::InvalidArgument(
        std::string("comparator ") + options.comparator->Name(),
        "column family " + Printable(name) + " was created with " +
            Printable(comparator));
  }
  families_[id].family =
      std::make_unique<ColumnFamily>(context_, id, name, options);
  families_[id].log_number = log_number;
  return Status::OK();
}

Status RepairFamilies::AddFamilies() {
  for (const auto& [id, family] : manifest_.families) {
    if (!family.unsupported.empty()) {
      return Status::NotSupported(manifest_.name + " needs " +
                                  family.unsupported);
    }
    TAMIS_RETURN_IF_ERROR(AddFamily(id, family.name, family.comparator,
                                    family.log_number.value_or(kNoFile)));
    for (const auto& files : family.files) {
      for (const FileMetaData& file : files) listed_.insert(file.number);
    }
  }
  if (families_.empty())
    return AddFamily(kDefaultFamilyId, "default", "", kNoFile);
  return Status::OK();
}

Status RepairFamilies::FindOwners() {
  for (const auto& [number, found] : found_.tables) {
    if (listed_.contains(number) || deleted_.contains(number)) continue;
    auto owner = ReadTableOwner(context_, MetaOf(number, found));
    if (owner.ok()) {
      owners_[number] = std::move(owner).value();
      continue;
    }
    if (owner.status().IsIOError()) return owner.status();
    owners_[number] = TableOwner();
  }
  return Status::OK();
}

FileNumber RepairFamilies::FirstNeededLog() const {
  if (manifest_.min_log_number_to_keep != kNoFile) {
    return manifest_.min_log_number_to_keep;
  }
  FileNumber first = kFileNumberMax;
  for (const auto& [id, family] : families_) {
    first = std::min(first, family.log_number);
  }
  return first;
}

void RepairFamilies::NoteForgotten(FileNumber number) {
  context_.event_log->Event("repair_manifest_forgot")
      .Add("file", number.value());
  manifest_is_whole_ = false;
}

// Finds out whether a MANIFEST that looks complete lost its last records. Then
// it lists tables that are gone, or tables exist that it cannot know.
Status RepairFamilies::LookForGap() {
  if (!manifest_is_whole_) return Status::OK();
  for (const FileNumber number : listed_) {
    if (!found_.tables.contains(number)) NoteForgotten(number);
  }
  for (const auto& [number, owner] : owners_) {
    if (owner.id > manifest_.max_column_family) NoteForgotten(number);
  }
  if (!manifest_is_whole_) return Status::OK();
  const FileNumber first_log = FirstNeededLog();
  if (std::binary_search(found_.logs.begin(), found_.logs.end(), first_log)) {
    return Status::OK();
  }
  const std::span<const FileNumber> needed(
      std::lower_bound(found_.logs.begin(), found_.logs.end(), first_log),
      found_.logs.end());
  const SequenceGap gap = GapBefore(context_, manifest_.last_sequence, needed);
  if (gap.begin >= gap.end) return Status::OK();
  for (const auto& [number, owner] : owners_) {
    const auto family = families_.find(owner.id);
    if (family == families_.end()) continue;
    const auto scan = ScanTable(*family->second.family,
                                MetaOf(number, found_.tables.at(number)), gap);
    if (!scan.ok()) return scan.status();
    if (!scan->status.ok() || !scan->in_gap) continue;
    NoteForgotten(number);
    return Status::OK();
  }
  return Status::OK();
}

// Adds families that only tables name. Of two with the same name, the one with
// the lower id was dropped, unless it is the default one.
Status RepairFamilies::AddUnlistedFamilies() {
  if (manifest_is_whole_) return Status::OK();
  std::map<std::string, FamilyId> names;
  for (const auto& [id, family] : families_) {
    names[family.family->name()] = id;
  }
  for (const auto& [number, owner] : owners_) {
    if (!owner.known || families_.contains(owner.id) ||
        dropped_.contains(owner.id)) {
      continue;
    }
    const std::string name =
        owner.name.empty() ? "unnamed_" + owner.id.ToString() : owner.name;
    const auto [at, is_new] = names.emplace(name, owner.id);
    if (!is_new) {
      if (at->second == kDefaultFamilyId || at->second > owner.id) continue;
      families_.erase(at->second);
      at->second = owner.id;
    }
    TAMIS_RETURN_IF_ERROR(AddFamily(owner.id, name, "", kNoFile));
    NoteRevived(owner.id, name);
  }
  return Status::OK();
}

const ColumnFamily* RepairFamilies::FamilyOfChange(FamilyId id,
                                                   FileNumber log_number) {
  auto family = families_.find(id);
  if (family == families_.end()) {
    if (manifest_is_whole_ || id <= manifest_.max_column_family) {
      return nullptr;
    }
    // The family's name is lost, but its changes are not.
    const std::string name = "unnamed_" + id.ToString();
    if (!AddFamily(id, name, "", kNoFile).ok()) return nullptr;
    NoteRevived(id, name);
    family = families_.find(id);
  }
  return log_number < family->second.log_number &&
                 log_number != manifest_.prev_log_number
             ? nullptr
             : family->second.family.get();
}

}  // namespace tamis
