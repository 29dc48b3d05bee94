// SPDX-License-Identifier: Apache-2.0
//
// One key looked for in one table, in steps, so that many keys can go through
// each step together while what the next one needs is on its way:
//
//   PrefetchFilter   the line of the filter
//   AskFilter        false: the table has no version of the key
//   FindBlock        its place in the index. false: there is none
//   PrefetchBlock    the node of the block, if it is resident
//   PrefetchSlot     what its tags lead to, if it has any
//   PrefetchEntry    the entry
//   Search           reads the block, and those behind it if versions run on
//
// Prefetch steps may be left out. One thread, on the stack; within a Guard of
// the table's epochs.
#pragma once

#include <memory>

#include "table/key_filter.h"
#include "table/table_reader_rep.h"

namespace tamis {

// The data block that the lookup before this one read, if it stays nowhere
// else: lookups that come one behind the other in it read it once.
struct LastBlock {
  const IndexReader* index = nullptr;  // of its table; nullptr: none is held
  uint64_t offset = 0;
  PinnedBytes block;
};

class TableLookup {
 public:
  // All outlive *this.
  TableLookup(const TableReader& table, const LookupKey& key,
              const FilterKey& filter_key, const ReadContext& context,
              GetContext* get);
  TableLookup(const TableLookup&) = delete;
  TableLookup& operator=(const TableLookup&) = delete;

  void PrefetchFilter() const { filter_.Prefetch(); }
  bool AskFilter();
  bool FindBlock();
  void PrefetchBlock();
  void PrefetchSlot() const;
  void PrefetchEntry() const;
  // The outcome as TableReader::Get has it; also when a step before said
  // false. `last`: nullptr where no other lookup follows. REQUIRES: AskFilter
  // and FindBlock were called, while they said true.
  Status Search(LastBlock* last = nullptr);

  // After PrefetchBlock: whether Search has a block to read, and where.
  bool WillRead() const {
    return !over_ && index_.Valid() && prefetched_ == nullptr;
  }
  uint64_t block_offset() const { return index_.handle().offset; }

 private:
  // What one data block has to say about the key.
  enum class BlockAnswer : uint8_t {
    kDone,     // enough was seen, or the next key of the table is another one
    kRunsOn,   // the block ended first: versions may go on in the next one
    kAskNext,  // the block has none: the next one may, by its hash index
    kUnreadable
  };
  Result<PinnedBytes> FindDataBlock(LastBlock* last) const;
  BlockAnswer AskBlock(PinnedBytes block, Status* status);
  BlockAnswer WalkBlock(PinnedBytes block, Status* status);
  bool MayRunOn() const;
  bool BlockMayMatch() {
    return !filter_.asks_blocks() ||
           filter_.BlockMayMatch(index_.handle().offset);
  }

  const TableReader::Rep& table_;
  const LookupKey& key_;
  const FilterKey& filter_key_;
  GetContext* const get_;
  const ReadContext& context_;
  KeyFilter filter_;
  // In a table that is read as of one sequence: the key's newest version.
  std::unique_ptr<const LookupKey> newest_;
  const LookupKey* target_;
  IndexIterator index_;
  // Of PrefetchBlock: nullptr when it is not resident, or not asked for.
  const BlockBuffer* prefetched_ = nullptr;
  bool over_ = false;
  bool seen_ = false;  // any version
};

}  // namespace tamis
