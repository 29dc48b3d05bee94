// SPDX-License-Identifier: Apache-2.0
//
// RepairFamilies determines the column families of a directory under repair,
// and the family of each table that the MANIFEST does not list.
//
//   MANIFEST               families
//   complete, and lost     those of the MANIFEST; a table of another family
//   no edits               belongs to a dropped one
//   otherwise              also those that tables name, unless an edit dropped
//                          them; and those that logs name, if their ids are
//                          above all ids of the MANIFEST
//
// A complete MANIFEST has lost edits if a table that it lists is missing, a
// table is of a family with a higher id than it knows, or a table has sequence
// numbers between its last one and the logs (SequenceGap in lost_edits.h).
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
  FileNumber log_number;  // older logs have no entries that it needs
  std::vector<RepairTable> tables;
};

class RepairFamilies {
 public:
  // All arguments must outlive *this.
  RepairFamilies(const DBContext& context, const RepairRequest& request,
                 const FoundFiles& files)
      : context_(context), request_(request), found_(files) {}

  // Finds the families and the owners of unlisted tables. Returns the errors of
  // the file system, NotSupported if a family needs a feature that this release
  // lacks, and InvalidArgument if a comparator differs. REQUIRES: called once,
  // before all other calls.
  Status Find(FoundManifest manifest);

  std::map<FamilyId, RepairFamily>& all() { return families_; }
  const ManifestState& manifest() const { return manifest_; }
  // Returns whether the MANIFEST is complete and lost no edits. Tables that it
  // does not list are then obsolete.
  bool manifest_is_whole() const { return manifest_is_whole_; }
  // Returns the owners of the tables found that the MANIFEST neither lists nor
  // deletes, by number.
  const std::map<FileNumber, TableOwner>& owners() const { return owners_; }
  // Returns the family of such a table, or nullptr if it was dropped or the
  // table does not name it. If there is only one family, a table that names
  // none belongs to it.
  RepairFamily* FamilyOf(const TableOwner& owner);
  // Returns the family of a change in a log, or nullptr if the change is not
  // needed. Adds the family if the MANIFEST may have lost it.
  const ColumnFamily* FamilyOfChange(FamilyId id, FileNumber log_number);
  // Returns whether a family may need changes of the log, or a later log may
  // end a transaction that is prepared in it.
  bool NeedsLog(FileNumber number) const {
    return number >= manifest_.min_log_number_to_keep ||
           number == manifest_.prev_log_number;
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
  // Returns the oldest log that the MANIFEST needs.
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
