// SPDX-License-Identifier: Apache-2.0
//
// Describes the files of a database, without opening them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tamis/file_checksum.h"
#include "tamis/types.h"

namespace tamis {

// A file of a database.
struct FileStorageInfo {
  std::string relative_filename;  // "000012.sst"
  // The path of the directory it is in.
  std::string directory;
  uint64_t file_number = 0;  // 0 if its name has none
  // Derived from the name.
  FileType file_type = kTempFile;

  uint64_t size = 0;  // bytes
  // Of the whole file, and its function: see file_checksum.h. They are these if
  // it was written without DBOptions::file_checksum_gen_factory.
  std::string file_checksum = kUnknownFileChecksum;
  std::string file_checksum_func_name = kUnknownFileChecksumFuncName;
};

// A file that a copy of a database needs: DB::GetLiveFilesStorageInfo.
struct LiveFileStorageInfo : FileStorageInfo {
  // If not empty, the contents of the copy, whatever the file has: of `size`
  // bytes.
  std::string replacement_contents;
  // The file may be longer than `size`: only its first bytes belong to the
  // copy. If false, a file of another size is damaged.
  bool trim_to_size = false;
};

// A table, as the MANIFEST describes it.
struct SstFileMetaData : FileStorageInfo {
  SstFileMetaData() { file_type = kTableFile; }

  std::string name;         // "/000012.sst", relative to db_path
  std::string db_path;      // the same as `directory`
  std::string smallestkey;  // user keys
  std::string largestkey;   // included
  // Of all entries.
  SequenceNumber smallest_seqno = 0;
  SequenceNumber largest_seqno = 0;
  // Orders the tables of level 0 by age.
  uint64_t epoch_number = 0;

  uint64_t num_entries = 0;  // 0 if the table was not opened yet
  // How many of them are deletions, also of ranges; 0 if the table was not
  // opened yet.
  uint64_t num_deletions = 0;
  uint64_t oldest_ancester_time = 0;  // Unix seconds, 0 if unknown
  uint64_t file_creation_time = 0;    // Unix seconds, 0 if unknown
  // A compaction that is scheduled or runs reads the table. Only
  // GetColumnFamilyMetaData sets it.
  bool being_compacted = false;
};

// A table with its place: DB::GetLiveFilesMetaData.
struct LiveFileMetaData : SstFileMetaData {
  // The family and the level it is in.
  std::string column_family_name;
  int level = 0;
  // The bounds as internal keys. Only Checkpoint::ExportColumnFamily sets them.
  std::string smallest;
  std::string largest;
};

// A family that Checkpoint::ExportColumnFamily has copied, for
// DB::CreateColumnFamilyWithImport: plain data, which a program may store. Of
// RocksDB's, copy the members of the same names; others may stay as they are.
struct ExportImportFilesMetaData {
  // The name of the family's comparator, and its tables.
  std::string db_comparator_name;
  std::vector<LiveFileMetaData> files;
};

// A level of a family.
struct LevelMetaData {
  // Its number.
  int level = 0;
  uint64_t size = 0;  // bytes of all tables
  // Of level 0 the newest first, of others by key.
  std::vector<SstFileMetaData> files;
};

// A family, level by level: DB::GetColumnFamilyMetaData.
struct ColumnFamilyMetaData {
  // The family.
  std::string name;
  uint64_t size = 0;                  // bytes of all tables
  size_t file_count = 0;              // of all tables
  std::vector<LevelMetaData> levels;  // all, also empty ones
};

}  // namespace tamis
