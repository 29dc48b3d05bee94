// SPDX-License-Identifier: Apache-2.0
//
// An SstFileWriter builds a table outside any database from sorted keys, for
// ingestion (RocksDB's IngestExternalFile accepts it) or for an SstFileReader.
//
//   SstFileWriter writer(options);
//   writer.Open("/data/new.sst");
//   writer.Put("a", "1");
//   writer.Put("b", "2");
//   writer.Finish();
//
// Every entry gets sequence number 0. Pass the options of the database that
// will take the file. The writer uses comparator, prefix_extractor,
// merge_operator (its name), compression, table_factory, file_system, clock and
// statistics.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tamis/export.h"
#include "tamis/options.h"
#include "tamis/slice.h"
#include "tamis/status.h"
#include "tamis/types.h"

namespace tamis {

class ColumnFamilyHandle;

// How RocksDB's writer opens its file. Tamis takes that from Options: the type
// is empty, so that programs which pass one compile.
struct TAMIS_EXPORT EnvOptions {
  EnvOptions() = default;
  // Accepted, as RocksDB has it.
  explicit EnvOptions(const DBOptions& /*options*/) {}
};

// The file that Finish wrote.
struct ExternalSstFileInfo {
  // The path of the file.
  std::string file_path;
  // User keys of the entries, not of range deletions; empty without entries.
  std::string smallest_key;
  std::string largest_key;
  // The smallest range [smallest, largest) that contains the range deletions.
  std::string smallest_range_del_key;
  std::string largest_range_del_key;

  // What the file has.
  SequenceNumber sequence_number = 0;  // of every entry
  uint64_t file_size = 0;              // bytes
  uint64_t num_entries = 0;            // without range deletions
  uint64_t num_range_del_entries = 0;
  int32_t version = 0;  // of the external-file format
  // Of the whole file, and its function, for IngestExternalFileArg; these if
  // Options::file_checksum_gen_factory is nullptr.
  std::string file_checksum = kUnknownFileChecksum;
  std::string file_checksum_func_name = kUnknownFileChecksumFuncName;
};

// One thread. Calls:
//
//   (Open (Put | Merge | Delete | ...)* Finish)*
//
// A failed Finish, the destructor and the next Open remove an unfinished file.
class TAMIS_EXPORT SstFileWriter {
 public:
  // With a family, the file records its id and name, and IngestExternalFile
  // rejects it for any other one. The handle is used only in the constructor.
  explicit SstFileWriter(const Options& options,
                         ColumnFamilyHandle* column_family = nullptr);
  SstFileWriter(const EnvOptions& /*env_options*/, const Options& options,
                ColumnFamilyHandle* column_family = nullptr)
      : SstFileWriter(options, column_family) {}
  ~SstFileWriter();
  SstFileWriter(const SstFileWriter&) = delete;
  SstFileWriter& operator=(const SstFileWriter&) = delete;

  // Creates or truncates the file. Returns InvalidArgument if options conflict,
  // NotSupported if this build lacks the codec.
  Status Open(const std::string& file_path);

  // Adds an entry. Keys must be strictly increasing in the comparator's order;
  // otherwise returns InvalidArgument, which names both keys, and adds nothing.
  Status Put(const Slice& user_key, const Slice& value);
  // Adds an operand for the merge operator of the database that takes the file.
  Status Merge(const Slice& user_key, const Slice& value);
  // Adds a deletion of the key.
  Status Delete(const Slice& user_key);
  // Valid only for some keys: see WriteBatch::SingleDelete.
  Status SingleDelete(const Slice& user_key);

  // Deletes the keys in [begin_key, end_key) from older data of the database
  // that takes the file, but not the file's own entries. Range deletions may
  // come in any order and between entries. An empty range has no effect.
  // Returns InvalidArgument if end_key < begin_key.
  Status DeleteRange(const Slice& begin_key, const Slice& end_key);

  // Completes and syncs the file. Returns InvalidArgument if it is empty. The
  // caller must sync the file's directory.
  Status Finish(ExternalSstFileInfo* file_info = nullptr);

  // Returns the bytes so far: approximate before Finish, exact afterwards.
  uint64_t FileSize() const;

 private:
  struct Rep;
  const std::unique_ptr<Rep> rep_;
};

}  // namespace tamis
