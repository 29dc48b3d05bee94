// SPDX-License-Identifier: Apache-2.0
//
// Formats a table's properties in the words of RocksDB's tools.
#pragma once

#include <map>
#include <string>

#include "tamis/table_properties.h"

namespace tamis {

// Whose text: Tamis's own, which is RocksDB 7's with further sections, or
// exactly that of a release of RocksDB without the line "unique ID".
enum class TextForm {
  kOwn,
  kRocksDB7,
  kRocksDB11,
};

// As a table stores them.
using StoredProperties = std::map<std::string, std::string>;

// One line each, "  name: value": the properties that RocksDB shows. `stored`
// has those that only RocksDB 11 writes.
std::string PropertiesText(const TableProperties& properties,
                           const StoredProperties& stored, TextForm form);
// Those that RocksDB 7 does not show: as text where their type is known or they
// are printable, else in hex.
std::string FurtherPropertiesText(const StoredProperties& stored);
// The same as RocksDB shows them, "  # name: 0xHEX".
std::string RawPropertiesText(const StoredProperties& stored, TextForm form);
// All of them as a JSON object, in the words and the order of the texts.
std::string PropertiesJson(const TableProperties& properties,
                           const StoredProperties& stored);

}  // namespace tamis
