// SPDX-License-Identifier: Apache-2.0
//
// Determines the column families of a directory under repair, and the family of
// each table that no MANIFEST lists.
//
//   the MANIFEST is complete,   its families: a table of any other family
//   and lost no edits           belongs to a dropped one
//   otherwise                   tables reveal further families, unless an edit
//                               dropped them; so do logs, for ids unknown to
//                               the MANIFEST
//
// One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "db/base/numbers.h"
#include "db/family/column_family.h"
#include "db/repair/repair.h"
#include "db/repair/repair_files.h"
#include "db/repair/repair_layout.h"
#include "db/repair/repair_tables.h"

namespace tamis {

struct RepairFamily {
  std::unique_ptr<ColumnFamily> family;
  FileNumber log_number;  // older logs hold nothing for it
  std::vector<RepairTable> tables;
};

class RepairFamilies {
 public:
  // All arguments must outlive *this.
  RepairFamilies(const DBContext& context, const RepairRequest& request,
                 const FoundFiles& files)
      : context_(context), request_(request), found_(files) {}

  // REQUIRES: called first.
  Status Find(FoundManifest manifest);

  std::map<FamilyId, RepairFamily>& all() { return families_; }
  const ManifestState& manifest() const { return manifest_; }
  // True: tables that it does not list are obsolete.
  bool manifest_is_whole() const { return manifest_is_whole_; }
  // Owners of tables that it neither lists nor deleted.
  const std::map<FileNumber, TableOwner>& owners() const { return owners_; }
  // The family of such a table; nullptr: dropped or unknown.
  RepairFamily* FamilyOf(const TableOwner& owner);
  // The family of a change in a log; nullptr: the change is not needed.
  const ColumnFamily* FamilyOfChange(FamilyId id, FileNumber log_number);
  bool NeedsLog(FileNumber number) const {
    return number >= FirstNeededLog() || number == manifest_.prev_log_number;
  }

 private:
  Status AddFamilies();
  Status FindOwners();
  Status LookForGap();
  void NoteForgotten(FileNumber number);
  Status AddUnlistedFamilies();
  Status AddFamily(FamilyId id, const std::string& name,
                   const std::string& comparator, FileNumber log_number);
  void NoteRevived(FamilyId id, const std::string& name);
  const ColumnFamilyOptions& OptionsOf(const std::string& name) const;
  FileNumber FirstNeededLog() const;

  const DBContext& context_;
  const RepairRequest& request_;
  const FoundFiles& found_;
  ManifestState manifest_;
  std::set<FileNumber> deleted_;  // tables, by the MANIFEST
  std::set<FamilyId> dropped_;    // families, by the MANIFEST
  bool manifest_is_whole_ = false;
  std::set<FileNumber> listed_;  // tables of live families
  std::map<FileNumber, TableOwner> owners_;
  std::map<FamilyId, RepairFamily> families_;
};

}  // namespace tamis
