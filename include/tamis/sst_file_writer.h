// SPDX-License-Identifier: Apache-2.0
//
// An SstFileWriter makes a table outside any database, from keys that come in
// order: to be ingested by one (RocksDB's IngestExternalFile takes it, too), or
// to be read by an SstFileReader.
//
//   SstFileWriter writer(options);
//   writer.Open("/data/new.sst");
//   writer.Put("a", "1");
//   writer.Put("b", "2");
//   writer.Finish();
//
// Every entry gets the sequence number 0. Options are those of the database
// that is to take the file: comparator, prefix_extractor, compression,
// table_factory and file_system are honoured.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tamis/options.h"
#include "tamis/slice.h"
#include "tamis/status.h"
#include "tamis/types.h"

namespace tamis {

// What Finish has written.
struct ExternalSstFileInfo {
  std::string file_path;
  // Of the entries, range deletions apart; user keys. Empty: there are none.
  std::string smallest_key;
  std::string largest_key;
  // What the range deletions cover together: [smallest, largest).
  std::string smallest_range_del_key;
  std::string largest_range_del_key;
  SequenceNumber sequence_number = 0;  // of every entry
  uint64_t file_size = 0;              // bytes
  uint64_t num_entries = 0;            // range deletions apart
  uint64_t num_range_del_entries = 0;
  int32_t version = 0;  // of the format of external files
};

// One thread. Calls: (Open (Put | Merge | Delete | ...)* Finish)*
// Without a Finish that returned OK the destructor, or the next Open, removes
// the file.
class SstFileWriter {
 public:
  explicit SstFileWriter(const Options& options);
  ~SstFileWriter();
  SstFileWriter(const SstFileWriter&) = delete;
  SstFileWriter& operator=(const SstFileWriter&) = delete;

  // Creates the file, or empties it. What the options contradict themselves in
  // shows here.
  Status Open(const std::string& file_path);

  // Each key comes behind the one before it, in the comparator's order; else
  // InvalidArgument, which names both, and nothing is added.
  Status Put(const Slice& user_key, const Slice& value);
  // An operand for the merge operator of the database that takes the file.
  Status Merge(const Slice& user_key, const Slice& value);
  Status Delete(const Slice& user_key);
  // See WriteBatch::SingleDelete for the keys it is right for.
  Status SingleDelete(const Slice& user_key);

  // Deletes, in the database that takes the file, the keys in [begin_key,
  // end_key) that are older than the file: its own entries stay. In any order,
  // between the entries or apart from them. begin_key == end_key: nothing.
  Status DeleteRange(const Slice& begin_key, const Slice& end_key);

  // Writes the rest and makes the file's bytes durable. A file without entries
  // is not written: InvalidArgument. The directory that the file is in is the
  // caller's to sync.
  Status Finish(ExternalSstFileInfo* file_info = nullptr);

  // Bytes so far; before Finish about, after it exactly.
  uint64_t FileSize() const;

 private:
  struct Rep;
  const std::unique_ptr<Rep> rep_;
};

}  // namespace tamis
