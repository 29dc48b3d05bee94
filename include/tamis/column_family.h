// SPDX-License-Identifier: Apache-2.0
//
// A column family is a map of its own within a database, with options and files
// of its own. A batch may change several atomically.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "tamis/column_family_options.h"
#include "tamis/comparator.h"
#include "tamis/export.h"

namespace tamis {

TAMIS_EXPORT extern const std::string kDefaultColumnFamilyName;  // "default"

// Identifies a column family of an open database. The caller deletes a handle,
// by DestroyColumnFamilyHandle or `delete`, before the database is closed; the
// database owns DefaultColumnFamily(). A dropped family remains readable, but
// not writable, through its handles; its files are deleted with the last
// handle.
class TAMIS_EXPORT ColumnFamilyHandle {
 public:
  virtual ~ColumnFamilyHandle();

  // Returns its name, its number in the MANIFEST, and the order of its keys.
  virtual const std::string& GetName() const = 0;
  virtual uint32_t GetID() const = 0;
  virtual const Comparator* GetComparator() const = 0;
};

// A family to open or to create, and its options.
struct ColumnFamilyDescriptor {
  // The default family, with default options.
  ColumnFamilyDescriptor() : name(kDefaultColumnFamilyName) {}
  // Sets both members.
  ColumnFamilyDescriptor(std::string family_name,
                         const ColumnFamilyOptions& family_options)
      : name(std::move(family_name)), options(family_options) {}

  // Any bytes. kDefaultColumnFamilyName is the family that every database has.
  std::string name;
  // What DB::Open is to use for the family.
  ColumnFamilyOptions options;
};

}  // namespace tamis
