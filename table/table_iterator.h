// SPDX-License-Identifier: Apache-2.0
//
// Iterates over the index entries of a table, and over the data block of each.
// An unreadable block ends the iteration with its Status, in either direction.
//
// One thread.
#pragma once

#include "table/block.h"
#include "table/index_reader.h"
#include "table/internal_iterator.h"
#include "table/prefix_scope.h"
#include "table/table_reader_rep.h"

namespace tamis {

class TableIterator final : public InternalIterator {
 public:
  // `table` must outlive *this.
  TableIterator(const TableReader::Rep* table, const ReadContext& context)
      : table_(table),
        window_(context.readahead_size),
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
  Status status() const override;

 private:
  // Returns false if the table has no key that this seek could show. Every seek
  // calls it, so a table that one seek skipped may be used by the next.
  bool MayShow(const Slice& target, SeekDirection direction) const;
  bool PrefixMayShow(const Slice& target, SeekDirection direction) const;
  bool RangeMayShow(const Slice& target, SeekDirection direction) const;
  void SeekInBlocks(const Slice& target);
  void Skip();
  void BeginSeek();
  // Opens the data block of the current index entry. Returns false if there is
  // none, or on an error.
  bool OpenBlock();
  void SkipForward();
  void SkipBackward();

  const TableReader::Rep* const table_;
  ReadaheadWindow window_;
  ReadContext context_;     // reads through window_
  const CacheFill fill_;    // for the first blocks after a seek
  int blocks_entered_ = 0;  // since the last seek, up to kNearBlocks
  BlockScratch scratch_;    // has the block of data_ if it is not resident
  IndexIterator index_;
  BlockIterator data_;
  Status status_;         // of a data block that failed to open
  bool skipped_ = false;  // the last seek skipped the table; index_ is stale
};

}  // namespace tamis
