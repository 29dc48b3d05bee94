// SPDX-License-Identifier: Apache-2.0
//
// Formats a table's properties in the words of RocksDB's tools.
#pragma once

#include <string>

#include "tamis/table_properties.h"

namespace tamis {

// One line each, "  name: value": the properties that RocksDB shows,
std::string PropertiesText(const TableProperties& properties);
// and those it does not: all without a field of their own, in hex.
std::string FurtherPropertiesText(const TableProperties& properties);

}  // namespace tamis
