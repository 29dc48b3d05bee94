// SPDX-License-Identifier: Apache-2.0
//
// The text of an OPTIONS file, in RocksDB's format:
//
//   [Version]
//     rocksdb_version=7.8.3              of the release whose options these are
//     options_file_version=1.1
//   [DBOptions]
//     create_if_missing=true
//     #tamis: upgrade_leveldb=false      only Tamis has it
//   [CFOptions "default"]                first; then those of other families
//     write_buffer_size=67108864
//   [TableOptions/BlockBasedTable "default"]
//     block_size=4096
//
// A '#' begins a comment. Values escape it and newlines (option_text.h). What
// follows "#tamis:" is an assignment for Tamis and a comment for RocksDB, which
// rejects files with names that it does not know. Options that Tamis ignores
// are written only if they are set.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tamis/options.h"

#include "db/options/option_text.h"
#include "util/base/result.h"

namespace tamis {

// A family's name and options.
struct NamedFamilyOptions {
  std::string name;
  ColumnFamilyOptions options;
};

// Returns the text. REQUIRES: the first family is "default".
std::string PrintOptionsFile(const DBOptions& options,
                             const std::vector<NamedFamilyOptions>& families);

// What a file says, by section, in the order of its lines.
struct OptionsFileText {
  struct Family {
    std::string name;
    OptionPairs options;
    // The options of tables, and which: "BlockBasedTable".
    OptionPairs table;
    std::string table_kind;
  };
  OptionPairs version;
  OptionPairs database;
  std::vector<Family> families;  // "default" first
};

// Returns the sections of a text. Returns Corruption, which names the file and
// the line, if the text has another structure.
Result<OptionsFileText> ParseOptionsFile(const std::string& text,
                                         const std::string& file_name);

// Returns the wal_dir of a text, or an empty string. No other line needs to
// parse.
std::string WalDirOf(const std::string& text);

// Returns whether the text is that of a file of exactly these families.
bool ListsFamilies(const std::string& text,
                   const std::set<std::string>& families);

}  // namespace tamis
