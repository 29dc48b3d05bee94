// SPDX-License-Identifier: Apache-2.0
//
// Merge operators that RocksDB has too, under the same names. Either library
// opens databases with their operands.
#pragma once

#include <memory>
#include <string>

#include "tamis/export.h"
#include "tamis/merge_operator.h"

namespace tamis {

class TAMIS_EXPORT MergeOperators {
 public:
  // Joins values with the delimiter. Its name is "StringAppendOperator".
  static std::shared_ptr<MergeOperator> CreateStringAppendOperator(
      const std::string& delimiter = ",");
  // Adds 8-byte little-endian numbers modulo 2^64. A value of another length
  // counts as 0. Its name is "UInt64AddOperator".
  static std::shared_ptr<MergeOperator> CreateUInt64AddOperator();
  // Keeps the bytewise largest value. Its name is "MaxOperator".
  static std::shared_ptr<MergeOperator> CreateMaxOperator();

  // Creates the operator of a name above, or of RocksDB's short ones
  // (stringappend, uint64add, max). A delimiter follows a colon:
  // "stringappend:;". Returns nullptr if the name is unknown.
  static std::shared_ptr<MergeOperator> CreateFromName(const std::string& name);
};

}  // namespace tamis
