// SPDX-License-Identifier: Apache-2.0
//
// An SstFileReader looks into one table outside any database: one that an
// SstFileWriter made, or that stands, or stood, in a database. What it shows is
// what a user of a database with this one table would see: of every key the
// newest version, tombstones left out.
//
//   SstFileReader reader(options);
//   reader.Open("/data/new.sst");
//   std::unique_ptr<Iterator> it(reader.NewIterator(ReadOptions()));
#pragma once

#include <memory>
#include <string>

#include "tamis/iterator.h"
#include "tamis/options.h"
#include "tamis/slice.h"
#include "tamis/status.h"
#include "tamis/table_properties.h"

namespace tamis {

// Const and any thread, once opened.
class SstFileReader {
 public:
  // Honoured are comparator (the file's own), prefix_extractor, table_factory
  // (the cache, and the policy of a user's own filters), merge_operator,
  // file_system and statistics.
  explicit SstFileReader(const Options& options);
  ~SstFileReader();
  SstFileReader(const SstFileReader&) = delete;
  SstFileReader& operator=(const SstFileReader&) = delete;

  // Range deletions of the file hide what is older in it; in a file that an
  // SstFileWriter made, nothing is.
  Status Open(const std::string& file_path);

  // REQUIRES, for all below: Open returned OK.

  // The caller deletes it; it may outlive the reader. ReadOptions::snapshot
  // hides entries of higher sequence numbers.
  Iterator* NewIterator(const ReadOptions& options) const;
  // NotFound when the file has no such key, or a tombstone for it.
  Status Get(const ReadOptions& options, const Slice& key,
             std::string* value) const;

  // Reads every block and compares its checksum.
  Status VerifyChecksum() const;
  std::shared_ptr<const TableProperties> GetTableProperties() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace tamis
