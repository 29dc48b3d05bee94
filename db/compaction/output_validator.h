// SPDX-License-Identifier: Apache-2.0
//
// An OutputValidator sees the entries that go into a table, and compares them
// with what the finished table has: ColumnFamilyOptions::paranoid_file_checks.
// Checksums find what changed after it was written. This finds what was written
// wrong.
//
// One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tamis/slice.h"
#include "tamis/status.h"

#include "table/table_reader.h"

namespace tamis {

class OutputValidator {
 public:
  // Without `enabled`, it does nothing.
  explicit OutputValidator(bool enabled) : enabled_(enabled) {}

  // Takes an entry, in the order of the table.
  void Add(const Slice& internal_key, const Slice& value) {
    if (enabled_) [[unlikely]]
      Take(internal_key, value);
  }
  // Reads the whole table, whose file has this path. Returns Corruption if it
  // does not have the entries that Add got, or the error of reading. Range
  // deletions are not compared.
  Status Check(const TableReader& table, const std::string& path,
               size_t readahead_bytes) const;

 private:
  void Take(const Slice& internal_key, const Slice& value);

  bool enabled_;
  uint64_t entries_ = 0;
  uint64_t hash_ = 0;  // of all of them, in order
};

}  // namespace tamis
