// SPDX-License-Identifier: Apache-2.0
#include "tamis/convenience.h"

#include <algorithm>

#include "db/options/option_enums.h"
#include "db/options/option_parser.h"
#include "util/base/exceptions.h"
#include "util/base/result.h"
#include "util/compression/compression.h"

namespace tamis {

namespace {

using OptionMap = std::unordered_map<std::string, std::string>;

// What the overloads without ConfigOptions mean.
ConfigOptions Strict(bool input_strings_escaped, bool ignore_unknown_options) {
  ConfigOptions config;
  config.ignore_unknown_options = ignore_unknown_options;
  config.ignore_unsupported_options = false;
  config.input_strings_escaped = input_strings_escaped;
  return config;
}
ConfigOptions Strict() {
  return Strict(/*input_strings_escaped=*/true,
                /*ignore_unknown_options=*/false);
}

// `base` and *result may be the same object.
template <typename Struct>
Status FromPairs(const ConfigOptions& config, const Struct& base,
                 const OptionPairs& pairs, Struct* result) {
  Struct parsed = base;
  Status status = ApplyOptions(config, pairs, &parsed);
  if (!status.ok()) parsed = base;
  *result = std::move(parsed);
  return status;
}

template <typename Struct>
Status FromMap(const ConfigOptions& config, const Struct& base,
               const OptionMap& map, Struct* result) {
  return CatchExceptions([&] {
    // In an order that does not depend on the map.
    OptionPairs pairs(map.begin(), map.end());
    std::sort(pairs.begin(), pairs.end());
    return FromPairs(config, base, pairs, result);
  });
}

template <typename Struct>
Status FromString(const ConfigOptions& config, const Struct& base,
                  const std::string& text, Struct* result) {
  return CatchExceptions([&] {
    OptionPairs pairs;
    const Status split = SplitOptions(text, &pairs);
    if (split.ok()) return FromPairs(config, base, pairs, result);
    *result = Struct(base);
    return split;
  });
}

template <typename Struct>
Status ToString(const ConfigOptions& config, const Struct& options,
                std::string* text) {
  return CatchExceptions([&] {
    *text = PrintOptions(config, options);
    return Status::OK();
  });
}

ConfigOptions WithDelimiter(const std::string& delimiter) {
  ConfigOptions config;
  config.delimiter = delimiter;
  return config;
}

}  // namespace

Status GetDBOptionsFromMap(const ConfigOptions& config_options,
                           const DBOptions& base_options,
                           const OptionMap& opts_map, DBOptions* new_options) {
  return FromMap(config_options, base_options, opts_map, new_options);
}

Status GetDBOptionsFromMap(const DBOptions& base_options,
                           const OptionMap& opts_map, DBOptions* new_options,
                           bool input_strings_escaped,
                           bool ignore_unknown_options) {
  return FromMap(Strict(input_strings_escaped, ignore_unknown_options),
                 base_options, opts_map, new_options);
}

Status GetDBOptionsFromString(const ConfigOptions& config_options,
                              const DBOptions& base_options,
                              const std::string& opts_str,
                              DBOptions* new_options) {
  return FromString(config_options, base_options, opts_str, new_options);
}

Status GetDBOptionsFromString(const DBOptions& base_options,
                              const std::string& opts_str,
                              DBOptions* new_options) {
  return FromString(Strict(), base_options, opts_str, new_options);
}

Status GetColumnFamilyOptionsFromMap(const ConfigOptions& config_options,
                                     const ColumnFamilyOptions& base_options,
                                     const OptionMap& opts_map,
                                     ColumnFamilyOptions* new_options) {
  return FromMap(config_options, base_options, opts_map, new_options);
}

Status GetColumnFamilyOptionsFromMap(const ColumnFamilyOptions& base_options,
                                     const OptionMap& opts_map,
                                     ColumnFamilyOptions* new_options,
                                     bool input_strings_escaped,
                                     bool ignore_unknown_options) {
  return FromMap(Strict(input_strings_escaped, ignore_unknown_options),
                 base_options, opts_map, new_options);
}

Status GetColumnFamilyOptionsFromString(const ConfigOptions& config_options,
                                        const ColumnFamilyOptions& base_options,
                                        const std::string& opts_str,
                                        ColumnFamilyOptions* new_options) {
  return FromString(config_options, base_options, opts_str, new_options);
}

Status GetColumnFamilyOptionsFromString(const ColumnFamilyOptions& base_options,
                                        const std::string& opts_str,
                                        ColumnFamilyOptions* new_options) {
  return FromString(Strict(), base_options, opts_str, new_options);
}

Status GetBlockBasedTableOptionsFromMap(
    const ConfigOptions& config_options,
    const BlockBasedTableOptions& table_options, const OptionMap& opts_map,
    BlockBasedTableOptions* new_table_options) {
  return FromMap(config_options, table_options, opts_map, new_table_options);
}

Status GetBlockBasedTableOptionsFromMap(
    const BlockBasedTableOptions& table_options, const OptionMap& opts_map,
    BlockBasedTableOptions* new_table_options, bool input_strings_escaped,
    bool ignore_unknown_options) {
  return FromMap(Strict(input_strings_escaped, ignore_unknown_options),
                 table_options, opts_map, new_table_options);
}

Status GetBlockBasedTableOptionsFromString(
    const ConfigOptions& config_options,
    const BlockBasedTableOptions& table_options, const std::string& opts_str,
    BlockBasedTableOptions* new_table_options) {
  return FromString(config_options, table_options, opts_str, new_table_options);
}

Status GetBlockBasedTableOptionsFromString(
    const BlockBasedTableOptions& table_options, const std::string& opts_str,
    BlockBasedTableOptions* new_table_options) {
  return FromString(Strict(), table_options, opts_str, new_table_options);
}

Status GetPlainTableOptionsFromMap(const ConfigOptions& config_options,
                                   const PlainTableOptions& table_options,
                                   const OptionMap& opts_map,
                                   PlainTableOptions* new_table_options) {
  return FromMap(config_options, table_options, opts_map, new_table_options);
}

Status GetPlainTableOptionsFromMap(const PlainTableOptions& table_options,
                                   const OptionMap& opts_map,
                                   PlainTableOptions* new_table_options,
                                   bool input_strings_escaped,
                                   bool ignore_unknown_options) {
  return FromMap(Strict(input_strings_escaped, ignore_unknown_options),
                 table_options, opts_map, new_table_options);
}

Status GetPlainTableOptionsFromString(const ConfigOptions& config_options,
                                      const PlainTableOptions& table_options,
                                      const std::string& opts_str,
                                      PlainTableOptions* new_table_options) {
  return FromString(config_options, table_options, opts_str, new_table_options);
}

Status GetPlainTableOptionsFromString(const PlainTableOptions& table_options,
                                      const std::string& opts_str,
                                      PlainTableOptions* new_table_options) {
  return FromString(Strict(), table_options, opts_str, new_table_options);
}

Status GetOptionsFromString(const ConfigOptions& config_options,
                            const Options& base_options,
                            const std::string& opts_str, Options* new_options) {
  return CatchExceptions([&] {
    OptionPairs pairs;
    OptionPairs of_database;
    OptionPairs of_family;
    Status status = SplitOptions(opts_str, &pairs);
    for (auto& pair : pairs) {
      (IsDatabaseOption(pair.first) ? of_database : of_family)
          .push_back(std::move(pair));
    }
    Options parsed = base_options;
    if (status.ok()) {
      status = ApplyOptions(config_options, of_database,
                            static_cast<DBOptions*>(&parsed));
    }
    if (status.ok()) {
      status = ApplyOptions(config_options, of_family,
                            static_cast<ColumnFamilyOptions*>(&parsed));
    }
    if (!status.ok()) parsed = base_options;
    *new_options = std::move(parsed);
    return status;
  });
}

Status GetOptionsFromString(const Options& base_options,
                            const std::string& opts_str, Options* new_options) {
  return GetOptionsFromString(Strict(), base_options, opts_str, new_options);
}

Status GetStringFromDBOptions(const ConfigOptions& config_options,
                              const DBOptions& db_options,
                              std::string* opts_str) {
  return ToString(config_options, db_options, opts_str);
}

Status GetStringFromDBOptions(std::string* opts_str,
                              const DBOptions& db_options,
                              const std::string& delimiter) {
  return ToString(WithDelimiter(delimiter), db_options, opts_str);
}

Status GetStringFromColumnFamilyOptions(const ConfigOptions& config_options,
                                        const ColumnFamilyOptions& cf_options,
                                        std::string* opts_str) {
  return ToString(config_options, cf_options, opts_str);
}

Status GetStringFromColumnFamilyOptions(std::string* opts_str,
                                        const ColumnFamilyOptions& cf_options,
                                        const std::string& delimiter) {
  return ToString(WithDelimiter(delimiter), cf_options, opts_str);
}

Status GetStringFromBlockBasedTableOptions(
    const ConfigOptions& config_options,
    const BlockBasedTableOptions& table_options, std::string* opts_str) {
  return ToString(config_options, table_options, opts_str);
}

Status StringToMap(const std::string& opts_str, OptionMap* opts_map) {
  return CatchExceptions([&] {
    OptionPairs pairs;
    TAMIS_RETURN_IF_ERROR(SplitOptions(opts_str, &pairs));
    opts_map->clear();
    for (auto& [name, value] : pairs) (*opts_map)[name] = std::move(value);
    return Status::OK();
  });
}

Status GetStringFromCompressionType(std::string* compression_str,
                                    CompressionType compression_type) {
  return CatchExceptions([&] {
    for (const auto& known : EnumNames<CompressionType>()) {
      if (known.value != compression_type) continue;
      *compression_str = known.name;
      return Status::OK();
    }
    return Status::InvalidArgument("CompressionType",
                                   std::to_string(compression_type));
  });
}

std::vector<CompressionType> GetSupportedCompressions() {
  return SupportedCompressions();
}

}  // namespace tamis
