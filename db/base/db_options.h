// SPDX-License-Identifier: Apache-2.0
//
// Checks the options that a user passes to Open, and fills in defaults for
// those that are not set.
#pragma once

#include <string>
#include <vector>

#include "tamis/db.h"
#include "tamis/file_system.h"
#include "tamis/options.h"
#include "tamis/status.h"

namespace tamis {

class EventLog;

// Returns OK if the options are complete and consistent. Otherwise returns
// InvalidArgument or NotSupported, which names the option and what to change.
Status CheckOptions(const DBOptions& options,
                    const std::vector<ColumnFamilyDescriptor>& families);
// Check the options of the database without its families, and of one family.
Status CheckDBOptions(const DBOptions& options);
Status CheckFamilyOptions(const ColumnFamilyOptions& options);
// Returns NotSupported, which names the option, if this build cannot write the
// codec.
Status CheckCodec(const char* option, CompressionType codec);

// Returns InvalidArgument if files are to be read directly (`how`), which the
// file system does not have for `path`; NotSupported if the options allow
// mappings as well; else the error of a direct read of the path, if it has one.
Status CheckFileReads(const DBOptions& options, const FileOptions& how,
                      const std::string& path);
// Returns InvalidArgument if the options require direct writes, which the file
// system does not have; else the error of writing the scratch file, if there is
// one. Writes it to find out, and removes it.
Status CheckTableWrites(const DBOptions& options, const std::string& scratch);
// Returns InvalidArgument if the options need modification times and the file
// system does not have that of the file `path`.
Status CheckFileTimes(const DBOptions& options, const std::string& path);

// Returns the options to open table files with for point reads and iterators.
FileOptions FileOptionsForReads(const DBOptions& options);
// Returns the options to open table files with for one pass, as in a
// compaction. They exclude mappings, which would be read page by page.
FileOptions FileOptionsForOnePass(const DBOptions& options);

// Returns the options to open what compactions read with.
FileOptions FileOptionsForCompaction(const DBOptions& options);
// Returns the options to create table files with.
FileOptions FileOptionsForTableWrites(const DBOptions& options);

// An option whose value was out of its range, and the value used instead.
struct AdjustedOption {
  const char* name;
  std::string given;
  std::string used;
};

// Return the options with defaults filled in, and values moved into the ranges
// that options.h states for them. Appends to *adjusted, unless it is nullptr.
ColumnFamilyOptions CompleteOptions(
    ColumnFamilyOptions options,
    std::vector<AdjustedOption>* adjusted = nullptr);
DBOptions CompleteOptions(DBOptions options);

// Returns the options with what the database's decide for all families.
ColumnFamilyOptions WithDatabaseDefaults(ColumnFamilyOptions options,
                                         const DBOptions& database);

// Write a line to LOG for each option of a database, or of a family, that is
// set but ignored (tamis/ignored_options.h). The second also writes one for
// each that CompleteOptions adjusts, and one if the filters are not used. Throw
// nothing.
void LogDBOptions(EventLog* log, const DBOptions& given);
void LogFamilyOptions(EventLog* log, const std::string& family,
                      const ColumnFamilyOptions& given);

}  // namespace tamis
