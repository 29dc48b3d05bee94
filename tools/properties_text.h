// SPDX-License-Identifier: Apache-2.0
//
// A table's properties for people, in the words of RocksDB's tools.
#pragma once

#include <string>

#include "tamis/table_properties.h"

namespace tamis {

// A line each, "  name: value".
std::string PropertiesText(const TableProperties& properties);

}  // namespace tamis
