// SPDX-License-Identifier: Apache-2.0
//
// Merge operators under the names that RocksDB gives them, so that databases
// which hold their operands open in either.
#pragma once

#include <memory>
#include <string>

#include "tamis/merge_operator.h"

namespace tamis {

class MergeOperators {
 public:
  // "StringAppendOperator": values joined by the delimiter.
  static std::shared_ptr<MergeOperator> CreateStringAppendOperator(
      const std::string& delimiter = ",");
  // "UInt64AddOperator": the sum, modulo 2^64, of 8-byte little-endian
  // numbers. A value of another length counts as 0.
  static std::shared_ptr<MergeOperator> CreateUInt64AddOperator();
  // "MaxOperator": the bytewise largest.
  static std::shared_ptr<MergeOperator> CreateMaxOperator();

  // By the names above, or RocksDB's short ones (stringappend, uint64add, max;
  // a delimiter stands behind a colon: "stringappend:;"); nullptr: unknown.
  static std::shared_ptr<MergeOperator> CreateFromName(const std::string& name);
};

}  // namespace tamis
