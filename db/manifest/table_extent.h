// SPDX-License-Identifier: Apache-2.0
//
// Computes a table's key bounds and sequence numbers from its contents.
//
// One thread.
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

  // REQUIRES: keys ascend.
  void AddEntry(const Slice& key) {
    if (smallest_.empty()) smallest_ = key.ToString();
    largest_.assign(key.data(), key.size());
    Count(ExtractSequence(key));
  }
  // Call after all entries. The exclusive end becomes an internal key that
  // orders before every version of its user key.
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
  // Internal keys. REQUIRES: !empty()
  const std::string& smallest() const { return smallest_; }
  const std::string& largest() const { return largest_; }

  void StoreSequencesIn(FileMetaData* meta) const {
    meta->smallest_seqno = first_;
    meta->largest_seqno = last_;
    meta->seqnos_known = true;
  }
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
