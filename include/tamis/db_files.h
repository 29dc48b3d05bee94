// SPDX-License-Identifier: Apache-2.0
//
// The calls of a DB that list, check and keep its files. Programs use them
// through DB (db.h), which says what holds for all calls.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tamis/export.h"
#include "tamis/file_checksum.h"
#include "tamis/metadata.h"
#include "tamis/options.h"
#include "tamis/status.h"
#include "tamis/transaction_log.h"
#include "tamis/types.h"

namespace tamis {

class ColumnFamilyHandle;

// The base of DB.
class TAMIS_EXPORT DBFiles {
 public:
  // Sets *files to the tables of all families, as the MANIFEST describes them.
  virtual void GetLiveFilesMetaData(std::vector<LiveFileMetaData>* files) = 0;
  // Sets *creation_time to the Unix seconds at which the oldest table was
  // written: 0 if that is unknown for one, 2^64 - 1 if there are no tables.
  Status GetCreationTimeOfOldestFile(uint64_t* creation_time);

  // Reads every block of every table from the files and verifies its checksum.
  // Returns the first error, which names file and offset. Tables written later
  // are not read.
  virtual Status VerifyChecksum() = 0;
  // Reads every table that has a checksum of the whole file, and compares it:
  // see file_checksum.h. Of the options, readahead_size is the bytes to read at
  // once; 0 means 256 KiB. Returns the first error: Corruption if a file has
  // another checksum; InvalidArgument, which names the function, if the factory
  // cannot compute it, or if there is no DBOptions::file_checksum_gen_factory.
  // Tables written later are not read.
  virtual Status VerifyFileChecksums(const ReadOptions& options) = 0;
  // Sets the list to all tables, with what the MANIFEST has of their checksums.
  // Returns InvalidArgument if the list is nullptr.
  virtual Status GetLiveFilesChecksumInfo(FileChecksumList* checksum_list) = 0;

  // Keep obsolete tables, logs and MANIFESTs, so that a program can copy the
  // files that GetLiveFiles and GetSortedWalFiles list. Each Disable needs an
  // Enable, which returns InvalidArgument if there was none. They do not
  // outlast the DB: the next open deletes what is obsolete.
  virtual Status DisableFileDeletions() = 0;
  virtual Status EnableFileDeletions() = 0;
  // Lists the tables, CURRENT and the MANIFEST, of which the first
  // *manifest_file_size bytes belong to the list, by names relative to the
  // directory ("/000012.sst"). Flushes all families first if asked; otherwise
  // logs have the rest.
  virtual Status GetLiveFiles(std::vector<std::string>& files,
                              uint64_t* manifest_file_size,
                              bool flush_memtable = true) = 0;
  // Lists all files that a copy of the database needs: tables, MANIFEST,
  // CURRENT, OPTIONS and logs, as of one point in time, which is not before the
  // call, without empty logs. CURRENT and OPTIONS have replacement_contents.
  // The files stay until
  // the next change, unless DisableFileDeletions was called before. Checkpoint
  // (utilities/checkpoint.h) makes such a copy. Returns NotSupported if the
  // database is open for reading only; RocksDB then lists them.
  virtual Status GetLiveFilesStorageInfo(
      const LiveFilesStorageInfoOptions& options,
      std::vector<LiveFileStorageInfo>* files) = 0;
  // Lists the archived logs (DBOptions::WAL_ttl_seconds), and those that the
  // tables do not replace, oldest first, after a flush of buffered records.
  virtual Status GetSortedWalFiles(VectorLogPtr& files) = 0;
  // Describes the log that is written now, after a flush of buffered records.
  virtual Status GetCurrentWalFile(
      std::unique_ptr<LogFile>* current_log_file) = 0;
  // Sets *iter to an iterator over the batches in the logs since this sequence
  // number, which transaction_log.h describes. Options that keep logs for it:
  // WAL_ttl_seconds, WAL_size_limit_MB. Returns NotFound above
  // GetLatestSequenceNumber(). The iterator must be destroyed before the DB.
  virtual Status GetUpdatesSince(
      SequenceNumber seq_number, std::unique_ptr<TransactionLogIterator>* iter,
      const TransactionLogIterator::ReadOptions& read_options = {}) = 0;

  // Creates a family of the tables that Checkpoint::ExportColumnFamily copied
  // from a family of this or another database, Tamis's or RocksDB's: all of its
  // keys at once, durable on return. Tables keep level, order and sequence
  // numbers; the database's sequence numbers go on above those. `*handle`
  // belongs to the caller. All of the files is read first. Their checksums are
  // compared if DBOptions::file_checksum_gen_factory computes the same,
  // replaced by its own otherwise, and kept as listed without a factory.
  //
  // Errors: InvalidArgument if the name is in use, there is no file, the
  // comparator is another one, or a level does not exist under `options`;
  // Corruption if a file is damaged, has another size or does not fit the
  // others. After these, nothing has changed. After an IOError of the MANIFEST,
  // which stops writes until Resume, the family may still appear when the
  // database is reopened.
  virtual Status CreateColumnFamilyWithImport(
      const ColumnFamilyOptions& options, const std::string& family_name,
      const ImportColumnFamilyOptions& import_options,
      const ExportImportFilesMetaData& metadata,
      ColumnFamilyHandle** handle) = 0;

 protected:
  DBFiles() = default;
  ~DBFiles() = default;
};

}  // namespace tamis
