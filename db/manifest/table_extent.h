// SPDX-License-Identifier: Apache-2.0
//
// A TableExtent computes a table's key bounds and sequence bounds from its
// contents. Calls: AddEntry* AddTombstone*, then the results. One thread.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "db/manifest/version_edit.h"
#include "table/internal_key.h"
#include "table/range_tombstones.h"

namespace tamis {

class TableExtent {
 public:
  explicit TableExtent(const KeyOrder& order) : order_(order) {}

  // Adds an entry's internal key. REQUIRES: the keys ascend.
  void AddEntry(const Slice& key) {
    if (smallest_.empty()) smallest_ = key.ToString();
    largest_.assign(key.data(), key.size());
    Count(ExtractSequence(key));
  }
  // Adds a range tombstone, unless its range is empty. Its exclusive end
  // becomes an internal key that orders before every version of its user key.
  // REQUIRES: all entries were added.
  void AddTombstone(const RangeTombstone& tombstone) {
    if (order_.CompareUserKeys(tombstone.begin, tombstone.end) >= 0) return;
    std::string begin;
    AppendInternalKey(&begin, tombstone.begin, tombstone.sequence,
                      kTypeRangeDeletion);
    std::string end;
    AppendInternalKey(&end, tombstone.end, kMaxSequenceNumber,
                      kTypeRangeDeletion);
    if (smallest_.empty() || order_.Compare(begin, smallest_) < 0) {
      smallest_ = std::move(begin);
    }
    if (largest_.empty() || order_.Compare(end, largest_) > 0) {
      largest_ = std::move(end);
    }
    Count(tombstone.sequence);
  }

  bool empty() const { return smallest_.empty(); }

  // REQUIRES, for all below: !empty()

  // Return the bounds as internal keys.
  const std::string& smallest() const { return smallest_; }
  const std::string& largest() const { return largest_; }
  // Sets the sequence bounds of *meta.
  void StoreSequencesIn(FileMetaData* meta) const {
    meta->smallest_seqno = first_;
    meta->largest_seqno = last_;
    meta->seqnos_known = true;
  }
  // Sets the key bounds and sequence bounds of *meta.
  void StoreIn(FileMetaData* meta) const {
    meta->smallest = smallest_;
    meta->largest = largest_;
    StoreSequencesIn(meta);
  }

 private:
  void Count(SequenceNumber sequence) {
    first_ = std::min(first_, sequence);
    last_ = std::max(last_, sequence);
  }

  const KeyOrder order_;
  std::string smallest_;
  std::string largest_;
  SequenceNumber first_ = kMaxSequenceNumber;
  SequenceNumber last_ = 0;
};

}  // namespace tamis
