// SPDX-License-Identifier: Apache-2.0
#include "db/base/options_debug.h"

#include "db/options/option_fields.h"

namespace tamis {

namespace {

template <typename Struct>
std::string Lines(const Struct& options) {
  std::string lines;
  for (const OptionField<Struct>& field : OptionTableOf<Struct>().fields) {
    lines += std::string(field.name) + "=" + field.print(options) + "\n";
  }
  return lines;
}

}  // namespace

std::string DebugString(const DBOptions& options) { return Lines(options); }

std::string DebugString(const ColumnFamilyOptions& options) {
  return Lines(options);
}

std::string DebugString(const BlockBasedTableOptions& options) {
  return Lines(options);
}

}  // namespace tamis
