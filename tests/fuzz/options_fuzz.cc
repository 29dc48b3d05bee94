// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a string of options, and as an OPTIONS file. What is accepted,
// printed again, is accepted again and prints the same.
#include <string>
#include <vector>

#include "tamis/convenience.h"

#include "db/options/option_parser.h"
#include "db/options/options_file.h"
#include "tests/fuzz/fuzz_input.h"

namespace tamis {
namespace {

std::string Print(const Options& options) {
  std::string database;
  std::string family;
  Claim(GetStringFromDBOptions(ConfigOptions(), options, &database).ok());
  Claim(
      GetStringFromColumnFamilyOptions(ConfigOptions(), options, &family).ok());
  return database + family;
}

void ParseString(const std::string& text) {
  Options options;
  const Status status = GetOptionsFromString(options, text, &options);
  if (!status.ok()) {
    Claim(status.IsInvalidArgument() || status.IsNotSupported());
    Claim(Print(options) == Print(Options()));
    return;
  }
  const std::string printed = Print(options);
  Options again;
  Claim(GetOptionsFromString(again, printed, &again).ok());
  Claim(Print(again) == printed);
}

// Applies all sections, as LoadOptionsFromFile does.
bool Apply(const OptionsFileText& text, DBOptions* database,
           std::vector<NamedFamilyOptions>* families) {
  const ConfigOptions config;
  if (!ApplyOptions(config, text.database, database).ok()) return false;
  for (const OptionsFileText::Family& family : text.families) {
    NamedFamilyOptions& named = families->emplace_back();
    named.name = family.name;
    BlockBasedTableOptions table;
    if (!ApplyOptions(config, family.options, &named.options).ok() ||
        !ApplyOptions(config, family.table, &table).ok()) {
      return false;
    }
    named.options.table_factory.reset(NewBlockBasedTableFactory(table));
  }
  return true;
}

void ParseFile(const std::string& bytes) {
  const auto text = ParseOptionsFile(bytes, "OPTIONS");
  if (!text.ok()) {
    Claim(text.status().IsCorruption());
    Claim(text.status().message().find("OPTIONS: line ") == 0);
    return;
  }
  DBOptions database;
  std::vector<NamedFamilyOptions> families;
  if (!Apply(*text, &database, &families)) return;
  const std::string printed = PrintOptionsFile(database, families);
  const auto reread = ParseOptionsFile(printed, "OPTIONS");
  Claim(reread.ok());
  DBOptions database_again;
  std::vector<NamedFamilyOptions> again;
  Claim(Apply(*reread, &database_again, &again));
  Claim(PrintOptionsFile(database_again, again) == printed);
}

void Fuzz(FuzzInput input) {
  const std::string bytes = input.Rest();
  ParseString(bytes);
  ParseFile(bytes);
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
