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
  virtual const std::string& GetName() const = 0;
  virtual uint32_t GetID() const = 0;
  virtual const Comparator* GetComparator() const = 0;
};

struct ColumnFamilyDescriptor {
  ColumnFamilyDescriptor() : name(kDefaultColumnFamilyName) {}
  ColumnFamilyDescriptor(std::string family_name,
                         const ColumnFamilyOptions& family_options)
      : name(std::move(family_name)), options(family_options) {}

  std::string name;
  ColumnFamilyOptions options;
};

}  // namespace tamis
