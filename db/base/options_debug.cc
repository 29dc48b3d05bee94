// SPDX-License-Identifier: Apache-2.0
#include "db/base/options_debug.h"

#include "tamis/logger.h"

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

template <typename Struct>
void DumpTo(Logger* log, const Struct& options) {
  for (const OptionField<Struct>& field : OptionTableOf<Struct>().fields) {
    Header(log, "Options.%s: %s", std::string(field.name).c_str(),
           field.print(options).c_str());
  }
}

}  // namespace

std::string DebugString(const DBOptions& options) { return Lines(options); }

std::string DebugString(const ColumnFamilyOptions& options) {
  return Lines(options);
}

std::string DebugString(const BlockBasedTableOptions& options) {
  return Lines(options);
}

void DBOptions::Dump(Logger* log) const { DumpTo(log, *this); }

void ColumnFamilyOptions::Dump(Logger* log) const { DumpTo(log, *this); }

void Options::Dump(Logger* log) const {
  DBOptions::Dump(log);
  ColumnFamilyOptions::Dump(log);
}

}  // namespace tamis
