// SPDX-License-Identifier: Apache-2.0
//
// The entries of a table that has no blocks, in key order. translated_table.h
// makes blocks of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tamis/slice.h"
#include "tamis/table_properties.h"

#include "util/base/result.h"

namespace tamis {

// Where an entry is.
struct EntryPosition {
  uint64_t at = 0;      // an offset or a number, ascending
  std::string context;  // what the source needs to begin there; often empty
};

// Const; any thread.
class EntrySource {
 public:
  virtual ~EntrySource() = default;

  // Receives an internal key and its value, which are valid during the call. An
  // error ends the Scan, which returns it. `position` returns that of the
  // entry.
  using Visit =
      std::function<Status(const Slice& key, const Slice& value,
                           const std::function<EntryPosition()>& position)>;
  // Visits the entries from `begin` up to, not including, `end`. They should be
  // in key order, but that is not checked. Returns Corruption, which names the
  // file, if one is malformed.
  virtual Status Scan(const EntryPosition& begin, uint64_t end,
                      const Visit& visit) const = 0;
  // Returns the `end` behind the last entry. The first is at EntryPosition().
  virtual uint64_t end() const = 0;

  virtual const TableProperties& properties() const = 0;
  virtual size_t memory_usage() const = 0;
};

}  // namespace tamis
