// SPDX-License-Identifier: Apache-2.0
//
// A DBWithTTL is a DB whose values have a time to live: compactions remove what
// is older. Until then, reads may still return it.
//
//   DBWithTTL* db = nullptr;
//   Status status = DBWithTTL::Open(options, "/data", &db, /*ttl=*/3600);
//
// A value and a merge operand are stored with the time of their write behind
// them, as RocksDB's DBWithTTL stores them:
//
//   value | time  fixed32, Unix seconds
//
// So the directory must always be opened as a DBWithTTL, Tamis's or RocksDB's,
// and tables to ingest must have such values. The options' compaction filter,
// factory and merge operator are called without the times; the result of a
// merge gets the time of the merge.
//
// Values of a database that was not written so: reads fail with Corruption, and
// compactions keep them.
//
// Threads: any thread may call any method at any time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tamis/export.h"
#include "tamis/utilities/stackable_db.h"

namespace tamis {

class TAMIS_EXPORT DBWithTTL : public StackableDB {
 public:
  // Open the database as DB::Open does, or as DB::OpenForReadOnly. `ttl` is in
  // seconds; <= 0 means that nothing expires. It is not stored.
  static Status Open(const Options& options, const std::string& name,
                     DBWithTTL** db, int32_t ttl = 0, bool read_only = false);
  // ttls[i] belongs to families[i]. Returns InvalidArgument if there are not as
  // many.
  static Status Open(const DBOptions& options, const std::string& name,
                     const std::vector<ColumnFamilyDescriptor>& families,
                     std::vector<ColumnFamilyHandle*>* handles, DBWithTTL** db,
                     const std::vector<int32_t>& ttls, bool read_only = false);

  // As CreateColumnFamily, whose families have no limit.
  virtual Status CreateColumnFamilyWithTtl(const ColumnFamilyOptions& options,
                                           const std::string& family_name,
                                           ColumnFamilyHandle** handle,
                                           int32_t ttl) = 0;

  // Set the time to live of a family for compactions that begin later.
  virtual void SetTtl(ColumnFamilyHandle* family, int32_t ttl) = 0;
  void SetTtl(int32_t ttl) { SetTtl(DefaultColumnFamily(), ttl); }
  // Sets *ttl to it. Returns InvalidArgument if the family is not of this
  // database.
  virtual Status GetTtl(ColumnFamilyHandle* family, int32_t* ttl) = 0;

 protected:
  using StackableDB::StackableDB;
};

}  // namespace tamis
