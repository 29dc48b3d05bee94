// SPDX-License-Identifier: Apache-2.0
//
// An SstFileReader reads one table outside any database: a file made by an
// SstFileWriter, or a table file of a database. It shows what a database with
// only this table would: the newest version of each key, without tombstones.
//
//   SstFileReader reader(options);
//   reader.Open("/data/new.sst");
//   std::unique_ptr<Iterator> it(reader.NewIterator(ReadOptions()));
#pragma once

#include <memory>
#include <string>

#include "tamis/export.h"
#include "tamis/iterator.h"
#include "tamis/options.h"
#include "tamis/slice.h"
#include "tamis/status.h"
#include "tamis/table_properties.h"

namespace tamis {

// Threads: Open from one, before other calls; const members from any.
class TAMIS_EXPORT SstFileReader {
 public:
  // Uses the options comparator (must be the file's), prefix_extractor,
  // table_factory (its cache, and the policy for filters in a user's format),
  // merge_operator, file_system, allow_mmap_reads, use_direct_reads and
  // statistics.
  explicit SstFileReader(const Options& options);
  ~SstFileReader();
  SstFileReader(const SstFileReader&) = delete;
  SstFileReader& operator=(const SstFileReader&) = delete;

  // Opens a file. Its range deletions hide its older entries. (In a file made
  // by an SstFileWriter, no entry is older than a range deletion.)
  Status Open(const std::string& file_path);

  // REQUIRES, for all methods below: Open returned OK.

  // Returns an iterator, which the caller deletes, and which may outlive the
  // reader. ReadOptions::snapshot hides entries with higher sequence numbers.
  Iterator* NewIterator(const ReadOptions& options) const;
  // Reads the value of a key. Returns NotFound if the file lacks the key, or
  // holds a tombstone for it.
  Status Get(const ReadOptions& options, const Slice& key,
             std::string* value) const;

  // Reads every block and verifies its checksum.
  Status VerifyChecksum() const;
  std::shared_ptr<const TableProperties> GetTableProperties() const;

  // Computes the theoretical false-positive rate of the file's point filter:
  // the expected fraction of absent keys that match, or of absent prefixes if
  // the filter holds only those. Supports every format of RocksDB, LevelDB and
  // Tamis, full, partitioned and block-based; for the last two it is the mean
  // over the parts, weighted by size. *fpr is 1 if the file has no point
  // filter, or one in a user's format, and is unchanged on an error. Reads the
  // whole filter, but no data. `tamis_sst_dump --command=filter` prints an
  // observed rate beside it.
  Status PredictedFpr(double* fpr) const;
  // Computes the same for the range filter: the probability that it matches an
  // empty range of one possible key, drawn where the file's keys are. For a
  // range of L possible keys it is at most L times that. *fpr is 1 if the file
  // has no range filter.
  Status PredictedRangeFpr(double* fpr) const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace tamis
