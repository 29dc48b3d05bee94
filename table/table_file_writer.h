// SPDX-License-Identifier: Apache-2.0
//
// The far side of a table under construction: all that stands behind a data
// block that is full. TableBuilder turns entries into blocks; here a block's
// keys go into the filter, its bytes through codec and checksum into the file,
// and its place into the index. At the end it writes what follows the data:
//
//   blocks ──▶ filter, codec, checksum, file, index ──▶ ... tail, footer
//
// Filters and index partitions depend on where blocks come to stand, so all of
// that is done here, in the order of the blocks.
//
// One thread at a time, unless said otherwise. Calls: AddDataBlock* Finish
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "tamis/file_system.h"
#include "tamis/table_properties.h"

#include "table/block.h"
#include "table/block_writer.h"
#include "table/filter_collector.h"
#include "table/index_builder.h"
#include "table/table_builder.h"
#include "util/base/byte_buffer.h"

namespace tamis {

// A data block that is full.
struct RawDataBlock {
  ByteBuffer bytes;     // as a reader sees it: not compressed
  ByteBuffer last_key;  // of its entries
  ByteBuffer next_key;  // of the entry behind it; empty: the table ends
};

class TableFileWriter {
 public:
  // `options` and `file` outlive *this. A contradiction in the options shows
  // in status().
  TableFileWriter(const TableBuildOptions& options, WritableFile* file);
  TableFileWriter(const TableFileWriter&) = delete;
  TableFileWriter& operator=(const TableFileWriter&) = delete;

  // Does nothing once status() is not OK.
  void AddDataBlock(const RawDataBlock& block);
  // Writes the rest of the file. `tombstones`: the block of range tombstones;
  // empty: there are none. Adds to the properties what is known here.
  void Finish(const Slice& tombstones, TableProperties* properties);

  // The first thing that went wrong. REQUIRES: failed(), or that no thread is
  // in AddDataBlock.
  const Status& status() const { return status_; }
  // Any thread.
  bool failed() const { return failed_.load(std::memory_order_acquire); }

  // Where the next block will stand.
  uint64_t offset() const { return writer_.offset(); }
  // What a data block of so many bytes takes in the file at the most.
  uint64_t BytesAtMost(size_t raw_bytes) const;
  // By how much the blocks so far took less than that. Any thread.
  uint64_t bytes_spared() const {
    return bytes_spared_.load(std::memory_order_relaxed);
  }

 private:
  void PrepareFilter();
  // Into the filter, and the first one where the index wants it.
  void TakeKeys(const RawDataBlock& block);
  void PlaceDataBlock(const RawDataBlock& block);
  void PadDataBlock();
  // The parts of Finish, in the order of the file. Each does nothing once
  // status_ is not OK.
  void WriteFilters(TableProperties* properties);
  void WriteIndex(TableProperties* properties);
  void WriteRangeTombstones(const Slice& tombstones);
  void WriteProperties(TableProperties* properties);
  void WriteMetaindexAndFooter();
  // The handle, or the null handle with status_ set.
  BlockHandle Take(Result<BlockHandle> written);
  bool keeps_first_keys() const {
    return options_.table.index_type ==
           BlockBasedTableOptions::kBinarySearchWithFirstKey;
  }

  const TableBuildOptions& options_;
  Footer footer_;
  BlockWriter writer_;
  Status status_;
  // status_ is not OK, and is not changed any more. Released after it was set.
  std::atomic<bool> failed_{false};
  std::atomic<uint64_t> bytes_spared_{0};
  IndexBuilder index_;
  FilterCollector filters_;
  std::unique_ptr<FilterBlockWriter> filter_;  // nullptr: none
  std::string filter_policy_name_;
  std::string filter_family_;
  uint64_t num_data_blocks_ = 0;
  BlockIterator keys_;     // of one block after the other
  std::string first_key_;  // of the block; kept for the index alone
  std::map<std::string, BlockHandle> metaindex_;
};

}  // namespace tamis
