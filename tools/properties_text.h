// SPDX-License-Identifier: Apache-2.0
//
// A table's properties for people, in the words of RocksDB's tools.
#pragma once

#include <string>

#include "tamis/table_properties.h"

namespace tamis {

// A line each, "  name: value": what RocksDB shows,
std::string PropertiesText(const TableProperties& properties);
// and what it does not: everything that has no field of its own, in hex.
std::string FurtherPropertiesText(const TableProperties& properties);

}  // namespace tamis
