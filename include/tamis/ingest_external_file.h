// SPDX-License-Identifier: Apache-2.0
//
// How DB::IngestExternalFile takes tables into a database.
#pragma once

#include <string>
#include <vector>

namespace tamis {

class ColumnFamilyHandle;

// The names are RocksDB's. It also has members for files that must be changed
// or checked in other ways; Tamis never changes a file (write_global_seqno is
// false).
struct IngestExternalFileOptions {
  // Links the files into the database's directory instead of copying them, and
  // removes their old names after success. The files must not change
  // afterwards. If the call fails, the files are where they were.
  bool move_files = false;
  // The same, but leaves the old names. Ignored with move_files.
  bool link_files = false;
  // Copies a file that cannot be linked, for example because it is on another
  // file system. If false, the call then fails with NotSupported.
  bool failed_move_fall_back_to_copy = true;
  // Snapshots taken before the call do not show the files. If false, they may.
  bool snapshot_consistency = true;
  // Allows the database to assign sequence numbers to files. It must if the
  // database has keys in the range of a file, if files of one family overlap,
  // if a file fits only into level 0, or for snapshot_consistency. If false,
  // such a call fails with InvalidArgument.
  bool allow_global_seqno = true;
  // Allows a flush before the ingestion, while which writes may wait. It is
  // needed if a memtable has keys in the range of a file. If false, such a call
  // fails with InvalidArgument. With kCompactionStyleUniversal, or FIFO with
  // allow_compaction, also begins a flush, for which it does not wait, when
  // level0_file_num_compaction_trigger ingested tables wait for it to be
  // merged.
  bool allow_blocking_flush = true;
  // Reads every block of the files before the ingestion. Otherwise only what is
  // needed to open them is verified; damaged blocks are found when they are
  // read.
  bool verify_checksums_before_ingest = false;
  // Puts the files into the last level with sequence number 0, behind all that
  // the family has: a key that it has already, or a tombstone over it, hides
  // that of the files. Snapshots taken before show them, too. Nothing is
  // flushed. Fails with InvalidArgument without cf_allow_ingest_behind, if a
  // file overlaps one in that level, or if a table above has entries with
  // sequence number 0, which a compaction could not tell from those of the
  // files; with NotSupported if the files overlap each other.
  bool ingest_behind = false;
  // Fails with TryAgain if a file would not go to the last level of num_levels
  // (of those without the one kept by cf_allow_ingest_behind);
  // under kCompactionStyleFIFO, to level 0, the only one there.
  bool fail_if_not_bottommost_level = false;
  // With DBOptions::file_checksum_gen_factory, and checksums in
  // IngestExternalFileArg: computes that of each file in the database's
  // directory, and fails with Corruption if it is another one. If false, the
  // given checksums go to the MANIFEST unchecked. Either way, a function that
  // is not the database's is InvalidArgument. Without given checksums, they are
  // computed; without a factory, the given ones are ignored.
  bool verify_file_checksum = true;
};

// The files for one family.
struct IngestExternalFileArg {
  // The family, the paths of its files, and how they are ingested.
  ColumnFamilyHandle* column_family = nullptr;
  std::vector<std::string> external_files;
  IngestExternalFileOptions options;
  // Checksums of the whole files (ExternalSstFileInfo::file_checksum), and
  // their functions: both empty, or one for each file.
  std::vector<std::string> files_checksums = {};
  std::vector<std::string> files_checksum_func_names = {};
};

}  // namespace tamis
