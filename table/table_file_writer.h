// SPDX-License-Identifier: Apache-2.0
//
// Writes the file of a table. TableBuilder fills data blocks and passes each
// full one to a TableFileWriter, which adds its keys to the filter, compresses
// and writes it, and adds it to the index. At the end, the writer writes what
// follows the data:
//
//   blocks ──▶ filter, codec, checksum, file, index ──▶ ... metaindex, footer
//
// Filter and index partitions depend on block offsets, so they are built here
// too, in block order. If the table is to have a compression dictionary, blocks
// wait in a DictionaryBuffer first.
//
// One thread at a time, unless stated otherwise. Calls: AddDataBlock* Finish
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
#include "table/dictionary_buffer.h"
#include "table/filter_collector.h"
#include "table/filter_memory.h"
#include "table/index_builder.h"
#include "table/range_filter_writer.h"
#include "table/table_builder.h"
#include "util/base/byte_buffer.h"

namespace tamis {

class TableFileWriter {
 public:
  // `options` and `file` must outlive *this. If the options conflict, the
  // filter's included, status() is an error and failed() stays false.
  TableFileWriter(const TableBuildOptions& options, WritableFile* file);
  TableFileWriter(const TableFileWriter&) = delete;
  TableFileWriter& operator=(const TableFileWriter&) = delete;

  // Writes or buffers one block, which the caller may reuse afterwards. Does
  // nothing if status() is not OK.
  void AddDataBlock(const RawDataBlock& block);
  // Writes a block as another table stores it: `payload`, whose uncompressed
  // form is `block`, at this offset, with zeros before it.
  // REQUIRES: offset >= offset(); block_align, if zeros are needed.
  void AddStoredDataBlock(const RawDataBlock& block, const Slice& payload,
                          CompressionType codec, uint64_t offset);
  // Stores a dictionary that AddStoredDataBlock's payloads need.
  void SetStoredDictionary(const Slice& raw) {
    stored_dictionary_ = raw.ToString();
  }
  // Appends zeros up to this offset. status() reports errors.
  // REQUIRES: offset >= offset()
  void PadTo(uint64_t offset);
  // Writes the rest of the file, and neither syncs nor closes it. `tombstones`
  // is the block of range tombstones, empty if there are none. Sets the
  // properties that describe data blocks, filter and index, and that of the
  // codec if it is empty, then stores all of *properties. status() reports
  // errors. REQUIRES: no AddDataBlock
  // runs; the other properties are set, and index_type is that of the options.
  void Finish(const Slice& tombstones, TableProperties* properties);

  // Builds a filter whose keys are complete, and that no thread has begun to
  // build. Returns false if there is none. Any thread.
  bool BuildOneFilter() noexcept { return filters_.BuildOne(); }
  // Frees the memory of filters and of blocks that wait. No other call but
  // status() may follow. REQUIRES: no AddDataBlock runs.
  void DropFilters();

  // Returns the names of the filters in the metaindex, and which one was not
  // worth writing, for LOG. REQUIRES: Finish was called.
  std::string DescribeFilters() const;
  // Returns why the table has its point filter, or none, for LOG. REQUIRES:
  // Finish was called.
  const std::string& filter_reason() const { return filter_reason_; }

  // Returns the first error. REQUIRES: failed(), or no concurrent AddDataBlock.
  const Status& status() const { return status_; }
  // Returns whether an AddDataBlock failed. Any thread.
  bool failed() const { return failed_.load(std::memory_order_acquire); }

  // Returns the offset of the next block.
  uint64_t offset() const { return writer_.offset(); }
  // Returns whether data blocks wait for the dictionary, and their uncompressed
  // bytes. REQUIRES: no concurrent AddDataBlock.
  bool is_buffering() const { return buffer_ != nullptr; }
  uint64_t buffered_bytes() const {
    return buffer_ == nullptr ? 0 : buffer_->bytes();
  }
  // Returns an upper bound on the file bytes of a data block, including its
  // trailer and padding. Any thread.
  uint64_t BytesAtMost(size_t raw_bytes) const;
  // Returns the bytes by which blocks so far were smaller than BytesAtMost. Any
  // thread.
  uint64_t bytes_spared() const {
    return bytes_spared_.load(std::memory_order_relaxed);
  }

 private:
  void PrepareFilters();
  void WriteDataBlock(const RawDataBlock& block);
  // Makes the dictionary, and writes the blocks that wait for it.
  void EndBuffering();
  // Adds the block's keys to the filter, and keeps the first for the index.
  void TakeKeys(const RawDataBlock& block);
  void IndexDataBlock(const RawDataBlock& block, const BlockHandle& handle);
  void PadDataBlock();
  void ChargeFilterMemory();
  // Hands over the last point filter, and builds the range filter beside it.
  void EndFilters();
  // The steps of Finish, in file order. Each does nothing if status_ is not OK.
  void WriteFilters(TableProperties* properties);
  void NoteFormat();
  void WriteRangeFilter(TableProperties* properties);
  void WriteIndex(TableProperties* properties);
  void WriteDictionary();
  void WriteRangeTombstones(const Slice& tombstones);
  void WriteProperties(TableProperties* properties);
  void WriteMetaindexAndFooter();
  // Returns the handle; on an error sets status_ and returns the null handle.
  BlockHandle Take(Result<BlockHandle> written);
  bool keeps_first_keys() const {
    return options_.table.index_type ==
           BlockBasedTableOptions::kBinarySearchWithFirstKey;
  }

  const TableBuildOptions& options_;
  Footer footer_;
  BlockWriter writer_;
  Status status_;
  // True once an AddDataBlock has failed. It is stored, with release order,
  // after status_, which does not change afterwards.
  std::atomic<bool> failed_{false};
  std::atomic<uint64_t> bytes_spared_{0};
  IndexBuilder index_;
  FilterCollector filters_;
  std::unique_ptr<FilterBlockWriter> filter_;  // nullptr if there is none
  FilterMemory filter_memory_;
  std::string filter_policy_name_;
  std::string filter_family_;
  const FilterCodec* planned_codec_ = nullptr;  // nullptr if it is not built in
  std::string filter_reason_;
  // The codec of the range filter that was not worth writing, or nullptr.
  const RangeFilterCodec* omitted_range_filter_ = nullptr;
  std::unique_ptr<RangeFilterWriter> range_filter_;    // nullptr: none
  std::unique_ptr<DictionaryBuffer> buffer_;           // nullptr: write at once
  std::unique_ptr<CompressionDictionary> dictionary_;  // nullptr: none
  std::string stored_dictionary_;
  uint64_t num_data_blocks_ = 0;
  BlockIterator keys_;     // reused for each block
  std::string first_key_;  // of the current block, if keeps_first_keys()
  std::map<std::string, BlockHandle> metaindex_;
};

}  // namespace tamis
