// SPDX-License-Identifier: Apache-2.0
#include "db/options/option_parser.h"

#include <iterator>
#include <type_traits>

#include "db/options/option_fields.h"
#include "util/base/result.h"

namespace tamis {

namespace {

// Returns `status` with the option's name before its message.
Status Named(std::string_view name, const Status& status) {
  if (status.ok()) return status;
  const Slice first(name.data(), name.size());
  return status.IsNotSupported()
             ? Status::NotSupported(first, status.message())
             : Status::InvalidArgument(first, status.message());
}

Status CannotChange() {
  return Status::InvalidArgument("it cannot change while the database is open");
}

// Replaces RocksDB's other names of options.
template <typename Struct>
void ReplaceAlias(std::string_view* name, std::string* value) {
  if constexpr (std::is_same_v<Struct, ColumnFamilyOptions>) {
    if (*name == "memtable") *name = "memtable_factory";
    const bool plain = *name == "plain_table_factory";
    if (!plain && *name != "block_based_table_factory") return;
    *name = "table_factory";
    if (*value == "nullptr") return;
    std::string_view options = *value;
    if (options.starts_with('{') && options.ends_with('}')) {
      options = options.substr(1, options.size() - 2);
    }
    *value = std::string(plain ? "id=PlainTable;" : "id=BlockBasedTable;") +
             std::string(options);
  }
}

template <typename Struct>
Status ApplyMissing(const ConfigOptions& config, std::string_view name,
                    std::string_view value) {
  const MissingOption* const missing =
      OptionTableOf<Struct>().FindMissing(name);
  if (missing == nullptr) {
    if (config.ignore_unknown_options) return Status::OK();
    return Status::InvalidArgument("there is no such option");
  }
  if (config.mutable_options_only) {
    return Status::InvalidArgument(
        "RocksDB has this option, but Tamis does not");
  }
  if (config.ignore_unsupported_options || missing->harmless == "*" ||
      missing->harmless == value) {
    return Status::OK();
  }
  std::string why = "RocksDB has this option, but Tamis does not";
  if (!missing->harmless.empty()) {
    why += ", and works as if it were " + std::string(missing->harmless);
  }
  return Status::NotSupported(why);
}

template <typename Struct>
Status ApplyOption(const ConfigOptions& config, std::string_view name,
                   std::string_view value, Struct* options) {
  const OptionField<Struct>* const field = OptionTableOf<Struct>().Find(name);
  if (field == nullptr) return ApplyMissing<Struct>(config, name, value);
  if (config.mutable_options_only && !field->live) {
    // A fixed option may be named with the value it has.
    if (field->has_text()) {
      Struct copy = *options;
      if (field->parse(config, value, &copy).ok() &&
          field->print(copy) == field->print(*options)) {
        return Status::OK();
      }
    }
    return CannotChange();
  }
  if (field->parse != nullptr) return field->parse(config, value, options);
  if (config.ignore_unsupported_options || value == "nullptr") {
    return Status::OK();
  }
  return Status::NotSupported("an object without a text; set it in code");
}

// Returns whether the option is an object, which keeps what it was made with.
template <typename Struct>
bool HasUnknownParts(std::string_view name) {
  const OptionField<Struct>* const field = OptionTableOf<Struct>().Find(name);
  return field != nullptr && field->parts == OptionParts::kOfObject;
}

// Parses one of "4:5:6:7" for each of these, as RocksDB did before it had names
// for them.
constexpr const char* kOldCompressionOrder[] = {"window_bits",
                                                "level",
                                                "strategy",
                                                "max_dict_bytes",
                                                "zstd_max_train_bytes",
                                                "parallel_threads",
                                                "enabled",
                                                "max_dict_buffer_bytes",
                                                "use_zstd_dict_trainer"};

Status SplitOldCompression(std::string_view text, OptionPairs* pairs) {
  for (const char* name : kOldCompressionOrder) {
    const size_t colon = text.find(':');
    pairs->emplace_back(name, TrimSpace(text.substr(0, colon)));
    if (colon == std::string_view::npos) return Status::OK();
    text.remove_prefix(colon + 1);
  }
  return Status::InvalidArgument(
      "it has more than " + std::to_string(std::size(kOldCompressionOrder)) +
      " numbers");
}

}  // namespace

bool IsDatabaseOption(std::string_view name) {
  name = name.substr(0, name.find('.'));
  if (OptionTableOf<DBOptions>().Find(name) != nullptr) return true;
  if (OptionTableOf<ColumnFamilyOptions>().Find(name) != nullptr) return false;
  return OptionTableOf<DBOptions>().FindMissing(name) != nullptr;
}

template <typename Struct>
Status ApplyOptions(const ConfigOptions& config, const OptionPairs& pairs,
                    Struct* options) {
  // Values within a value have been unescaped with it.
  ConfigOptions within = config;
  within.input_strings_escaped = false;
  for (const auto& [given_name, given_value] : pairs) {
    std::string value = config.input_strings_escaped
                            ? UnescapeOption(given_value)
                            : given_value;
    std::string_view name = given_name;
    const size_t dot = name.find('.');
    if (dot != std::string_view::npos) {
      if (HasUnknownParts<Struct>(name.substr(0, dot))) {
        if (config.ignore_unsupported_options) continue;
        return Named(given_name,
                     Status::NotSupported("an object has no such options"));
      }
      value = std::string(name.substr(dot + 1)) + "={" + value + "}";
      name = name.substr(0, dot);
    }
    ReplaceAlias<Struct>(&name, &value);
    TAMIS_RETURN_IF_ERROR(
        Named(given_name, ApplyOption(within, name, value, options)));
  }
  return Status::OK();
}

template <typename Struct>
std::string PrintOptions(const ConfigOptions& config, const Struct& options) {
  std::string text;
  for (const OptionField<Struct>& field : OptionTableOf<Struct>().fields) {
    if (!field.has_text() || (config.mutable_options_only && !field.live)) {
      continue;
    }
    text +=
        std::string(field.name) + "=" + field.print(options) + config.delimiter;
  }
  return text;
}

namespace {

// All of the pairs, or none.
template <typename Struct>
Status ApplyAll(const ConfigOptions& config, const OptionPairs& pairs,
                Struct* options) {
  Struct parsed = *options;
  TAMIS_RETURN_IF_ERROR(ApplyOptions(config, pairs, &parsed));
  *options = parsed;
  return Status::OK();
}

template <typename Struct>
Status ParseStruct(const ConfigOptions& config, std::string_view text,
                   Struct* options) {
  OptionPairs pairs;
  TAMIS_RETURN_IF_ERROR(SplitOptions(text, &pairs));
  return ApplyAll(config, pairs, options);
}

}  // namespace

template Status ApplyOptions(const ConfigOptions& config,
                             const OptionPairs& pairs, DBOptions* options);
template Status ApplyOptions(const ConfigOptions& config,
                             const OptionPairs& pairs,
                             ColumnFamilyOptions* options);
template Status ApplyOptions(const ConfigOptions& config,
                             const OptionPairs& pairs,
                             BlockBasedTableOptions* options);
template std::string PrintOptions(const ConfigOptions& config,
                                  const DBOptions& options);
template std::string PrintOptions(const ConfigOptions& config,
                                  const ColumnFamilyOptions& options);
template std::string PrintOptions(const ConfigOptions& config,
                                  const BlockBasedTableOptions& options);
template Status ApplyOptions(const ConfigOptions& config,
                             const OptionPairs& pairs,
                             PlainTableOptions* options);
template std::string PrintOptions(const ConfigOptions& config,
                                  const PlainTableOptions& options);
template Status ApplyOptions(const ConfigOptions& config,
                             const OptionPairs& pairs,
                             CuckooTableOptions* options);
template std::string PrintOptions(const ConfigOptions& config,
                                  const CuckooTableOptions& options);

Status ParseOptionText(const ConfigOptions& config, std::string_view text,
                       CompressionOptions* options) {
  OptionPairs pairs;
  if (text.find('=') != std::string_view::npos || text.empty()) {
    TAMIS_RETURN_IF_ERROR(SplitOptions(text, &pairs));
  } else {
    TAMIS_RETURN_IF_ERROR(SplitOldCompression(text, &pairs));
  }
  return ApplyAll(config, pairs, options);
}

Status ParseOptionText(const ConfigOptions& config, std::string_view text,
                       CompactionOptionsUniversal* options) {
  return ParseStruct(config, text, options);
}

Status ParseOptionText(const ConfigOptions& config, std::string_view text,
                       CompactionOptionsFIFO* options) {
  return ParseStruct(config, text, options);
}

Status ParseOptionText(const ConfigOptions& config, std::string_view text,
                       MetadataCacheOptions* options) {
  return ParseStruct(config, text, options);
}

std::string PrintOptionText(const CompactionOptionsUniversal& options) {
  return "{" + PrintOptions(ConfigOptions(), options) + "}";
}

std::string PrintOptionText(const CompactionOptionsFIFO& options) {
  return "{" + PrintOptions(ConfigOptions(), options) + "}";
}

std::string PrintOptionText(const MetadataCacheOptions& options) {
  return "{" + PrintOptions(ConfigOptions(), options) + "}";
}

// Older releases of RocksDB reject the text if it has names that they lack.
// These are in it if their values are not the default, as they must be.
std::string PrintOptionText(const CompressionOptions& options) {
  const CompressionOptions defaults;
  std::string text = "{";
  for (const auto& field : OptionTableOf<CompressionOptions>().fields) {
    const std::string value = field.print(options);
    if (field.kind == OptionKind::kTamis && value == field.print(defaults)) {
      continue;
    }
    text += std::string(field.name) + "=" + value + ";";
  }
  return text + "}";
}

}  // namespace tamis
