// SPDX-License-Identifier: Apache-2.0
#include "tamis/utilities/options_util.h"

#include <optional>
#include <utility>

#include "db/base/file_names.h"
#include "db/options/option_fields.h"
#include "db/options/option_parser.h"
#include "db/options/options_file.h"
#include "db/options/table_options_of.h"
#include "util/base/exceptions.h"
#include "util/base/result.h"
#include "util/coding/printable.h"
#include "util/io/chosen_file_system.h"

namespace tamis {

namespace {

std::shared_ptr<FileSystem> FileSystemOf(const ConfigOptions& config) {
  return ChosenFileSystem(config.file_system, config.env);
}

Result<std::string> LatestName(FileSystem* fs, const std::string& directory) {
  std::vector<std::string> names;
  TAMIS_RETURN_IF_ERROR(fs->GetChildren(directory, &names));
  std::string latest;
  FileNumber highest{0};
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (!file || file->type != FileKind::kOptions || name.ends_with("tmp")) {
      continue;
    }
    if (latest.empty() || file->number > highest) {
      latest = name;
      highest = file->number;
    }
  }
  if (!latest.empty()) return latest;
  return Status::NotFound(Status::kPathNotFound, directory,
                          "it has no OPTIONS file");
}

Result<OptionsFileText> ReadOptionsFile(const ConfigOptions& config,
                                        const std::string& path) {
  const std::shared_ptr<FileSystem> fs = FileSystemOf(config);
  std::string text;
  TAMIS_RETURN_IF_ERROR(ReadFileToString(fs.get(), path, &text));
  return ParseOptionsFile(text, path);
}

Result<OptionsFileText> ReadLatest(const ConfigOptions& config,
                                   const std::string& directory,
                                   std::string* path) {
  const auto name = LatestName(FileSystemOf(config).get(), directory);
  if (!name.ok()) return name.status();
  *path = directory + "/" + *name;
  return ReadOptionsFile(config, *path);
}

// `status` with the file, and what in it, before the message.
Status In(const std::string& path, const std::string& section,
          const Status& status) {
  if (status.ok()) return status;
  const std::string message = section + ": " + status.message();
  return status.IsNotSupported() ? Status::NotSupported(path, message)
                                 : Status::InvalidArgument(path, message);
}

struct LoadedOptions {
  DBOptions database;
  std::vector<ColumnFamilyDescriptor> families;
};

Status LoadFamily(const ConfigOptions& config, const std::string& path,
                  const OptionsFileText::Family& text,
                  ColumnFamilyDescriptor* family) {
  const std::string of = " \"" + Printable(text.name) + "\"";
  family->name = text.name;
  TAMIS_RETURN_IF_ERROR(
      In(path, "CFOptions" + of,
         ApplyOptions(config, text.options, &family->options)));
  if (text.table.empty()) return Status::OK();
  return In(path, "TableOptions/" + text.table_kind + of,
            ApplyTableOptions(config, text.table_kind, text.table,
                              &family->options.table_factory));
}

// Applies a file's text to default options.
Result<LoadedOptions> Load(ConfigOptions config, const std::string& path,
                           const OptionsFileText& text) {
  config.input_strings_escaped = true;
  LoadedOptions loaded;
  TAMIS_RETURN_IF_ERROR(
      In(path, "DBOptions",
         ApplyOptions(config, text.database, &loaded.database)));
  for (const OptionsFileText::Family& family : text.families) {
    loaded.families.emplace_back();
    TAMIS_RETURN_IF_ERROR(
        LoadFamily(config, path, family, &loaded.families.back()));
  }
  return loaded;
}

// Gives the factory's tables a cache.
void UseCache(const std::shared_ptr<Cache>& cache,
              std::shared_ptr<TableFactory>* factory) {
  BlockBasedTableOptions table;
  if (*factory != nullptr) table = (*factory)->block_based_options();
  table.block_cache = cache;
  const std::shared_ptr<TableFactory> block_based(
      NewBlockBasedTableFactory(table));
  if (*factory == nullptr ||
      (*factory)->GetOptions<BlockBasedTableOptions>() != nullptr) {
    *factory = block_based;
  } else {
    factory->reset(NewAdaptiveTableFactory(*factory, block_based));
  }
}

Status LoadInto(const ConfigOptions& config, const std::string& path,
                const OptionsFileText& text, std::shared_ptr<Cache>* cache,
                DBOptions* db_options,
                std::vector<ColumnFamilyDescriptor>* cf_descs) {
  auto loaded = Load(config, path, text);
  if (!loaded.ok()) return loaded.status();
  if (cache != nullptr) {
    for (ColumnFamilyDescriptor& family : loaded->families) {
      UseCache(*cache, &family.options.table_factory);
    }
  }
  *db_options = std::move(loaded->database);
  *cf_descs = std::move(loaded->families);
  return Status::OK();
}

const std::string* ValueOf(const OptionPairs& pairs, std::string_view name) {
  const std::string* found = nullptr;
  for (const auto& [known, value] : pairs) {
    if (known == name) found = &value;
  }
  return found;
}

Status Differs(const std::string& path, const std::string& what,
               const std::string& stored, const std::string& given) {
  return Status::InvalidArgument(path, what + " is " + Printable(stored) +
                                           " there, but " + Printable(given) +
                                           " here");
}

// Compares the texts of all fields. What the file does not name has its
// default there.
template <typename Struct>
Status CompareAll(const ConfigOptions& config, const std::string& path,
                  const std::string& section, const OptionPairs& stored,
                  const Struct& given) {
  const Struct defaults;
  ConfigOptions strict = config;
  strict.input_strings_escaped = true;
  strict.ignore_unsupported_options = false;
  for (const OptionField<Struct>& field : OptionTableOf<Struct>().fields) {
    if (!field.has_text() || field.name == "table_factory") continue;
    const std::string here = field.print(given);
    const std::string* const line = ValueOf(stored, field.name);
    const std::string there = line != nullptr ? *line : field.print(defaults);
    if (there == here) continue;
    bool differs = true;
    if (line != nullptr) {
      // Objects of the user's, which only `given` has, are compared by name.
      Struct parsed = given;
      const Status status =
          ApplyOptions(strict, {{std::string(field.name), there}}, &parsed);
      if (!status.IsNotSupported()) {
        TAMIS_RETURN_IF_ERROR(In(path, section, status));
        differs = field.print(parsed) != here;
      }
    }
    if (differs) {
      return Differs(path, section + ": " + std::string(field.name), there,
                     here);
    }
  }
  return Status::OK();
}

// Compares what the tables of a family depend on, by name.
Status CompareLoosely(const std::string& path, const std::string& section,
                      const OptionPairs& stored,
                      const ColumnFamilyOptions& given) {
  for (const char* name :
       {"comparator", "table_factory", "merge_operator", "prefix_extractor"}) {
    const std::string* const text = ValueOf(stored, name);
    if (text == nullptr || *text == "nullptr") continue;
    ColumnFamilyOptions parsed = given;
    ConfigOptions strict;
    strict.ignore_unsupported_options = false;
    const auto& field = *OptionTableOf<ColumnFamilyOptions>().Find(name);
    const Status status = ApplyOptions(strict, {{name, *text}}, &parsed);
    if (!status.ok() || field.print(parsed) != field.print(given)) {
      return Differs(path, section + ": " + name, *text, field.print(given));
    }
  }
  return Status::OK();
}

Status Compare(const ConfigOptions& config, const std::string& path,
               const OptionsFileText& stored, const DBOptions& database,
               const std::vector<ColumnFamilyDescriptor>& families) {
  const bool exact =
      config.sanity_level == ConfigOptions::kSanityLevelExactMatch;
  if (exact) {
    TAMIS_RETURN_IF_ERROR(
        CompareAll(config, path, "DBOptions", stored.database, database));
  }
  if (families.size() != stored.families.size()) {
    return Differs(path, "the number of column families",
                   std::to_string(stored.families.size()),
                   std::to_string(families.size()));
  }
  for (const OptionsFileText::Family& text : stored.families) {
    std::optional<ColumnFamilyOptions> given;
    for (const ColumnFamilyDescriptor& family : families) {
      if (family.name == text.name) given = family.options;
    }
    const std::string section = "CFOptions \"" + Printable(text.name) + "\"";
    if (!given) {
      return Status::InvalidArgument(path, section + " is there, but not here");
    }
    if (given->table_factory == nullptr) {
      given->table_factory.reset(NewBlockBasedTableFactory());
    }
    TAMIS_RETURN_IF_ERROR(CompareLoosely(path, section, text.options, *given));
    if (!exact) continue;
    TAMIS_RETURN_IF_ERROR(
        CompareAll(config, path, section, text.options, *given));
    TAMIS_RETURN_IF_ERROR(
        VisitTableOptions(*given->table_factory, [&](const auto& options) {
          return CompareAll(config, path, "Table" + section.substr(2),
                            text.table, options);
        }));
  }
  return Status::OK();
}

}  // namespace

