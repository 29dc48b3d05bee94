// SPDX-License-Identifier: Apache-2.0
//
// Merge operators that RocksDB has too, under the same names: either library
// opens databases with their operands.
#pragma once

#include <memory>
#include <string>

#include "tamis/merge_operator.h"

namespace tamis {

class MergeOperators {
 public:
  // "StringAppendOperator": joins values with the delimiter.
  static std::shared_ptr<MergeOperator> CreateStringAppendOperator(
      const std::string& delimiter = ",");
  // "UInt64AddOperator": adds 8-byte little-endian numbers modulo 2^64. A value
  // of another length counts as 0.
  static std::shared_ptr<MergeOperator> CreateUInt64AddOperator();
  // "MaxOperator": keeps the bytewise largest.
  static std::shared_ptr<MergeOperator> CreateMaxOperator();

  // Accepts the names above and RocksDB's short ones (stringappend, uint64add,
  // max). A colon precedes a delimiter: "stringappend:;". nullptr: unknown.
  static std::shared_ptr<MergeOperator> CreateFromName(const std::string& name);
};

}  // namespace tamis
