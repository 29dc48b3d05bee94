// SPDX-License-Identifier: Apache-2.0
//
// Copies a table and gives it new filters: data blocks and range tombstones as
// they are stored, filters and index anew.
//
//   source   data blocks | filters | index | ...
//                │           │
//                │ payloads  └─ dropped
//                ├──────────────▶ data blocks      uncompressed only to read
//                └─ keys ───────▶ filters, index   their keys
//
// The copy has the format version, the checksum type and the properties of the
// source, except those of filters, index and identity. Every block that is read
// is verified.
//
// One thread.
#pragma once

#include <functional>
#include <string>

#include "tamis/file_system.h"
#include "tamis/table_properties.h"

#include "table/table_builder.h"
#include "table/table_reader.h"
#include "util/base/result.h"

namespace tamis {

class TableCopy {
 public:
  // Takes over from the source what the copy keeps. `options` are those of a
  // new table of the family; what they say of data blocks and compression does
  // not apply. `source` must outlive *this.
  TableCopy(const TableReader& source, TableBuildOptions options);

  // Returns NotSupported, which says why, if the table holds something that the
  // copy could not keep: it has no properties, was made for ingestion, or
  // has a block of unknown meaning.
  Status CheckSupported() const;
  // Returns whether filters written now would differ by more than `factor`: see
  // RewriteFiltersOptions::size_factor. Returns InvalidArgument if the filter's
  // options conflict.
  Result<bool> IsDue(double factor) const;

  struct Written {
    uint64_t size = 0;
    TableProperties properties;
    std::string filters;  // as TableFileWriter::DescribeFilters returns it
    std::string filter_reason;
  };
  // Writes the copy, and neither syncs nor closes the file. Returns Corruption
  // if the source is damaged, ShutdownInProgress soon after `cancelled` has
  // returned true. `cancelled` may be empty. REQUIRES: CheckSupported() is OK.
  Result<Written> WriteTo(WritableFile* file,
                          const std::function<bool()>& cancelled) const;

 private:
  class Blocks;
  TableProperties InitialProperties() const;
  Result<std::string> Tombstones() const;

  const TableReader& source_;
  TableBuildOptions options_;
};

}  // namespace tamis
