// SPDX-License-Identifier: Apache-2.0
//
// Iterates over the index entries of a table, and over the data block of each.
// An unreadable block ends the iteration with its Status, in either direction.
//
// One thread.
#pragma once

#include <utility>

#include "table/block.h"
#include "table/index_reader.h"
#include "table/internal_iterator.h"
#include "table/prefix_scope.h"
#include "table/stored_search.h"
#include "table/table_reader_rep.h"
#include "table/thread_scratch.h"

namespace tamis {

class TableIterator final : public InternalIterator {
 public:
  // `table` must outlive *this.
  TableIterator(const TableReader::Rep* table, const ReadContext& context)
      : table_(table),
        window_(context.readahead_size, context.async_io),
        context_(context.Through(&window_)),
        fill_(context.fill),
        index_(table->index.get(), &context_) {
    ShowEntry(data_.entry());
  }

  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(const Slice& target) override;
  void SeekForPrev(const Slice& target) override;
  void Next() override;
  void Prev() override;
  bool PinValue(PinnedBytes* pin) override;
  Status status() const override;

 private:
  // Returns false if the table has no key that this seek could show. Every seek
  // calls it, so a table that one seek skipped may be used by the next.
  bool MayShow(const Slice& target, SeekDirection direction);
  bool PrefixMayShow(const Slice& target, SeekDirection direction);
  bool RangeMayShow(const Slice& target, SeekDirection direction);
  bool ProbeRanges(const Slice& begin, const Slice& end);
  // Counts what the filters did for the seek that just ended, if it is sampled.
  void CountFilters(SeekDirection direction) const {
    if (context_.scope == nullptr || context_.scope->sample_weight == 0 ||
        table_->context.filter_counts == nullptr) [[likely]] {
      return;
    }
    CountSampled(direction);
  }
  void CountSampled(SeekDirection direction) const;
  void SeekInBlocks(const Slice& target);
  void Skip();
  void BeginSeek();
  // Finds the data block of the current index entry. Returns false if there is
  // none, or on an error.
  bool FindBlock(BlockFetcher::DataBlock* block);
  // Opens the block that FindBlock found. Returns false on an error.
  bool OpenFound(BlockFetcher::DataBlock block);
  bool OpenBytes(PinnedBytes bytes);
  bool OpenBlock() {
    BlockFetcher::DataBlock block;
    return FindBlock(&block) && OpenFound(std::move(block));
  }
  // Shows the first entry >= target of a stored block, if it has one, and
  // decodes no more. Returns false if it cannot.
  bool SeekInStored(const StoredPayload& stored, const Slice& target);
  // Decodes the rest of the block that SeekInStored left, and opens it at the
  // same entry. Returns false on an error.
  bool DecodeRest();
  // Seeks the entry in the whole of a block that is malformed, or that changed
  // in its file meanwhile. Returns false on an error.
  bool SeekAgain();
  void SkipForward();
  void SkipBackward();

  const TableReader::Rep* const table_;
  ReadaheadWindow window_;
  ReadContext context_;     // reads through window_
  const CacheFill fill_;    // for the first blocks after a seek
  int blocks_entered_ = 0;  // since the last seek, up to kNearBlocks
  SpareScratch scratch_;    // has the block of data_ if it is not resident
  IndexIterator index_;
  BlockIterator data_;
  // Set by SeekInStored until DecodeRest: data_ shows `sought_` of a block that
  // is decoded in part.
  bool is_partial_ = false;
  StepDecoder decoder_;
  StoredPayload stored_;
  StoredEntry sought_;
  KeyBuffer sought_key_;
  Status status_;         // of a data block that failed to open
  bool skipped_ = false;  // the last seek skipped the table; index_ is stale
  // How the filters answered the last seek: kNotProbed, kExcluded, or kInVain
  // for a match. prefix_probed_ is valid until the seek ends.
  FilterOutcome range_answer_ = FilterOutcome::kNotProbed;
  FilterOutcome prefix_answer_ = FilterOutcome::kNotProbed;
  Slice prefix_probed_;  // a key with the prefix
};

}  // namespace tamis
