// SPDX-License-Identifier: Apache-2.0
//
// Reads OPTIONS files, in which a database keeps its options as text. The
// format is RocksDB's, and each library reads the other's files.
//
//   tamis::DBOptions options;
//   std::vector<tamis::ColumnFamilyDescriptor> families;
//   tamis::Status s = tamis::LoadLatestOptions(tamis::ConfigOptions(), path,
//                                              &options, &families);
//   families[0].options.merge_operator = ...;  // objects of your own
//   if (s.ok()) s = tamis::DB::Open(options, path, families, &handles, &db);
//
// Options that are objects without a text, and objects that are not built in,
// have to be set before the open (convenience.h). Options that only Tamis has
// are comments for RocksDB.
//
// Threads: any. Exceptions: none is thrown (status.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tamis/cache.h"
#include "tamis/convenience.h"
#include "tamis/db.h"
#include "tamis/export.h"
#include "tamis/file_system.h"
#include "tamis/options.h"
#include "tamis/status.h"

namespace tamis {

// Loads the newest OPTIONS file in the directory. Families are listed in the
// order of the file, "default" first. Errors: NotFound if there is none,
// Corruption for a malformed file, InvalidArgument and NotSupported for options
// (ConfigOptions); each names the file, and the line or the option. After an
// error, *db_options and *cf_descs are unchanged.
//
// If `cache` is not nullptr, *cache becomes the block_cache of every family.
// Otherwise each database creates one.
TAMIS_EXPORT Status LoadLatestOptions(
    const ConfigOptions& config_options, const std::string& dbpath,
    DBOptions* db_options, std::vector<ColumnFamilyDescriptor>* cf_descs,
    std::shared_ptr<Cache>* cache = nullptr);
// The same for the file of that name.
TAMIS_EXPORT Status LoadOptionsFromFile(
    const ConfigOptions& config_options, const std::string& options_file_name,
    DBOptions* db_options, std::vector<ColumnFamilyDescriptor>* cf_descs,
    std::shared_ptr<Cache>* cache = nullptr);

// Sets *options_file_name to the name, without directory, of the newest file.
// Looks in the file system of the Env; nullptr means Env::Default(). Returns
// NotFound if there is no OPTIONS file.
TAMIS_EXPORT Status GetLatestOptionsFileName(const std::string& dbpath,
                                             Env* env,
                                             std::string* options_file_name);

// Compares the options with those of the newest OPTIONS file. Returns
// InvalidArgument, which names the first difference, unless both have the same
// families, and for each the same comparator, table_factory, and
// prefix_extractor and merge_operator if the file names one. With
// kSanityLevelExactMatch, which is ConfigOptions' default, every option that
// has a text must be equal. (RocksDB always compares loosely.)
TAMIS_EXPORT Status CheckOptionsCompatibility(
    const ConfigOptions& config_options, const std::string& dbpath,
    const DBOptions& db_options,
    const std::vector<ColumnFamilyDescriptor>& cf_descs);

}  // namespace tamis
