// SPDX-License-Identifier: Apache-2.0
//
// Options as text: from a string or a map to options, and back. At the end,
// calls of a database that few programs need.
//
//   tamis::Options options;
//   tamis::Status s = tamis::GetOptionsFromString(
//       options,
//       "max_background_jobs=4; write_buffer_size=128M;"
//       "block_based_table_factory={filter_policy=bloomfilter:12:false}",
//       &options);
//
// A string is a list of name=value, separated by ';'. Values:
//
//   booleans      true, false, 1, 0
//   integers      decimal; k, m, g or t (either case) multiplies by 2^10 to
//                 2^40. A value that the option's type cannot hold is an error.
//   enumerations  the names of the constants: kLZ4Compression
//   options       within braces: compression_opts={parallel_threads=1}. Or one
//   within        by one: compression_opts.parallel_threads=1
//   options
//   comparator    leveldb.BytewiseComparator, rocksdb.ReverseBytewiseComparator
//   merge_operator    a name for MergeOperators::CreateFromName, or
//                     {id=StringAppendOperator;delimiter=,}
//   prefix_extractor  fixed:4, rocksdb.FixedPrefix.4, capped:4,
//                     rocksdb.CappedPrefix.4, rocksdb.Noop
//   filter_policy     bloomfilter:10:false, ribbonfilter:10:0,
//                     tamis.RateFilterPolicy:0.01:kByLevel,
//                     tamis.BudgetFilterPolicy:1048576:kByLevel,
//                     tamis.DefaultFilterPolicy (that of a new
//                     BlockBasedTableOptions)
//   table_factory     {id=BlockBasedTable; block_size=8k}, or as RocksDB's
//                     block_based_table_factory={block_size=8k}; also
//                     {id=PlainTable; user_key_len=8} (plain_table_factory=
//                     {user_key_len=8}) and {id=CuckooTable; ...}
//   block_cache       the capacity of a new cache. It is not printed.
//   objects           nullptr for none. The text that names the object already
//                     set leaves it as it is. In names, control characters,
//                     {};#\% and spaces at the ends are printed as %XX.
//
// Options that are objects without a text (clock, file_system, info_log,
// job_runner, statistics) are neither printed nor parsed.
//
// Errors are InvalidArgument and NotSupported; their message begins with the
// name of the option. After an error *new_options equals the base options.
//
// Threads: any. Exceptions: none is thrown (status.h).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tamis/db.h"
#include "tamis/export.h"
#include "tamis/options.h"
#include "tamis/range.h"
#include "tamis/status.h"
#include "tamis/table.h"

namespace tamis {

// How options are parsed, printed and compared.
struct TAMIS_EXPORT ConfigOptions {
  // How much of two sets of options has to be equal.
  enum SanityLevel : unsigned char {
    kSanityLevelNone = 0x01,  // compares nothing
    // Compares what the database's files depend on.
    kSanityLevelLooselyCompatible = 0x02,
    kSanityLevelExactMatch = 0xFF,  // compares every option that has a text
  };

  ConfigOptions() = default;
  // Takes the file_system of `options`.
  explicit ConfigOptions(const DBOptions& options)
      : file_system(options.file_system) {}

