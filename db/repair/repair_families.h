// SPDX-License-Identifier: Apache-2.0
//
// Which column families a directory that is being repaired holds, and whose the
// tables are that no MANIFEST lists.
//
//   the MANIFEST reads to its end,   what it says: a table of another family is
//   and has forgotten nothing        of one that was dropped
//   otherwise                        tables tell of further families, unless an
//                                    edit dropped them; and so do logs, of ids
//                                    that the MANIFEST has not heard of
//
// One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "db/family/column_family.h"
#include "db/repair/repair.h"
#include "db/repair/repair_files.h"
#include "db/repair/repair_layout.h"
#include "db/repair/repair_tables.h"

namespace tamis {

struct RepairFamily {
  std::unique_ptr<ColumnFamily> family;
  uint64_t log_number = 0;  // older logs hold nothing for it
  std::vector<RepairTable> tables;
};

class RepairFamilies {
 public:
  // Everything outlives it.
  RepairFamilies(const DBContext& context, const RepairRequest& request,
                 const FoundFiles& files)
      : context_(context), request_(request), found_(files) {}

  // Before all else.
  Status Find(FoundManifest manifest);

  std::map<uint32_t, RepairFamily>& all() { return families_; }
  const ManifestState& manifest() const { return manifest_; }
  // Tables that it does not list are leftovers.
  bool manifest_is_whole() const { return manifest_is_whole_; }
  // Of the tables that it neither lists nor says to be deleted.
  const std::map<uint64_t, TableOwner>& owners() const { return owners_; }
  // The family of such a table; nullptr: it is dropped, or nobody knows.
  RepairFamily* FamilyOf(const TableOwner& owner);
  // The family of a change in a log; nullptr: it does not need it.
  const ColumnFamily* FamilyOfChange(uint32_t id, uint64_t log_number);
  bool NeedsLog(uint64_t number) const {
    return number >= FirstNeededLog() || number == manifest_.prev_log_number;
  }

 private:
  Status AddFamilies();
  Status FindOwners();
  Status LookForGap();
  void NoteForgotten(uint64_t number);
  Status AddUnlistedFamilies();
  Status AddFamily(uint32_t id, const std::string& name,
                   const std::string& comparator, uint64_t log_number);
  void NoteRevived(uint32_t id, const std::string& name);
  const ColumnFamilyOptions& OptionsOf(const std::string& name) const;
  uint64_t FirstNeededLog() const;

  const DBContext& context_;
  const RepairRequest& request_;
  const FoundFiles& found_;
  ManifestState manifest_;
  std::set<uint64_t> deleted_;  // tables, as the MANIFEST says
  std::set<uint32_t> dropped_;  // families, as the MANIFEST says
  bool manifest_is_whole_ = false;
  std::set<uint64_t> listed_;  // tables of live families
  std::map<uint64_t, TableOwner> owners_;
  std::map<uint32_t, RepairFamily> families_;
};

}  // namespace tamis
