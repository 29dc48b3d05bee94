// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/compaction_tombstones.h"

#include <algorithm>
#include <map>

namespace tamis {

std::vector<RangeTombstone> TombstonesToKeep(
    const KeyOrder& order, const RangeTombstoneFragments& tombstones,
    const SnapshotStripes& stripes, const MayOverlapBelow& may_overlap_below) {
  std::vector<RangeTombstone> kept;
  // Fragments of one tombstone are joined again: maps its sequence number to
  // the position of its last fragment in `kept`.
  std::map<SequenceNumber, size_t> last_piece;
  for (size_t i = 0; i < tombstones.size(); ++i) {
    const RangeTombstoneFragments::Fragment fragment = tombstones.at(i);
    if (i > 0 &&
        order.CompareUserKeys(fragment.begin, tombstones.at(i - 1).end) != 0) {
      last_piece.clear();
    }
    std::map<SequenceNumber, size_t> pieces;
    for (size_t n = 0; n < fragment.sequences.size(); ++n) {
      const SequenceNumber sequence = fragment.sequences[n];
      const size_t stripe = stripes.StripeOf(sequence);
      if (n > 0 && stripe == stripes.StripeOf(fragment.sequences[n - 1])) {
        continue;  // the newer one deletes as much
      }
      if (stripe == 0 && may_overlap_below &&
          !may_overlap_below(fragment.begin, fragment.end)) {
        continue;
      }
      const auto piece = last_piece.find(sequence);
      if (piece != last_piece.end()) {
        kept[piece->second].end = fragment.end.ToString();
        pieces.insert(*piece);
        continue;
      }
      pieces.emplace(sequence, kept.size());
      kept.push_back(
          {fragment.begin.ToString(), fragment.end.ToString(), sequence});
    }
    last_piece = std::move(pieces);
  }
  return kept;
}

}  // namespace tamis