Status LoadLatestOptions(const ConfigOptions& config_options,
                         const std::string& dbpath, DBOptions* db_options,
                         std::vector<ColumnFamilyDescriptor>* cf_descs,
                         std::shared_ptr<Cache>* cache) {
  return CatchExceptions([&] {
    std::string path;
    const auto text = ReadLatest(config_options, dbpath, &path);
    if (!text.ok()) return text.status();
    return LoadInto(config_options, path, *text, cache, db_options, cf_descs);
  });
}

Status LoadOptionsFromFile(const ConfigOptions& config_options,
                           const std::string& options_file_name,
                           DBOptions* db_options,
                           std::vector<ColumnFamilyDescriptor>* cf_descs,
                           std::shared_ptr<Cache>* cache) {
  return CatchExceptions([&] {
    const auto text = ReadOptionsFile(config_options, options_file_name);
    if (!text.ok()) return text.status();
    return LoadInto(config_options, options_file_name, *text, cache, db_options,
                    cf_descs);
  });
}

Status GetLatestOptionsFileName(const std::string& dbpath, Env* env,
                                std::string* options_file_name) {
  return CatchExceptions([&] {
    auto name = LatestName(ChosenFileSystem(nullptr, env).get(), dbpath);
    if (!name.ok()) return name.status();
    *options_file_name = std::move(*name);
    return Status::OK();
  });
}

Status CheckOptionsCompatibility(
    const ConfigOptions& config_options, const std::string& dbpath,
    const DBOptions& db_options,
    const std::vector<ColumnFamilyDescriptor>& cf_descs) {
  return CatchExceptions([&] {
    std::string path;
    const auto text = ReadLatest(config_options, dbpath, &path);
    if (!text.ok()) return text.status();
    // Text that cannot be parsed is an error at every level.
    const auto loaded = Load(config_options, path, *text);
    if (!loaded.ok()) return loaded.status();
    if (config_options.sanity_level == ConfigOptions::kSanityLevelNone) {
      return Status::OK();
    }
    return Compare(config_options, path, *text, db_options, cf_descs);
  });
}

}  // namespace tamis
