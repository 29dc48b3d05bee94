// SPDX-License-Identifier: Apache-2.0
//
// The walk over a table: from index entry to index entry, and through the data
// block of each. An unreadable block ends the walk with its Status, in either
// direction.
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
  // `table` outlives *this.
  TableIterator(const TableReader::Rep* table, const ReadContext& context)
      : table_(table),
        window_(context.readahead_size),
        context_(context.Through(&window_)),
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
  // False: nothing that a walk from here may show stands in the table. Asked
  // anew by every seek, so that a table that one seek skips is there for the
  // next.
  bool MayShow(const Slice& target, SeekDirection direction) const;
  void SeekInBlocks(const Slice& target);
  void Skip();
  // Opens the block that index_ stands at. False: there is none, or an error.
  bool OpenBlock();
  void SkipForward();
  void SkipBackward();

  const TableReader::Rep* const table_;
  ReadaheadWindow window_;
  const ReadContext context_;  // reads through window_
  IndexIterator index_;
  BlockIterator data_;
  Status status_;         // of the data block that could not be opened
  bool skipped_ = false;  // by the last seek; what index_ holds is older
};

}  // namespace tamis