  // Ignores names that neither Tamis nor RocksDB 11.9 has. Otherwise they are
  // InvalidArgument. (RocksDB does so only for files of a newer release than
  // the reader's.)
  bool ignore_unknown_options = false;
  // Ignores options and values that RocksDB has and Tamis lacks, such as
  // index_type=kHashSearch, and names of objects that are not built in: an
  // option or a comparator then stays as it is, and any other object
  // becomes nullptr. Otherwise they are NotSupported, except for values that
  // describe what Tamis always does. Text that cannot be parsed is always an
  // error, as in filter_policy=bloomfilter:x.
  bool ignore_unsupported_options = true;
  // Whether a backslash in a value escapes the next character (\n is a newline,
  // \r a carriage return), as in an OPTIONS file.
  bool input_strings_escaped = true;
  // Parses and prints only options that DB::SetOptions and SetDBOptions can
  // change. Any other name is InvalidArgument.
  bool mutable_options_only = false;
  // Between options when printed. GetStringFromDBOptions and its like.
  std::string delimiter = ";";
  SanityLevel sanity_level = kSanityLevelExactMatch;
  // As DBOptions::env and file_system: where OPTIONS files are.
  Env* env = Env::Default();
  std::shared_ptr<FileSystem> file_system;
};

// Set *new_options to base_options with the changes that the map or the string
// describes. The overloads without ConfigOptions are those of RocksDB, with one
// difference: ignore_unsupported_options is false, so that no text is dropped
// in silence.
TAMIS_EXPORT Status GetDBOptionsFromMap(
    const ConfigOptions& config_options, const DBOptions& base_options,
    const std::unordered_map<std::string, std::string>& opts_map,
    DBOptions* new_options);
TAMIS_EXPORT Status GetDBOptionsFromMap(
    const DBOptions& base_options,
    const std::unordered_map<std::string, std::string>& opts_map,
    DBOptions* new_options, bool input_strings_escaped = false,
    bool ignore_unknown_options = false);
TAMIS_EXPORT Status GetDBOptionsFromString(const ConfigOptions& config_options,
                                           const DBOptions& base_options,
                                           const std::string& opts_str,
                                           DBOptions* new_options);
TAMIS_EXPORT Status GetDBOptionsFromString(const DBOptions& base_options,
                                           const std::string& opts_str,
                                           DBOptions* new_options);

// The same for the options of a family.
TAMIS_EXPORT Status GetColumnFamilyOptionsFromMap(
    const ConfigOptions& config_options,
    const ColumnFamilyOptions& base_options,
    const std::unordered_map<std::string, std::string>& opts_map,
    ColumnFamilyOptions* new_options);
TAMIS_EXPORT Status GetColumnFamilyOptionsFromMap(
    const ColumnFamilyOptions& base_options,
    const std::unordered_map<std::string, std::string>& opts_map,
    ColumnFamilyOptions* new_options, bool input_strings_escaped = false,
    bool ignore_unknown_options = false);
TAMIS_EXPORT Status GetColumnFamilyOptionsFromString(
    const ConfigOptions& config_options,
    const ColumnFamilyOptions& base_options, const std::string& opts_str,
    ColumnFamilyOptions* new_options);
TAMIS_EXPORT Status GetColumnFamilyOptionsFromString(
    const ColumnFamilyOptions& base_options, const std::string& opts_str,
    ColumnFamilyOptions* new_options);

// The same for the options of tables.
TAMIS_EXPORT Status GetBlockBasedTableOptionsFromMap(
    const ConfigOptions& config_options,
    const BlockBasedTableOptions& table_options,
    const std::unordered_map<std::string, std::string>& opts_map,
    BlockBasedTableOptions* new_table_options);
TAMIS_EXPORT Status GetBlockBasedTableOptionsFromMap(
    const BlockBasedTableOptions& table_options,
    const std::unordered_map<std::string, std::string>& opts_map,
    BlockBasedTableOptions* new_table_options,
    bool input_strings_escaped = false, bool ignore_unknown_options = false);
TAMIS_EXPORT Status GetBlockBasedTableOptionsFromString(
    const ConfigOptions& config_options,
    const BlockBasedTableOptions& table_options, const std::string& opts_str,
    BlockBasedTableOptions* new_table_options);
TAMIS_EXPORT Status GetBlockBasedTableOptionsFromString(
    const BlockBasedTableOptions& table_options, const std::string& opts_str,
    BlockBasedTableOptions* new_table_options);

// The same for those of plain tables.
TAMIS_EXPORT Status GetPlainTableOptionsFromMap(
    const ConfigOptions& config_options, const PlainTableOptions& table_options,
    const std::unordered_map<std::string, std::string>& opts_map,
    PlainTableOptions* new_table_options);
TAMIS_EXPORT Status GetPlainTableOptionsFromMap(
    const PlainTableOptions& table_options,
    const std::unordered_map<std::string, std::string>& opts_map,
    PlainTableOptions* new_table_options, bool input_strings_escaped = false,
    bool ignore_unknown_options = false);
TAMIS_EXPORT Status GetPlainTableOptionsFromString(
    const ConfigOptions& config_options, const PlainTableOptions& table_options,
    const std::string& opts_str, PlainTableOptions* new_table_options);
TAMIS_EXPORT Status GetPlainTableOptionsFromString(
    const PlainTableOptions& table_options, const std::string& opts_str,
    PlainTableOptions* new_table_options);

// Options of the database and of a family in one string.
TAMIS_EXPORT Status GetOptionsFromString(const ConfigOptions& config_options,
                                         const Options& base_options,
                                         const std::string& opts_str,
                                         Options* new_options);
TAMIS_EXPORT Status GetOptionsFromString(const Options& base_options,
                                         const std::string& opts_str,
                                         Options* new_options);

// Print every option that has a text, as name=value, each followed by the
// delimiter. The result is what the functions above parse, if the delimiter is
// ';' with or without spaces. Objects of the user's are printed by name.
TAMIS_EXPORT Status GetStringFromDBOptions(const ConfigOptions& config_options,
                                           const DBOptions& db_options,
                                           std::string* opts_str);
TAMIS_EXPORT Status
GetStringFromDBOptions(std::string* opts_str, const DBOptions& db_options,
                       const std::string& delimiter = ";  ");
// Includes the options of the table_factory. (RocksDB prints its name alone.)
TAMIS_EXPORT Status GetStringFromColumnFamilyOptions(
    const ConfigOptions& config_options, const ColumnFamilyOptions& cf_options,
    std::string* opts_str);
TAMIS_EXPORT Status GetStringFromColumnFamilyOptions(
    std::string* opts_str, const ColumnFamilyOptions& cf_options,
    const std::string& delimiter = ";  ");
TAMIS_EXPORT Status GetStringFromBlockBasedTableOptions(
    const ConfigOptions& config_options,
    const BlockBasedTableOptions& table_options, std::string* opts_str);

// Splits name=value pairs. Braces around a value are removed; within them,
// separators do not count. A later value replaces an earlier one of that name.
// Returns InvalidArgument, which quotes the place, if the text is malformed.
TAMIS_EXPORT Status
StringToMap(const std::string& opts_str,
            std::unordered_map<std::string, std::string>* opts_map);

// Sets *compression_str to the name of the constant, such as "kZSTD".
TAMIS_EXPORT Status GetStringFromCompressionType(
    std::string* compression_str, CompressionType compression_type);
// Returns the codecs that this build can write, kNoCompression among them.
TAMIS_EXPORT std::vector<CompressionType> GetSupportedCompressions();

// Cancels compactions, and lets no flush or compaction start until the database
// is closed, for a Close that does not wait for them. First flushes what only
// memtables have (WriteOptions::disableWAL), unless
// avoid_flush_during_shutdown. Afterwards, reads work; writes, flushes, Resume
// and all else that needs a job return ShutdownInProgress, also calls that
// wait. (In RocksDB, writes go on until a memtable is full, and then wait for
// ever.) With `wait`, returns when no job runs. Does nothing for a database
// that is read-only or closed.
TAMIS_EXPORT void CancelAllBackgroundWork(DB* db, bool wait = false);

// Drops the tables whose keys all lie in one of the ranges, to free their space
// at once. [start, limit], or [start, limit) without include_end; nullptr means
// unbounded. Keys of other tables, of level 0 and of memtables stay: to delete
// all keys of the range, call DB::DeleteRange, too. Durable on return; so are
// then all logged writes that returned before.
//
// Keeps tables that a compaction reads and, unlike RocksDB, those without which
// a read could go back in time: tables that a snapshot may see, and tables
// above older ones that stay, whose deleted or overwritten entries would
// reappear.
//
// Return an IOError of the MANIFEST, which stops writes until Resume.
TAMIS_EXPORT Status DeleteFilesInRange(DB* db, ColumnFamilyHandle* family,
                                       const Slice* begin, const Slice* end,
                                       bool include_end = true);
TAMIS_EXPORT Status DeleteFilesInRanges(DB* db, ColumnFamilyHandle* family,
                                        const RangePtr* ranges, size_t n,
                                        bool include_end = true);

}  // namespace tamis
