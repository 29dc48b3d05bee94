// SPDX-License-Identifier: Apache-2.0
//
// The options of a table factory, whatever its format.
#pragma once

#include "tamis/table.h"

namespace tamis {

// Returns visit(options), with the BlockBasedTableOptions, PlainTableOptions or
// CuckooTableOptions that the factory was made with.
template <typename Visit>
auto VisitTableOptions(const TableFactory& factory, const Visit& visit) {
  if (factory.plain_options() != nullptr) {
    return visit(*factory.plain_options());
  }
  if (factory.cuckoo_options() != nullptr) {
    return visit(*factory.cuckoo_options());
  }
  return visit(factory.block_based_options());
}

}  // namespace tamis
